package edit

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// A key is one thing that a person asks of the editor.
type key uint8

const (
	keyText key = iota // characters, in event.text
	keyEnter
	keyTab
	keyInterrupt // Ctrl-C
	keyEOF       // Ctrl-D
	keyBackspace
	keyDelete
	keyLeft
	keyRight
	keyWordLeft
	keyWordRight
	keyHome
	keyEnd
	keyUp
	keyDown
	keySearchBack
	keySearchForward
	keyCancel // Ctrl-G
	keyKillEnd
	keyKillStart
	keyKillWordLeft
	keyKillWordRight
	keyYank
	keyTranspose
	keyClear
	keySuspend
)

// controls are the keys that arrive as one byte. The bytes below a blank that
// are missing here mean nothing and are dropped: left to themselves they would
// stand in the line unseen, end the session (NUL) or stop it with a panic.
var controls = map[byte]key{
	0x01: keyHome, 0x02: keyLeft, 0x03: keyInterrupt, 0x04: keyEOF, 0x05: keyEnd,
	0x06: keyRight, 0x07: keyCancel, 0x08: keyBackspace, 0x09: keyTab, 0x0a: keyEnter,
	0x0b: keyKillEnd, 0x0c: keyClear, 0x0d: keyEnter, 0x0e: keyDown, 0x10: keyUp,
	0x12: keySearchBack, 0x13: keySearchForward, 0x14: keyTranspose, 0x15: keyKillStart,
	0x17: keyKillWordLeft, 0x19: keyYank, 0x1a: keySuspend, 0x7f: keyBackspace,
}

// metas are the keys that arrive as ESC and one byte.
var metas = map[byte]key{
	'b': keyWordLeft, 'f': keyWordRight, 'd': keyKillWordRight,
	0x7f: keyKillWordLeft, 0x08: keyKillWordLeft,
}

// arrows are the final bytes of ESC [ and ESC O sequences that move. Where two
// are named the second is meant when Ctrl or Alt is held.
var arrows = map[byte][2]key{
	'A': {keyUp, keyUp}, 'B': {keyDown, keyDown},
	'C': {keyRight, keyWordRight}, 'D': {keyLeft, keyWordLeft},
	'H': {keyHome, keyHome}, 'F': {keyEnd, keyEnd},
}

// tildes are the sequences ESC [ N ~ by their number.
var tildes = map[int][2]key{
	1: {keyHome, keyHome}, 7: {keyHome, keyHome}, // tmux, screen and the Linux console; rxvt
	4: {keyEnd, keyEnd}, 8: {keyEnd, keyEnd},
	3: {keyDelete, keyKillWordRight},
}

const (
	pasteStart = 200 // ESC [ 200 ~
	pasteEnd   = 201 // ESC [ 201 ~

	maxSequence = 64      // bytes of an escape sequence; a longer one is noise
	maxReply    = 1 << 16 // bytes of a terminal's answer in words (ESC ] …); likewise
)

// An event is a key, or with keyText a run of characters that arrived
// together and go into the line as one.
type event struct {
	key  key
	text string
}

// where the decoder is in the stream of bytes.
type place uint8

const (
	onGround  place = iota
	inEscape        // after ESC
	inCSI           // after ESC [
	inSS3           // after ESC O
	inConsole       // after ESC [ [, a function key of the Linux console
	inReply         // after ESC ] and the like: until BEL or ESC \
)

// A decoder turns what a terminal sends into events. Bytes come in bursts: all
// that was waiting at one time. Nothing that arrives can make it fail.
type decoder struct {
	events []event
	text   []byte // the run of characters being collected
	at     place
	seq    []byte // the sequence so far, without its introducer
	alone  bool   // the ESC was the last byte of its burst: the Esc key, perhaps
	paste  bool   // between ESC [ 200 ~ and ESC [ 201 ~
	cr     bool   // the byte before was CR
}

// feed decodes one burst.
func (d *decoder) feed(burst []byte) {
	if d.paste && len(burst) == 1 && burst[0] == 0x03 {
		// the end of a paste was lost and somebody wants to get out of it
		*d = decoder{events: []event{{key: keyInterrupt}}}
		return
	}
	for i, b := range burst {
		d.byte(b, burst[i+1:])
	}
	if d.at == inEscape {
		d.alone = true
	}
	d.flush(false)
}

// held reports that the events must wait: a paste is handed on when it is whole.
func (d *decoder) held() bool { return d.paste }

func (d *decoder) byte(b byte, rest []byte) {
	switch d.at {
	case inEscape:
		d.escape(b, rest)
		return
	case inCSI, inSS3:
		d.sequence(b, rest)
		return
	case inConsole:
		d.at = onGround
		return
	case inReply:
		d.reply(b)
		return
	}
	cr := d.cr
	d.cr = b == '\r'
	switch {
	case b == 0x1b:
		d.at, d.seq, d.alone = inEscape, d.seq[:0], false
	case b >= 0x20 && b != 0x7f:
		d.text = append(d.text, b)
	case b == '\n' && cr: // the second half of one line end
	case b == '\t' && (d.paste || typedOver(rest)):
		d.text = append(d.text, ' ')
	case d.paste && b != '\r' && b != '\n': // no key, and no character either
	default:
		if k, ok := controls[b]; ok {
			d.add(k)
		}
	}
}

// typedOver reports whether a tab with rest behind it in the same burst is
// part of a text that was put in as a whole, rather than a key: characters
// follow it, on its own line or on the next.
func typedOver(rest []byte) bool {
	rest = bytes.TrimLeft(rest, "\t")
	rest = bytes.TrimLeft(rest, "\r\n")
	return len(rest) > 0 && rest[0] >= 0x20 && rest[0] != 0x7f
}

// escape takes the byte after ESC.
func (d *decoder) escape(b byte, rest []byte) {
	d.at = onGround
	switch {
	case b == '[':
		d.at = inCSI
	case b == 'O' && !d.paste && !d.alone:
		d.at = inSS3
	case b == 0x1b:
		d.at = inEscape
	case d.paste: // a stray ESC in a text
		d.byte(b, rest)
	case metas[b] != keyText:
		d.add(metas[b])
	case strings.IndexByte("]PX^_", b) >= 0 && !d.alone:
		d.at = inReply
	case b < 0x20 || d.alone: // Esc, and then another key
		d.byte(b, rest)
	}
}

// sequence takes a byte of ESC [ … or ESC O ….
func (d *decoder) sequence(b byte, rest []byte) {
	switch {
	case b < 0x20 || b >= 0x7f: // broken off
		d.at = onGround
		d.byte(b, rest)
	case b < 0x40:
		if len(d.seq) < maxSequence {
			d.seq = append(d.seq, b)
		}
	case b == '[' && d.at == inCSI && len(d.seq) == 0:
		d.at = inConsole
	default:
		ss3 := d.at == inSS3
		d.at = onGround
		d.final(b, ss3)
	}
}

// final acts on a whole sequence: its parameters are in d.seq, b ends it.
func (d *decoder) final(b byte, ss3 bool) {
	number, modifier := parameters(d.seq)
	if b == '~' && (number == pasteStart || number == pasteEnd) {
		d.flush(true)
		d.paste, d.cr = number == pasteStart, false
		return
	}
	if d.paste {
		return
	}
	if ss3 && modifier == 0 {
		modifier = number // ESC O 5 C
	}
	held := 0 // Shift is 1, Alt 2, Ctrl 4; sent as their sum and 1
	if modifier > 1 && (modifier-1)&(2|4) != 0 {
		held = 1
	}
	if k, ok := arrows[b]; ok {
		d.add(k[held])
	} else if k, ok := tildes[number]; ok && b == '~' && !ss3 {
		d.add(k[held])
	} else if ss3 {
		switch b {
		case 'M': // Enter of the keypad
			d.add(keyEnter)
		case 'c': // rxvt's Ctrl-Right
			d.add(keyWordRight)
		case 'd':
			d.add(keyWordLeft)
		}
	}
}

// parameters reads "1;5": the number and the modifier, 0 where missing.
func parameters(seq []byte) (number, modifier int) {
	p := [2]int{}
	i := 0
	for _, b := range seq {
		switch {
		case b >= '0' && b <= '9' && p[i] < 1000:
			p[i] = p[i]*10 + int(b-'0')
		case b == ';' && i == 0:
			i = 1
		case b == ';':
			return p[0], p[1]
		}
	}
	return p[0], p[1]
}

// reply passes over what a terminal answers in words (its title, its colours).
func (d *decoder) reply(b byte) {
	n := len(d.seq)
	switch {
	case b == 0x07, b == '\\' && n > 0 && d.seq[n-1] == 0x1b, n > maxReply:
		d.at = onGround
	case b == 0x03 || b == '\r': // none of it: somebody types
		d.at = onGround
		d.byte(b, nil)
	default:
		d.seq = append(d.seq, b)
	}
}

func (d *decoder) add(k key) {
	d.flush(true)
	d.events = append(d.events, event{key: k})
}

// flush hands on the characters collected so far. Unless all is set, a
// character whose last bytes are still to come is kept back.
func (d *decoder) flush(all bool) {
	n := len(d.text)
	if !all {
		n = whole(d.text)
	}
	if s := clean(d.text[:n]); s != "" {
		if k := len(d.events); k > 0 && d.events[k-1].key == keyText {
			d.events[k-1].text += s
		} else {
			d.events = append(d.events, event{keyText, s})
		}
	}
	d.text = append(d.text[:0], d.text[n:]...)
}

// whole returns how many bytes of b are whole characters: all but the
// beginning of one at the end.
func whole(b []byte) int {
	for i := len(b) - 1; i >= 0 && i >= len(b)-utf8.UTFMax; i-- {
		if utf8.RuneStart(b[i]) {
			if utf8.FullRune(b[i:]) {
				break
			}
			return i
		}
	}
	return len(b)
}

// ownRune stands in readline's line for a key that this package acts on
// itself. It is a code point that Unicode reserves for such uses: no text has it.
const ownRune = '\uFDD0'

// clean returns b as characters that may stand in a line: no control
// characters (line ends and tabs become blanks), no code points that stand for
// no character. Invalid UTF-8 becomes U+FFFD.
func clean(b []byte) string {
	ascii := true
	for _, c := range b {
		if c < 0x20 || c >= 0x7f {
			ascii = false
			break
		}
	}
	if ascii {
		return string(b)
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n', r == '\r', r == '\t', r == '\u0085':
			return ' '
		case r < 0x20, r >= 0x7f && r < 0xa0, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
			return -1
		}
		return r
	}, strings.ToValidUTF8(string(b), "\uFFFD"))
}
