//go:build linux || darwin

package repl

import "syscall"

// addressSpace returns the limit on this process's memory that a shell's
// ulimit -v or -d has set, in bytes; 0: none.
func addressSpace() (bytes int64) {
	for _, resource := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(resource, &limit) == nil && limit.Cur < 1<<62 && (bytes == 0 || int64(limit.Cur) < bytes) {
			bytes = int64(limit.Cur)
		}
	}
	return bytes
}
