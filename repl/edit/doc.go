// Package edit reads lines from a person at a terminal: with editing, recall,
// search, completion and colours (Editor), or as they come from a terminal that
// can do no more (Plain). It knows no language: what a line means, how it is
// coloured and what completes it come from its caller.
//
// # How the work is shared with readline
//
// github.com/chzyer/readline v1.5.1 is the engine: it takes keys one at a time,
// keeps the line, walks and searches the lines remembered, and says when a line
// is done. Left to itself it can panic in a goroutine of its own, where nobody
// can recover, hang, or leave the terminal in disorder. So it is given as little
// to do as that, by three of its interfaces:
//
//   - Its input is not the terminal. The bytes that arrive are decoded here
//     (keys.go) into keys; readline gets one character for each, and only those
//     it deals with safely. The next one follows when it has dealt with the last.
//   - Its listener sees the line after every key and may replace it. Keys that
//     readline knows wrongly or not at all reach it as one reserved character,
//     which the listener takes out again before it does what the key is for.
//     Whatever arrives together (a paste, or what a fast typist had waiting)
//     goes in as one insertion.
//   - It is told that its output is no terminal, so it draws nothing. The
//     screen is drawn here (draw.go): one write for each key or burst of keys,
//     with no more than a window full of text, at the right column for
//     characters of any width.
//
// # What readline does to a careless caller, and what is done about it
//
// The terminal and its keys:
//
//   - A terminal 0 columns wide: an arrow key loops for ever. readline believes
//     in 80 columns always; for the drawing, unknown means 80 by 24.
//   - A search in an empty list of lines: nil panic. The list has an empty line
//     from the start.
//   - Ctrl-T on one character, Tab Tab Ctrl-K and others in the completion menu,
//     completions of a wrong length, keys of the vi mode: panics. Transposing and
//     completing are done here, the menu is never entered, the mode is off.
//   - A prompt that ends in ESC: panic. readline never gets the prompt.
//   - NUL is taken for the end of the input, Delete on an empty line for Ctrl-D,
//     and other control characters are put into the line unseen. Keys without a
//     meaning are dropped, Delete has its own.
//   - Ctrl-Z stops the parent process too, and never comes back where no shell is
//     there to wake it. The job itself is stopped, with the terminal restored, and
//     after a fifth of a second in which nothing stopped reading goes on.
//   - A filter of keys that refuses one lets readline read on while the program
//     works. There is no filter; what must not be seen is not sent.
//   - Home, End, Ctrl and Alt with arrows, as other terminals send them, are not
//     known. They are all decoded.
//   - A tab in a paste completes, the marks of a bracketed paste are not asked
//     for, CR LF is two ends. Marks are on while a line is typed; text between
//     them, or followed by more of itself in one burst, holds no keys.
//
// Completion, painting and display:
//
//   - The menu makes Enter insert and Ctrl-C close; one completion gets no blank;
//     the caller's slices are changed. See completion and listing.
//   - The painter sees text that was never typed and is called under a lock. Here
//     it gets the line and nothing else; what it returns is used only if it is the
//     line with colours.
//   - Replacing the configuration loses the painter: that is never done.
//   - The first drawing erases output without a line end: so does ours, which is
//     why ReadLine asks for output that ends in one.
//   - Only colours have no width in a prompt; wide characters put the cursor
//     into the wrong column; combining marks and emoji are counted wrongly. Widths are
//     those of RuneWidth, and the cursor moves over a mark with its letter. Emoji
//     joined from several are counted one by one, as most terminals do.
//   - Every key repaints the whole line, at a cost that is its length squared. A
//     drawing costs its length once, and sends one window full at most.
//   - The new width is stored by another goroutine without a lock. Every drawing
//     asks for the size; SIGWINCH only causes one.
//   - TERM is not looked at, and standard output gets the editing even when it is a
//     pipe. The caller chooses: a Plain for TERM=dumb, and in Config.Out the stream
//     that is a terminal.
//
// Lines remembered:
//
//   - The file is created readable for all, rewritten, emptied, mixed up between
//     sessions, and kept too late. readline has no file: Config.History and
//     Remember are all it gets.
//   - After Up the recalled line is saved instead of the new one, and after a search
//     editing changes the entry that was found. The place is reset after
//     every line, and the line is replaced by a copy after every key.
//   - A line end in an entry spoils the display. Remember makes it a blank.
//   - Case is folded for ASCII only, and a search starts where Up last was. That
//     stays.
//
// Life and death:
//
//   - SIGTERM, SIGHUP and SIGINT leave the terminal raw. They end ReadLine with a
//     SignalError; a second one ends the process, the terminal restored first.
//   - Closing waits for a key, and leaves goroutines. Close ends the input first
//     and leaves none.
//   - After a true end of the input another read waits for ever. ReadLine then
//     returns io.EOF without asking.
//   - Ctrl-C comes with the text typed so far. The text is dropped.
//   - Input that is no terminal takes time that is its length squared. Open
//     refuses it: a pipe is not for this package.
//   - Between two lines the terminal echoes what is typed ahead and throws it away
//     at Ctrl-C. See openTTY for the mode it is in instead.
//
// Two things are left to the terminal. One that does not wrap lines anew when
// its window changes keeps pieces of the line being typed until the next Ctrl-L. And
// Ctrl-Z while a statement runs is a signal that stops the process there and
// then: the shell sets the terminal as it needs it.
package edit
