// Go: goroutines, channels, timers, a ticker, select with a deadline, panics, maps and the collector.
package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"
)

type node struct {
	left, right *node
	value       int
}

func (n *node) insert(value int) *node {
	if n == nil {
		return &node{value: value}
	}
	if value < n.value {
		n.left = n.left.insert(value)
	} else {
		n.right = n.right.insert(value)
	}
	return n
}

func (n *node) depth() int {
	if n == nil {
		return 0
	}
	l, r := n.left.depth(), n.right.depth()
	if l > r {
		return l + 1
	}
	return r + 1
}

func protected() (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("recovered: %v", r)
		}
	}()
	var none []int
	_ = none[3]
	return nil
}

func main() {
	order := make(chan string, 16)
	var wait sync.WaitGroup
	for i, ms := range []int{60, 20, 40} {
		wait.Add(1)
		go func(i, ms int) {
			defer wait.Done()
			time.Sleep(time.Duration(ms) * time.Millisecond)
			order <- fmt.Sprint("sleeper ", i)
		}(i, ms)
	}
	wait.Wait()
	close(order)
	for name := range order {
		fmt.Println(name)
	}
	ticker := time.NewTicker(10 * time.Millisecond)
	ticks := 0
	deadline := time.After(2 * time.Second)
loop:
	for {
		select {
		case <-ticker.C:
			if ticks++; ticks == 5 {
				ticker.Stop()
				break loop
			}
		case <-deadline:
			fmt.Println("the deadline came first")
			os.Exit(1)
		}
	}
	fmt.Println("ticks", ticks)
	stopped := time.AfterFunc(time.Hour, func() { fmt.Println("never") })
	fmt.Println("stopped", stopped.Stop())
	words := map[string]int{}
	for _, w := range strings.Fields("a rose is a rose is a rose") {
		words[w]++
	}
	keys := make([]string, 0, len(words))
	for k := range words {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Printf("%s=%d ", k, words[k])
	}
	fmt.Println()
	var root *node
	x := uint32(1)
	for i := 0; i < 3000; i++ {
		x = x*1664525 + 1013904223
		root = root.insert(int(x >> 8))
	}
	runtime.GC()
	fmt.Println("depth", root.depth())
	fmt.Println(protected())
	if _, err := os.Open("/no/such/file"); errors.Is(err, os.ErrNotExist) || err != nil {
		fmt.Println("no such file")
	}
	var mutex sync.Mutex
	sum := 0
	for i := 0; i < 8; i++ {
		wait.Add(1)
		go func(i int) {
			defer wait.Done()
			for j := 0; j < 100; j++ {
				mutex.Lock()
				sum += i
				mutex.Unlock()
				runtime.Gosched()
			}
		}(i)
	}
	wait.Wait()
	fmt.Println("sum", sum)
	os.Exit(5)
}
