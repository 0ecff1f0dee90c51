package repl

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"scalargrad/grammar"
)

// errRestricted is the answer to a command that would touch a file while
// scripts are not trusted.
var errRestricted = errors.New("no file is read or written under --restricted")

// writeFile writes a file that a command names: aside, in the same directory,
// and renamed when it is whole, so that path holds all of the old or all of the
// new at any moment. replace allows a regular file to be replaced, which keeps
// its permissions; without it nothing may be at path. A symbolic link is never
// written through, nor anything but a regular file replaced. A path that
// starts with ~/ is in the home directory.
//
// The error names the path; errInterrupted comes back as it is.
func (s *Session) writeFile(path string, replace bool, write func(io.Writer) error) error {
	if s.options.Restricted {
		return errRestricted
	}
	target := expandHome(path)
	old, err := os.Lstat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		replace = false
	case err != nil:
		return fileError(path, err)
	case old.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; nothing is written through it", path)
	case !old.Mode().IsRegular():
		return fmt.Errorf("%s is %s, not a file to write to", path, fileKind(old))
	case !replace:
		return fmt.Errorf("%s exists: %w", path, fs.ErrExist)
	}
	aside, err := createAside(filepath.Dir(target))
	if err != nil {
		return fileError(path, err)
	}
	if replace {
		_ = aside.Chmod(old.Mode().Perm()) // some file systems have no permissions to keep
	}
	err = fill(aside, write)
	if err == nil {
		err = moveInto(aside.Name(), target, replace)
	}
	if err != nil {
		_ = os.Remove(aside.Name())
	}
	return fileError(path, err)
}

// createAside makes a file of a name of its own in dir. Its mode is what the
// umask leaves of 0666, as for any file that a person has written, and not the
// 0600 of a temporary one.
func createAside(dir string) (f *os.File, err error) {
	for range 100 {
		name := filepath.Join(dir, fmt.Sprintf(".scalargrad-%08x.new", rand.Uint32()))
		f, err = os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	return f, err
}

// fill writes f, sees it to the disk and closes it.
func fill(f *os.File, write func(io.Writer) error) error {
	w := bufio.NewWriterSize(f, 64<<10)
	err := write(w)
	if err == nil {
		err = w.Flush()
	}
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	return err
}

// moveInto gives the whole file at aside the name path. Where nothing may be
// replaced it links, which fails if somebody made path since we looked; a file
// system without links is trusted to have stayed as it was.
func moveInto(aside, path string, replace bool) error {
	if !replace {
		err := os.Link(aside, path)
		if err == nil {
			_ = os.Remove(aside)
			return nil
		}
		if errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	return os.Rename(aside, path)
}

// openRegular opens a regular file that a command names, for reading. Nothing
// else is opened, so that no device acts and no FIFO makes anybody wait.
func (s *Session) openRegular(path string) (*os.File, fs.FileInfo, error) {
	if s.options.Restricted {
		return nil, nil, errRestricted
	}
	target := expandHome(path)
	info, err := os.Stat(target)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	if !info.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%s is %s, not a file to read", path, fileKind(info))
	}
	f, err := os.OpenFile(target, os.O_RDONLY|nonBlocking, 0)
	if err != nil {
		return nil, nil, fileError(path, err)
	}
	// What is at path may have changed since we looked.
	if info, err = f.Stat(); err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("it has become %s", fileKind(info))
	}
	if err != nil {
		f.Close()
		return nil, nil, fileError(path, err)
	}
	return f, info, nil
}

// expandHome puts the home directory for a leading ~/, as a shell would have.
func expandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return path
}

// fileKind says what is not a regular file.
func fileKind(info fs.FileInfo) string {
	switch mode := info.Mode(); {
	case mode.IsDir():
		return "a directory"
	case mode&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}

// fileError puts the name that the person gave before the system's reason, and
// leaves out names that we made up.
func fileError(path string, err error) error {
	if err == nil || errors.Is(err, errInterrupted) {
		return err
	}
	var p *fs.PathError
	var l *os.LinkError
	switch {
	case errors.As(err, &p):
		err = p.Err
	case errors.As(err, &l):
		err = l.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// refuseFile is the error of a statement that could not read or write the file
// named at a span.
func (s *Session) refuseFile(at grammar.Span, err error, hint string) error {
	switch {
	case errors.Is(err, errInterrupted):
		return err
	case errors.Is(err, errRestricted):
		return s.diagnose(at, "restricted", err.Error(), "")
	}
	return s.diagnose(at, "file", err.Error(), hint)
}
