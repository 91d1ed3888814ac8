! Fortran: whole-array expressions, formatted and internal input and output, derived types, recursion.
module shapes
	implicit none
	type :: particle
		real(8) :: position(3) = 0, mass = 1
	end type
contains
	pure function centre(cloud) result(c)
		type(particle), intent(in) :: cloud(:)
		real(8) :: c(3)
		integer :: i
		c = 0
		do i = 1, size(cloud)
			c = c + cloud(i)%position * cloud(i)%mass
		end do
		c = c / sum(cloud%mass)
	end function
	recursive integer function ackermann(m, n) result(r)
		integer, intent(in) :: m, n
		if (m == 0) then
			r = n + 1
		else if (n == 0) then
			r = ackermann(m - 1, 1)
		else
			r = ackermann(m - 1, ackermann(m, n - 1))
		end if
	end function
end module

program arrays
	use shapes
	implicit none
	real(8) :: a(12, 12), b(12, 12)
	complex(8) :: z
	type(particle) :: cloud(5)
	character(len=40) :: line
	integer :: i, j, value, status
	real(8) :: parsed

	do j = 1, 12
		do i = 1, 12
			a(i, j) = 1.0d0 / (i + j - 1)
		end do
	end do
	b = matmul(a, transpose(a)) + merge(1.0d0, 0.0d0, a > 0.25d0)
	write (*, '(a, f20.12, e20.10)') 'sum and least: ', sum(b), minval(b)
	write (*, '(12i4)') (count(b(i, :) > 1), i = 1, 12)
	do i = 1, 5
		cloud(i)%position = [real(i, 8), i * 0.5d0, -real(i, 8)**2]
		cloud(i)%mass = i
	end do
	write (*, '(3f12.6)') centre(cloud)
	z = (1, 2)
	z = exp(z) / sqrt(z)
	write (*, '(2es18.9)') z
	write (line, '(i6, 1x, f10.4)') 42, 3.14159d0
	read (line, *) value, parsed
	write (*, *) trim(adjustl(line)), value, parsed
	write (*, *) ackermann(2, 5), huge(i), tiny(1.0d0) > 0
	line = 'not a number'
	read (line, *, iostat=status) value
	write (*, '(a, l2)') 'reading a word as a number fails:', status /= 0
	open (10, status='scratch', iostat=status)
	if (status == 0) close (10)
	error stop 4
end program
