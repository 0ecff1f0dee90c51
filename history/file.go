package history

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

var (
	errNotRegular = errors.New("not a regular file")
	errBusy       = errors.New("locked by another program")
)

// lockWait bounds the wait for a lock. Sessions hold it for milliseconds; one
// that was stopped while it held the lock must not hang the prompts of others. A
// variable for the test's sake.
var lockWait = 5 * time.Second

// openRegular opens path if it is a regular file or, with O_CREATE, makes it.
// It looks before it opens, since opening a device can have effects.
func openRegular(path string, flags int) (*os.File, error) {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, notRegular(path)
	}
	return openChecked(path, flags)
}

// openChecked opens path and then looks, as path may have changed since openRegular
// looked; openFlags keep a FIFO from blocking.
func openChecked(path string, flags int) (*os.File, error) {
	f, err := os.OpenFile(path, flags|openFlags, 0o600)
	if err != nil {
		return nil, err
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, notRegular(path)
	}
	return f, nil
}

func notRegular(path string) error {
	return &fs.PathError{Op: "open", Path: path, Err: errNotRegular}
}

// openLocked opens path for reading and appending, made private and held by an
// exclusive lock until it is closed. It makes the file and its directory.
func openLocked(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	for deadline := time.Now().Add(lockWait); ; {
		f, err := openRegular(path, os.O_RDWR|os.O_APPEND|os.O_CREATE)
		if err != nil {
			return nil, err
		}
		held, err := tryLock(f, true)
		// A file that was replaced before we had its lock is nobody's file now.
		held = held && isAt(f, path)
		if held {
			err = makePrivate(f)
		}
		if held && err == nil {
			return f, nil
		}
		f.Close()
		if err == nil && time.Now().After(deadline) {
			err = errBusy
		}
		if err != nil {
			return nil, &fs.PathError{Op: "lock", Path: path, Err: err}
		}
		time.Sleep(time.Millisecond)
	}
}

// isAt reports whether f is the file that path names now.
func isAt(f *os.File, path string) bool {
	a, err := f.Stat()
	b, err2 := os.Stat(path)
	return err == nil && err2 == nil && os.SameFile(a, b)
}

// appendText adds text, which ends with a newline, to the end of f, which is
// locked. A last line without a newline is ended first, so that it does not
// swallow the new one. A failed write is taken back where the system can.
func appendText(f *os.File, text string) error {
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if size > 0 {
		var last [1]byte
		if _, err := f.ReadAt(last[:], size-1); err != nil {
			return err
		}
		if last[0] != '\n' {
			text = "\n" + text
		}
	}
	if n, err := f.WriteString(text); err != nil {
		if n > 0 {
			f.Truncate(size) // the first error is the one to report
		}
		return err
	}
	return nil
}

// asideName returns where writeAside prepares the new content of path.
func asideName(path string) string {
	dir, name := filepath.Split(path)
	return dir + "." + name + ".new"
}

// writeAside gives path the content text: at any moment path holds all of the
// old or all of the new. The caller is the only one to do so for this path. If
// old is not nil it is the file being replaced; its owner is kept and the new
// content is on the disk before the old one goes.
func writeAside(path, text string, old *os.File) error {
	aside := asideName(path)
	os.Remove(aside) // left by a process that was killed here
	f, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	if err == nil {
		err = makePrivate(f)
	}
	if err == nil && old != nil {
		err = errors.Join(keepOwner(f, old), f.Sync())
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		if old != nil && !hasLocks {
			old.Close() // such systems do not rename onto an open file
		}
		err = os.Rename(aside, path)
	}
	if err != nil {
		os.Remove(aside)
	}
	return err
}
