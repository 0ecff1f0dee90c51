package history

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// keepLogs is how many logs of sessions that are over stay on disk.
const keepLogs = 10

// A Log is the entries (statements, to its user) that one running session
// accepted, in a file of its own, so that they can be brought back after the
// session ended in any way. The session holds the lock of the file while it
// runs. A Log is for one goroutine.
//
// The file has one record per line: an entry quoted as in Go, so that it may
// hold any bytes, or "undo N", which takes back the last N entries before it.
type Log struct {
	dir  string   // "" when nothing is, or can be, written
	path string   // "" before the first entry
	file *os.File // nil before the first entry
}

// DefaultLogDir returns the directory for the logs of the program named app,
// next to DefaultPath; "" if there is no home directory.
func DefaultLogDir(app string) string { return statePath(app, "sessions") }

// NewLog returns an empty log that will make its file in dir with the first
// entry. If dir is empty nothing is ever written.
//
// Of the methods, the first to fail returns its error; after that the file
// stays as it is, without the entries that follow, and all methods return nil.
func NewLog(dir string) *Log { return &Log{dir: dir} }

// Append adds entries in order. The first call on a log writes all of its
// entries or, if the session is killed, makes no log: a session that resumes
// another gives all it took over in one call, and the older log stays the latest
// one until then.
func (l *Log) Append(entries ...string) error {
	if l.dir == "" || len(entries) == 0 {
		return nil
	}
	var text []byte
	for _, e := range entries {
		text = append(strconv.AppendQuote(text, e), '\n')
	}
	if l.file != nil {
		return l.fail(appendText(l.file, string(text)))
	}
	if err := os.MkdirAll(l.dir, 0o700); err != nil {
		return l.fail(err)
	}
	l.path = filepath.Join(l.dir, fmt.Sprintf("%s-%d-%08x.log",
		time.Now().UTC().Format("20060102T150405.000000"), os.Getpid(), rand.Uint32()))
	err := l.restart(string(text))
	prune(l.dir)
	return l.fail(err)
}

// Rewind takes back the last n entries, or all if there are fewer.
func (l *Log) Rewind(n int) error {
	if l.dir == "" || l.file == nil || n <= 0 {
		return nil
	}
	return l.fail(appendText(l.file, fmt.Sprintf("undo %d\n", n)))
}

// Clear takes back all entries for good.
func (l *Log) Clear() error {
	if l.dir == "" || l.file == nil {
		return nil
	}
	return l.fail(l.restart(""))
}

// Close ends the log: the session is over and LatestLog may return it.
func (l *Log) Close() error {
	failed := l.dir == ""
	l.dir = ""
	if l.file == nil {
		return nil
	}
	err := l.file.Close()
	l.file = nil
	if failed {
		return nil // an earlier error was returned
	}
	return err
}

// restart makes text the content of the log's file and opens it. The file is
// not locked for a moment, in which it is whole and the most recent one: the
// worst that can happen is that somebody resumes what is in it.
func (l *Log) restart(text string) error {
	if l.file != nil {
		l.file.Close()
		l.file = nil
	}
	err := writeAside(l.path, text, nil)
	if err == nil {
		l.file, err = openLocked(l.path)
	}
	return err
}

// fail stops the log at the first error.
func (l *Log) fail(err error) error {
	if err != nil {
		l.dir = ""
	}
	return err
}

// LatestLog returns the entries of the log in dir that was written last among
// those whose session is over, without what was taken back, and its path. It
// returns "" for the path if there is none. A last record that was cut short is
// left out. If the file is damaged otherwise, the error says so and the entries
// are those before the damage, as later ones may depend on what is missing.
func LatestLog(dir string) (entries []string, path string, err error) {
	logs, err := finishedLogs(dir)
	if err != nil || len(logs) == 0 {
		return nil, "", err
	}
	path = logs[0]
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return nil, path, err
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, path, err
	}
	entries, err = readLog(string(data))
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return entries, path, err
}

// readLog returns the entries that the records in text amount to.
func readLog(text string) ([]string, error) {
	var entries []string
	n := 0
	for line := range strings.Lines(text) {
		record, whole := strings.CutSuffix(line, "\n")
		if !whole {
			break
		}
		n++
		if count, ok := strings.CutPrefix(record, "undo "); ok {
			if k, err := strconv.Atoi(count); err == nil && k > 0 {
				entries = entries[:max(0, len(entries)-k)]
				continue
			}
		} else if entry, err := strconv.Unquote(record); err == nil && record[0] == '"' {
			entries = append(entries, entry)
			continue
		}
		return entries, fmt.Errorf("record %d is damaged", n)
	}
	return entries, nil
}

// finishedLogs returns the paths of the logs in dir whose lock is free, the one
// written last first. A directory that does not exist has none.
func finishedLogs(dir string) ([]string, error) {
	if dir == "" {
		return nil, nil
	}
	files, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var logs []fs.FileInfo
	for _, file := range files {
		info, err := file.Info()
		if err == nil && info.Mode().IsRegular() && strings.HasSuffix(file.Name(), ".log") {
			logs = append(logs, info)
		}
	}
	slices.SortFunc(logs, func(a, b fs.FileInfo) int {
		return cmp.Or(b.ModTime().Compare(a.ModTime()), cmp.Compare(b.Name(), a.Name()))
	})
	var paths []string
	for _, info := range logs {
		if path := filepath.Join(dir, info.Name()); !isRunning(path) {
			paths = append(paths, path)
		}
	}
	return paths, err
}

// isRunning reports whether a session holds the log at path.
func isRunning(path string) bool {
	f, err := openRegular(path, os.O_RDONLY)
	if err != nil {
		return false
	}
	defer f.Close()
	free, err := tryLock(f, false)
	return err == nil && !free
}

// prune removes the oldest logs of sessions that are over, and what sessions
// that were killed while they made their file left behind. It is housekeeping:
// what cannot be removed stays.
func prune(dir string) {
	logs, _ := finishedLogs(dir)
	for _, path := range logs[min(keepLogs, len(logs)):] {
		os.Remove(path)
	}
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		info, err := file.Info()
		if err == nil && strings.HasSuffix(file.Name(), ".log.new") && time.Since(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(dir, file.Name()))
		}
	}
}
