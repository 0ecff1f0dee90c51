package repl

import (
	"bufio"
	"os"
	"strconv"
	"strings"
	"time"

	"scalargrad/engine"
)

// defaultMaxNodes is how many nodes fit in three quarters of the memory that
// this process may use, at 24 bytes a node with its adjoint, so that a runaway
// script meets an error message and not the system's killer.
func defaultMaxNodes() int {
	const bytesPerNode = 24
	const spare = 1 << 20 // a statement is stopped after the node that is one too many
	nodes := engine.MaxNodes - spare
	if m := memory(); m > 0 {
		nodes = min(nodes, max(int(m/4*3/bytesPerNode), 1000))
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
	if limit := addressSpace(); limit > 0 {
		// Of it Go's runtime sets nearly 2 GB aside for itself, and then there is
		// no room to reserve addresses: the tape grows by copying, and needs three
		// times its size while it does.
		const runtimeItself = 2 << 30
		if most := max(limit-runtimeItself, 1<<23) / 3; bytes == 0 || most < bytes {
			bytes = most
		}
	}
	return bytes
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
	timer := time.AfterFunc(s.options.Timeout, func() {
		s.late.Store(true)
		s.stop.Store(true)
	})
	return func() {
		if !timer.Stop() && s.late.Load() {
			s.stop.Store(false) // the next statement has its own time
		}
	}
}

func (s *Session) timedOut() bool { return s.late.Load() }
