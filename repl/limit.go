package repl

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"runtime/metrics"
	"strconv"
	"strings"
	"time"

	"scalargrad/engine"
	"scalargrad/grammar"
)

// maxNodes is how many nodes fit in three quarters of the memory that this
// process may use, at 24 bytes a node with its adjoint, so that a runaway
// script meets an error message and not the system's killer.
func maxNodes(memory int64) int {
	const bytesPerNode = 24
	const spare = 1 << 20 // a statement is stopped after the node that is one too many
	nodes := engine.MaxNodes - spare
	if memory > 0 {
		nodes = min(nodes, max(int(memory/4*3/bytesPerNode), 1000))
	}
	return nodes
}

// memory returns how many bytes this process may use: the machine's, or its
// control group's if that is less. 0 where the system does not say.
func memory() (bytes int64) {
	if f, err := os.Open("/proc/meminfo"); err == nil {
		defer f.Close()
		for lines := bufio.NewScanner(f); lines.Scan(); {
			if fields := strings.Fields(lines.Text()); len(fields) >= 2 && fields[0] == "MemTotal:" {
				kilobytes, _ := strconv.ParseInt(fields[1], 10, 64)
				bytes = kilobytes << 10
				break
			}
		}
	}
	for _, limit := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		text, err := os.ReadFile(limit)
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil && (bytes == 0 || n < bytes) {
			bytes = n
		}
	}
	// Where addresses are limited there is no room to reserve them: the tape grows
	// by copying, and needs three times its size while it does.
	if limit := addressSpace(); limit > 0 {
		const runtimeItself = 2 << 30 // nearly, is what Go's runtime sets aside for itself
		if most := max(limit-runtimeItself, 1<<23) / 3; bytes == 0 || most < bytes {
			bytes = most
		}
	}
	if limit := dataSpace(); limit > 0 && (bytes == 0 || limit/3 < bytes) {
		bytes = limit / 3
	}
	return bytes
}

// longestLine returns how many bytes a line of statements may have: 16 MiB, and
// less where there is little memory, as reading one takes up to a hundred times
// its size.
func (s *Session) longestLine() int {
	if s.options.memory <= 0 {
		return maxLine
	}
	return max(256<<10, min(maxLine, int(s.options.memory/256)))
}

// checkMemory refuses a statement that would add to what is kept, when that is
// as much as there is room for. The nodes have a limit of their own; what takes
// the rest is names, and at a prompt the statements. Nobody can say what a name
// costs, so the heap is looked at, every so many thousand names.
func (s *Session) checkMemory(st *grammar.Statement) error {
	const often = 1 << 14
	kept := s.bound + len(s.done)
	if s.options.memory <= 0 || st.Kind > grammar.Grad || !s.crowded && kept < s.looked+often && kept > s.looked-often {
		return nil
	}
	s.looked = kept
	// Until the next collection there may be as much garbage as there was in use
	// after the last one.
	full := func() bool { return 2*liveHeap()+int64(s.tape.Bytes()) > s.options.memory/8*7 }
	if !s.crowded && full() {
		runtime.GC()
		s.crowded = full()
	}
	if !s.crowded {
		return nil
	}
	return s.diagnose(st.Span, "memory-full", fmt.Sprintf("the memory is full: there are %s names and %s nodes; :reset clears them", grouped(len(s.symbols)), grouped(s.tape.Len())), "")
}

// liveHeap returns how many bytes were in use after the last collection.
func liveHeap() int64 {
	sample := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return 0
	}
	return int64(sample[0].Value.Uint64())
}

// limitTime starts the clock of --timeout for one statement and returns what
// stops it. A statement that :load runs has no clock but that of the :load.
func (s *Session) limitTime() (done func()) {
	if s.depth > 1 {
		return func() {}
	}
	s.late.Store(false)
	if s.options.Timeout <= 0 {
		return func() {}
	}
	rung := make(chan struct{})
	timer := time.AfterFunc(s.options.Timeout, func() {
		s.late.Store(true)
		s.stop.Store(true)
		close(rung)
	})
	return func() {
		if timer.Stop() {
			return
		}
		<-rung // else it might stop the next statement, which has its own time
		s.stop.Store(false)
		if s.asked.Load() { // looked at last, so that no interrupt gets lost between
			s.stop.Store(true)
		}
	}
}

// interrupt asks the running statement to give up, as Ctrl-C does.
func (s *Session) interrupt() {
	s.asked.Store(true)
	s.stop.Store(true)
}

func (s *Session) timedOut() bool { return s.late.Load() }
