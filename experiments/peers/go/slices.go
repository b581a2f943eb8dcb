// The workload `slices` in Go; ../row.py says how it is started and what it prints.
package main

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"syscall"
	"time"
	"unsafe"
)

type node struct {
	next  *node
	other *node // always nil
}

var (
	rings    []*node
	shuffled bool
	state    uint64 // of the generator
	turn     uint32
)

func draw(count uint32) uint32 {
	state ^= state >> 12
	state ^= state << 25
	state ^= state >> 27
	return uint32((state * 2685821657736338717 >> 33) % uint64(count))
}

func place() uint32 {
	if shuffled {
		return draw(uint32(len(rings)))
	}
	now := turn
	turn++
	if turn == uint32(len(rings)) {
		turn = 0
	}
	return now
}

func ring() *node {
	last := new(node)
	first := &node{next: &node{next: &node{next: last}}}
	last.next = first
	return first
}

// outside returns memory that is outside the collected heap.
func outside(bytes int) []byte {
	memory, err := syscall.Mmap(-1, 0, bytes, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	if err != nil {
		fail(err.Error())
	}
	return memory
}

func build() {
	if !shuffled {
		for i := range rings {
			rings[i] = ring()
		}
		return
	}
	memory := outside(4 * len(rings))
	order := unsafe.Slice((*uint32)(unsafe.Pointer(&memory[0])), len(rings))
	for i := range order {
		order[i] = uint32(i)
	}
	for i := uint32(len(order)) - 1; i > 0; i-- {
		other := draw(i + 1)
		order[i], order[other] = order[other], order[i]
	}
	for _, at := range order {
		rings[at] = ring()
	}
	if err := syscall.Munmap(memory); err != nil {
		fail(err.Error())
	}
}

func operate(operations int) {
	for i := 0; i < operations; i++ {
		rings[place()] = ring()
	}
}

// places is the figure of the places to come, which stay to come.
func places() uint64 {
	before := state
	figure := uint64(14695981039346656037)
	for i := 0; i < 1000; i++ {
		figure = (figure ^ uint64(place())) * 1099511628211
	}
	state, turn = before, 0
	return figure
}

func whole() bool {
	for _, first := range rings {
		last := first.next.next.next
		if first.next == first || first.next.next == first || last == first || last.next != first {
			return false
		}
	}
	return true
}

func fail(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func mark(name string) {
	os.Stdout.WriteString("mark " + name + "\n")
	var answer [1]byte
	os.Stdin.Read(answer[:])
}

func number(text string) int {
	value, err := strconv.Atoi(text)
	if err != nil {
		fail(err.Error())
	}
	return value
}

// limit lets the heap grow to so many bytes. A limit of Go's is one of all its memory: it leaves the heap
// what it has not mapped for anything else, less 1 MiB.
func limit(heap int) {
	classes := []metrics.Sample{{Name: "/memory/classes/total:bytes"},
		{Name: "/memory/classes/heap/released:bytes"}, {Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(classes)
	other := classes[0].Value.Uint64()
	for _, class := range classes[1:] {
		other -= class.Value.Uint64()
	}
	debug.SetMemoryLimit(int64(heap) + int64(other) + 1<<20)
}

// The runtime keeps the pauses of the last 256 collections: they are asked for so often that none is lost.
const slicesBetweenQuestions = 64

// pauses appends those of the collections that ended since there were `seen`; returns how many there are now.
func pauses(all []time.Duration, stats *debug.GCStats, seen int64) ([]time.Duration, int64) {
	debug.ReadGCStats(stats)
	fresh := stats.NumGC - seen
	if fresh > int64(len(stats.Pause)) {
		fail(fmt.Sprintf("%d collections in %d slices", fresh, slicesBetweenQuestions))
	}
	for i := fresh - 1; i >= 0; i-- {
		all = append(all, stats.Pause[i]) // the latest is the first
	}
	return all, stats.NumGC
}

func main() {
	slices, warmup, operations := number(os.Args[2]), number(os.Args[3]), number(os.Args[4])
	memory := outside(8 * slices)
	samples := unsafe.Slice((*int64)(unsafe.Pointer(&memory[0])), slices)
	mark("before")
	shuffled = os.Args[6] == "1"
	state = uint64(number(os.Args[5]))*2 + 1
	rings = make([]*node, number(os.Args[1]))
	build()
	expected := places()
	limit(number(os.Getenv("HEAP_BYTES")))
	mark("live")
	var begun time.Time
	last := time.Now()
	var stats debug.GCStats
	var seen int64
	own := make([]time.Duration, 0, 1024)
	for i := 0; i < slices; i++ {
		if i == warmup {
			mark("begin")
			debug.ReadGCStats(&stats)
			seen = stats.NumGC
			begun = time.Now()
			last = begun
		}
		operate(operations)
		end := time.Now()
		samples[i] = int64(end.Sub(last))
		last = end
		if i >= warmup && i%slicesBetweenQuestions == 0 {
			own, seen = pauses(own, &stats, seen)
		}
	}
	run := last.Sub(begun)
	own, _ = pauses(own, &stats, seen)
	mark("end")
	var held runtime.MemStats
	runtime.ReadMemStats(&held)
	if !whole() {
		fail("a ring is broken")
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "version %s %s/%s\nplaces %d\nrun_ns %d\nheap %d\n", runtime.Version(), runtime.GOOS,
		runtime.GOARCH, expected, int64(run), held.HeapAlloc)
	for _, pause := range own {
		fmt.Fprintln(out, "pause", int64(pause))
	}
	for _, sample := range samples {
		fmt.Fprintln(out, "sample", sample)
	}
	if err := out.Flush(); err != nil {
		fail(err.Error())
	}
}
