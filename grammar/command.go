package grammar

// command parses a command; pos is at its colon.
//
//	command  = ":" [ word ] { argument }
//	argument = quoted | word
//
// A quoted argument starts and ends with the same " or '. In it, a backslash
// makes a quote or a backslash plain text; before anything else it stands for
// itself, so that "C:\data" needs no care.
func (p *Parser) command(pos int) (int, *Diagnostic) {
	src, s := p.src, &p.stmt
	colon := pos
	start := skipBlank(src, pos+1)
	pos = scanCommandName(src, pos+1)
	if pos == start {
		return pos, fault("missing-command", colon, colon+1, "the name of a command is missing after the colon", "type :help")
	}
	s.Command, p.end = Span{int32(start), int32(pos)}, pos
	for {
		pos = skipBlank(src, pos)
		if atEnd(src, pos) {
			break
		}
		var arg Arg
		if src[pos] == '"' || src[pos] == '\'' {
			end := quotedEnd(src, pos)
			if end < 0 {
				return pos, fault("missing-quote", pos, pos+1, "this quote is never closed", "type another "+string(src[pos])+" behind the argument")
			}
			arg = Arg{Text: unquote(src[pos+1 : end-1]), Quoted: true, Span: Span{int32(pos), int32(end)}}
		} else {
			end := scanWord(src, pos)
			arg = Arg{Text: string(src[pos:end]), Span: Span{int32(pos), int32(end)}}
		}
		if len(s.Args) == 0 {
			s.Tail.Start = arg.Span.Start
		}
		s.Args = append(s.Args, arg)
		s.Tail.End = arg.Span.End
		pos = int(arg.Span.End)
		p.end = pos
	}
	return pos, nil
}

// scanCommandName returns the end of the command's name that starts at or,
// behind blanks, after pos: letters, digits, _ and -, or, where there is none,
// anything up to a blank.
func scanCommandName(src []byte, pos int) int {
	pos = skipBlank(src, pos)
	end := pos
	for {
		next := scanName(src, end)
		if next > pos && next < len(src) && src[next] == '-' {
			next++
		}
		if next == end {
			break
		}
		end = next
	}
	if end == pos && !atEnd(src, pos) && src[pos] != '"' && src[pos] != '\'' {
		end = scanWord(src, pos)
	}
	return end
}

// scanWord returns the end of the unquoted argument at pos.
func scanWord(src []byte, pos int) int {
	for !atEnd(src, pos) && skipBlank(src, pos) == pos {
		_, n := classAt(src, pos)
		pos += n
	}
	return pos
}

// quotedEnd returns the position behind the quote that closes the one at pos,
// or -1 if the physical line ends before.
func quotedEnd(src []byte, pos int) int {
	quote := src[pos]
	for i := pos + 1; i < len(src) && src[i] != '\n'; {
		switch src[i] {
		case quote:
			return i + 1
		case '\\':
			switch {
			case i+1 < len(src) && escapes(src[i+1]):
				i += 2
			default:
				i += max(joint(src, i), 1)
			}
		default:
			i++
		}
	}
	return -1
}

// escapes reports whether a backslash before c makes it plain text.
func escapes(c byte) bool { return c == '"' || c == '\'' || c == '\\' }

// unquote returns what the inside of a quoted argument means. A continuation in
// it is a blank.
func unquote(inside []byte) string {
	text := make([]byte, 0, len(inside))
	for i := 0; i < len(inside); {
		c := inside[i]
		switch {
		case c == '\\' && i+1 < len(inside) && escapes(inside[i+1]):
			text = append(text, inside[i+1])
			i += 2
			continue
		case c == '\\' && joint(inside, i) > 0 && i+joint(inside, i) < len(inside):
			text = append(text, ' ')
			i += joint(inside, i)
			continue
		}
		text = append(text, c)
		i++
	}
	return string(text)
}
