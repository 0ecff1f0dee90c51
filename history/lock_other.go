//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package history

import "os"

// The plain twins of lock_unix.go: no locks, and no owners and modes to keep.

const (
	hasLocks  = false
	openFlags = 0
)

func tryLock(*os.File, bool) (bool, error) { return true, nil }
func makePrivate(*os.File) error           { return nil }
func keepOwner(_, _ *os.File) error        { return nil }
