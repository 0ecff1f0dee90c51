//go:build darwin || dragonfly || freebsd || netbsd || openbsd

package edit

import "golang.org/x/sys/unix"

const (
	ioctlGetTermios = unix.TIOCGETA
	ioctlSetTermios = unix.TIOCSETA // at once: waiting for output to drain could wait for ever
)
