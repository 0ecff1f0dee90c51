//go:build linux || darwin

package repl

import "syscall"

// addressSpace returns the limit on the addresses of this process that a shell's
// ulimit -v has set, in bytes; 0: none.
func addressSpace() int64 { return limitOf(syscall.RLIMIT_AS) }

// dataSpace returns the limit on its memory that ulimit -d has set.
func dataSpace() int64 { return limitOf(syscall.RLIMIT_DATA) }

func limitOf(resource int) int64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(resource, &limit) != nil || limit.Cur >= 1<<62 {
		return 0
	}
	return int64(limit.Cur)
}
