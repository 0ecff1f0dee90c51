//go:build unix

package repl

import "syscall"

// nonBlocking keeps the opening of a FIFO from waiting for its other end.
const nonBlocking = syscall.O_NONBLOCK
