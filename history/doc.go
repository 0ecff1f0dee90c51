// Package history keeps lines of text on disk between sessions, for two
// purposes that share one foundation (file.go): [History] is what the person
// typed, for recall at the prompt; [Log] is what the session accepted, for
// bringing a session back after it ended or was killed.
//
// It exists because a line reader's own history file is readable by everybody,
// loses lines when two sessions run side by side, and fails without a word.
// The rules here are:
//
//   - A line is in the file, by one write(2), when the call that stores it
//     returns nil. kill -9 loses nothing after that; a power failure may lose
//     what the system has not written out yet, as appends are not synced.
//   - Files are private: mode 0600 in directories made with mode 0700.
//   - Anything but a regular file is refused without blocking on it. A symbolic
//     link to a regular file is followed and stays a link.
//   - An error is a value, given once; the session then goes on in memory.
//
// The package knows no terminal and no meaning of a line.
//
// Sessions exclude each other by flock(2). Where there is none (Windows, some
// network file systems) appends are still whole, but a compaction may drop a
// line that another session writes at that moment, and [LatestLog] cannot tell
// a running session from one that is over.
package history
