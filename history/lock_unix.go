//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package history

import (
	"errors"
	"os"
	"syscall"
)

// hasLocks reports whether tryLock excludes anybody.
const hasLocks = true

// openFlags open a FIFO without waiting for its other end, and a terminal
// without making it ours.
const openFlags = syscall.O_NONBLOCK | syscall.O_NOCTTY

// tryLock takes the lock of f, exclusive or shared, without waiting, and
// reports whether it did. The lock goes with f: closed, or its process gone. A
// file system without locks counts as free.
func tryLock(f *os.File, exclusive bool) (bool, error) {
	how := syscall.LOCK_SH
	if exclusive {
		how = syscall.LOCK_EX
	}
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		switch {
		case err == nil, errors.Is(err, errors.ErrUnsupported), err == syscall.ENOLCK:
			return true, nil
		case err == syscall.EWOULDBLOCK:
			return false, nil
		case err != syscall.EINTR:
			return false, err
		}
	}
}

// makePrivate gives f mode 0600, whatever the umask was and whoever made it.
func makePrivate(f *os.File) error {
	info, err := f.Stat()
	if err == nil && info.Mode().Perm() != 0o600 {
		err = f.Chmod(0o600)
	}
	return err
}

// keepOwner gives f the owner of old, so that a session under sudo does not
// lock the person out of their own file.
func keepOwner(f, old *os.File) error {
	a, err := f.Stat()
	b, err2 := old.Stat()
	if err != nil || err2 != nil {
		return errors.Join(err, err2)
	}
	now, want := a.Sys().(*syscall.Stat_t), b.Sys().(*syscall.Stat_t)
	if now.Uid == want.Uid {
		return nil
	}
	return f.Chown(int(want.Uid), int(want.Gid))
}
