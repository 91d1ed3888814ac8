// A Go program: its scheduler uses threads, futexes, signals and timers of the process, its network
// poller epoll and a pipe or an event counter.
package main

import (
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

func count(limit int) int {
	sum := 0
	for i := 0; i < limit; i++ {
		sum += i ^ sum>>3
	}
	return sum
}

func main() {
	// Timers and a ticker, which only what they order is said of.
	timer := time.NewTimer(60 * time.Millisecond)
	ticker := time.NewTicker(10 * time.Millisecond)
	ticks := 0
	for done := false; !done; {
		select {
		case <-ticker.C:
			ticks++
		case <-timer.C:
			done = true
		}
	}
	ticker.Stop()
	fmt.Println("ticks before the timer:", ticks >= 1)

	// Goroutines that never give way by themselves.
	var group sync.WaitGroup
	sums := make([]int, 4)
	for i := range sums {
		group.Add(1)
		go func(i int) {
			defer group.Done()
			sums[i] = count(300000 + i)
		}(i)
	}
	group.Wait()
	fmt.Println("sums:", sums)

	// A pipe that the poller watches, with a limit in time.
	reader, writer, err := os.Pipe()
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	reader.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	buffer := make([]byte, 32)
	_, err = reader.Read(buffer)
	fmt.Println("nothing to read in time:", os.IsTimeout(err))
	reader.SetReadDeadline(time.Time{})
	go func() {
		time.Sleep(5 * time.Millisecond)
		writer.Write([]byte("through the pipe"))
		writer.Close()
	}()
	length, _ := reader.Read(buffer)
	fmt.Println(string(buffer[:length]))

	// A signal to itself.
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println("signal:", <-signals)

	// A recovered fault, and the end of the program by a status.
	func() {
		defer func() { fmt.Println("recovered:", recover() != nil) }()
		var nothing *int
		fmt.Println(*nothing)
	}()
	os.Exit(7)
}
