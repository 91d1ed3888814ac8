#!/usr/bin/perl
# count.pl ELF LOG INTERVAL: basic-block vectors from what qemu -singlestep -d exec,nochain writes, which has the address of each
# instruction, and the instructions' bytes in the ELF: which of them end a block is decoded here.
use strict;
use warnings;

my ($elf, $log, $interval) = @ARGV;
open my $file, '<:raw', $elf or die "$elf: $!";
my $bytes = do { local $/; <$file> };
my ($headers, $size, $count) = (unpack('Q<', substr($bytes, 32, 8)), unpack('v v', substr($bytes, 54, 4)));
my @segments = map { [unpack('V V Q< Q< Q< Q< Q< Q<', substr($bytes, $headers + $_ * $size, 56))] } 0 .. $count - 1;

# What is at an address, as the file has it.
sub halfword {
	my ($pc) = @_;
	for my $s (@segments) {
		my ($type, undef, $offset, $address, undef, $filled) = @$s;
		return unpack('v', substr($bytes, $offset + $pc - $address, 2))
			if $type == 1 && $pc >= $address && $pc < $address + $filled;
	}
	die sprintf "nothing is at %x\n", $pc;
}

# Branches, jumps and system calls of the base set and of the compressed one.
sub ends_block {
	my $h = halfword($_[0]);
	my ($quadrant, $funct3) = ($h & 3, $h >> 13);
	return grep { ($h & 0x7f) == $_ } 0x63, 0x67, 0x6f, 0x73 if $quadrant == 3;
	return $funct3 >= 5 if $quadrant == 1;
	return $quadrant == 2 && $funct3 == 4 && !($h >> 2 & 31) && ($h >> 7 & 31);
}

my (%number, %executed, %ends, $block, $blocks, $done);

sub end_interval {
	print 'T', join(' ', map { ":$_:$executed{$_}" } sort { $a <=> $b } keys %executed), "\n" if %executed;
	%executed = ();
}

open my $lines, '<', $log or die "$log: $!";
while (<$lines>) {
	my ($pc) = m{^Trace \d+: \S+ \[[0-9a-f]+/([0-9a-f]+)/} or next;
	$pc = hex $pc;
	$block = $number{$pc} //= ++$blocks unless $block;
	$executed{$block}++;
	$block = 0 if $ends{$pc} //= ends_block($pc) ? 1 : 0;
	end_interval() if ++$done % $interval == 0;
}
end_interval();
