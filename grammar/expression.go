package grammar

// mode says in what an expression stands, and so what may end it.
type mode uint8

const (
	inExpr mode = iota // the rest of the statement
	inVar              // ends at a comma too, and at a name behind a blank
	inGrad             // ends at WRT too
)

// Entries of the stack that are not operators. Their precedence is 0, lower
// than that of any operator, so that reducing stops at them.
const (
	entryBottom uint8 = 250 + iota // below everything
	entryParen                     // (
	entryCall                      // name(
)

// entry is an operator, a parenthesis or a call that waits for its last
// operand. The operand before an operator needs no stack of its own: its start
// waits here too, and its end is where the operator stands.
type entry struct {
	start      int32 // of the left operand, of a prefix itself, or of the (
	at, end    int32 // the sign, the ( or the function's name
	args       int32 // call: how many arguments are complete
	op         uint8 // index into Operators, or one of the above
	precedence uint8
}

// reduceFrom is, for each infix operator, the lowest precedence on the stack
// that is evaluated before it: its own when it is left-associative, the next
// one otherwise.
var reduceFrom, precedence = func() (from, own [len(Operators)]uint8) {
	for i, o := range Operators {
		own[i] = uint8(o.Precedence)
		from[i] = own[i]
		if o.Right {
			from[i]++
		}
	}
	return from, own
}()

// expression parses the expression at pos, appends its items to p.items and
// returns where it stopped. In inExpr that is the end of the statement.
//
// This is the shunting-yard method: operands go straight to the items,
// operators wait on a stack until one that binds less tightly follows. It
// alternates between two states, before an operand and behind one. Nothing
// recurses, so nesting costs 20 bytes a level and no stack.
//
//	expression = term { ( "+" | "-" ) term }
//	term       = signed { ( "*" | "/" ) signed }
//	signed     = ( "-" | "+" ) signed | power
//	power      = raised [ ( "^" | "**" ) signed ]
//	raised     = primary [ superscript ]
//	primary    = number | name | node | "(" expression ")"
//	           | name "(" [ expression { "," expression } ] ")"
func (p *Parser) expression(pos int, in mode) (int, *Diagnostic) {
	src, items := p.src, p.items

	begin := pos // where the expression begins
	ops := append(p.ops[:0], entry{op: entryBottom})
	depth := 0         // open parentheses
	var start, end int // the operand that was completed last, with its parentheses
	var isRaised bool
	var d *Diagnostic

	look := 1 << 16 // operands until the next look at the stop flag

parse:
	for {
		if look--; look == 0 {
			if d = p.stopped(pos); d != nil {
				break parse
			}
			look = 1 << 16
		}
	operand:
		for {
			k, n := uint8(cEnd), 1
			if pos < len(src) {
				if k = class[src[pos]]; k == cHigh {
					k, n = highClass(src, pos)
				}
			}
			switch k {
			case cBlank:
				pos += n
			case cReturn, cBackslash:
				if n = joint(src, pos); n == 0 {
					d = strayJoint(src, pos)
					break parse
				}
				pos += n
			case cDigit, cDot:
				var v float64
				if v, end, d = number(src, pos); d != nil {
					break parse
				}
				start = pos
				items = append(items, Item{})
				it := &items[len(items)-1]
				it.Kind = Number
				it.Span.Start, it.Span.End = int32(pos), int32(end)
				it.Start, it.End = int32(pos), int32(end)
				it.Value = v
				pos = end
				break operand
			case cLetter:
				start, end = pos, scanName(src, pos)
				if w := keywordOf(src[start:end]); w != noKeyword && !isGradCall(src, start, end) {
					d = p.keywordOperand(start, end)
					break parse
				}
				items = append(items, Item{})
				it := &items[len(items)-1]
				it.Kind = Name
				it.Span.Start, it.Span.End = int32(start), int32(end)
				it.Start, it.End = int32(start), int32(end)
				pos = end
				break operand
			case cOpen:
				ops = append(ops, entry{start: int32(pos), at: int32(pos), end: int32(pos + 1), op: entryParen})
				depth++
				pos++
			case cMinus:
				if ops[len(ops)-1].op == OpPower {
					// The sign of an exponent belongs to its literal.
					lit := skipBlank(src, pos+n)
					if k, _ := classAt(src, lit); k == cDigit || k == cDot {
						var v float64
						if v, end, d = number(src, lit); d != nil {
							break parse
						}
						if !powerFollows(src, end) {
							start = pos
							items = append(items, Item{
								Kind: Number, Span: Span{int32(pos), int32(end)},
								Start: int32(pos), End: int32(end), Value: -v,
							})
							pos = end
							break operand
						}
					}
				}
				ops = append(ops, entry{start: int32(pos), at: int32(pos), end: int32(pos + n), op: OpNeg, precedence: precedence[OpNeg]})
				pos += n
			case cPlus:
				ops = append(ops, entry{start: int32(pos), at: int32(pos), end: int32(pos + n), op: OpPos, precedence: precedence[OpPos]})
				pos += n
			case cAt:
				var v float64
				if v, end, d = nodeNumber(src, pos); d != nil {
					break parse
				}
				start = pos
				items = append(items, Item{
					Kind: Node, Span: Span{int32(pos), int32(end)},
					Start: int32(pos), End: int32(end), Value: v,
				})
				pos = end
				break operand
			case cClose:
				top := &ops[len(ops)-1]
				if top.op == entryCall && top.args == 0 { // f()
					start, end = int(top.at), pos+1
					items = append(items, Item{
						Kind: Call, Span: Span{top.at, top.end},
						Start: int32(start), End: int32(end),
					})
					ops = ops[:len(ops)-1]
					depth--
					pos = end
					break operand
				}
				d = p.missingOperand(ops, begin, pos, k)
				break parse
			default:
				d = p.missingOperand(ops, begin, pos, k)
				break parse
			}
		}
		isRaised = false

		for {
			k, n := uint8(cEnd), 1
			if pos < len(src) {
				if k = class[src[pos]]; k == cHigh {
					k, n = highClass(src, pos)
				}
			}
			var op uint8
			switch k {
			case cBlank:
				pos += n
				continue
			case cReturn, cBackslash:
				if n = joint(src, pos); n == 0 {
					d = strayJoint(src, pos)
					break parse
				}
				pos += n
				continue
			case cPlus:
				op = OpAdd
			case cMinus:
				op = OpSub
			case cStar:
				op = OpMul
				if pos+1 < len(src) && src[pos] == '*' && src[pos+1] == '*' {
					op, n = OpPower, 2
				}
			case cSlash:
				op = OpDiv
				if startsComment(src, pos) {
					k = cEnd
				}
			case cCaret:
				op = OpPower
			case cSuper:
				v, after, bad := raised(src, pos)
				if bad == nil && isRaised {
					bad = raisedTwice(src, pos, after)
				}
				if bad != nil {
					d = bad
					break parse
				}
				items = append(items, Item{
					Kind: Number, Span: Span{int32(pos), int32(after)},
					Start: int32(pos), End: int32(after), Value: v,
				}, Item{
					Kind: Operator, Op: OpPower, Span: Span{int32(pos), int32(after)},
					Start: int32(start), End: int32(after),
				})
				end, pos = after, after
				isRaised = true
				continue
			case cClose:
				items, ops, start = reduce(items, ops, start, end, 1)
				top := &ops[len(ops)-1]
				switch top.op {
				case entryParen:
					start = int(top.start)
				case entryCall:
					start = int(top.at)
					items = append(items, Item{
						Kind: Call, Args: top.args + 1, Span: Span{top.at, top.end},
						Start: int32(start), End: int32(pos + 1),
					})
				default:
					d = fault("extra-paren", pos, pos+1, "this ) closes nothing", "delete it, or put a ( before it")
					break parse
				}
				ops = ops[:len(ops)-1]
				depth--
				pos++
				end = pos
				isRaised = false
				continue
			case cOpen:
				// A name that stands bare before a ( is called.
				if last := &items[len(items)-1]; last.Kind == Name && int(last.Start) == start && int(last.End) == end {
					ops = append(ops, entry{start: int32(pos), at: int32(start), end: int32(end), op: entryCall})
					items = items[:len(items)-1]
					depth++
					pos++
					continue parse
				}
				d = p.adjacent(ops, items, in, start, end, pos)
				break parse
			case cComma:
				items, ops, start = reduce(items, ops, start, end, 1)
				top := &ops[len(ops)-1]
				if top.op == entryCall {
					top.args++
					pos++
					continue parse
				}
				if top.op == entryBottom && in == inVar {
					break parse
				}
				d = p.strayComma(pos)
				break parse
			case cLetter:
				word := src[pos:scanName(src, pos)]
				if w := keywordOf(word); w != noKeyword && !isGradCall(src, pos, pos+len(word)) {
					if depth > 0 {
						d = missingParen(ops)
					} else if w != keywordWRT || in != inGrad {
						d = misplaced(w, pos, pos+len(word))
					}
					break parse
				}
				if in == inVar && depth == 0 && pos > end && !callFollows(src, pos+len(word)) {
					break parse // the next variable
				}
				d = p.adjacent(ops, items, in, start, end, pos)
				break parse
			case cEnd, cSemicolon, cHash, cNewline:
				break parse
			default:
				d = p.unexpected(ops, items, in, start, end, pos, k)
				break parse
			}
			if k == cEnd { // a // comment
				break parse
			}
			if op == OpPower && isRaised {
				d = raisedTwice(src, pos, pos+n)
				break parse
			}
			// What binds more tightly than this operator is evaluated first.
			from := reduceFrom[op]
			for ops[len(ops)-1].precedence >= from {
				top := &ops[len(ops)-1]
				start = int(top.start)
				if top.op != OpPos {
					items = append(items, Item{})
					it := &items[len(items)-1]
					it.Kind, it.Op = Operator, top.op
					it.Span.Start, it.Span.End = top.at, top.end
					it.Start, it.End = top.start, int32(end)
				}
				ops = ops[:len(ops)-1]
			}
			ops = append(ops, entry{})
			top := &ops[len(ops)-1]
			top.start, top.at, top.end = int32(start), int32(pos), int32(pos+n)
			top.op, top.precedence = op, precedence[op]
			pos += n
			continue parse
		}
	}

	if d == nil {
		items, ops, _ = reduce(items, ops, start, end, 1)
		if depth > 0 {
			d = missingParen(ops)
		}
	}
	p.end = end
	p.items, p.ops = items, ops
	return pos, d
}

// reduce moves operators from the stack to the items while their precedence is
// at least from. The operand completed last is [start, end); the start of the
// one that contains everything moved is returned.
func reduce(items []Item, ops []entry, start, end int, from uint8) ([]Item, []entry, int) {
	for ops[len(ops)-1].precedence >= from {
		top := &ops[len(ops)-1]
		start = int(top.start)
		if top.op != OpPos {
			items = append(items, Item{
				Kind: Operator, Op: top.op, Span: Span{top.at, top.end},
				Start: top.start, End: int32(end),
			})
		}
		ops = ops[:len(ops)-1]
	}
	return items, ops, start
}

// powerFollows reports whether the next thing behind pos raises what stands
// before it to a power.
func powerFollows(src []byte, pos int) bool {
	pos = skipBlank(src, pos)
	k, _ := classAt(src, pos)
	return k == cCaret || k == cSuper || k == cStar && pos+1 < len(src) && src[pos] == '*' && src[pos+1] == '*'
}

// callFollows reports whether a ( stands directly behind pos.
func callFollows(src []byte, pos int) bool { return pos < len(src) && src[pos] == '(' }

// isGradCall reports whether the name src[start:end] is grad, the function: in
// lower case, directly before a parenthesis. Any other GRAD is the keyword.
func isGradCall(src []byte, start, end int) bool {
	return string(src[start:end]) == "grad" && callFollows(src, end)
}

// nodeNumber reads the @5 at pos and returns 5 and its end.
func nodeNumber(src []byte, pos int) (float64, int, *Diagnostic) {
	i, v := pos+1, 0.0
	for i < len(src) && src[i]-'0' <= 9 {
		v = v*10 + float64(src[i]-'0')
		i++
	}
	switch {
	case i == pos+1:
		return 0, i, fault("malformed-node", pos, i, "@ needs the number of a node behind it", "type @5 for n5")
	case v == 0 || v > maxNode:
		return 0, i, fault("malformed-node", pos, i, "there is no node "+quote(src[pos:i]), "nodes are counted from @1")
	}
	return v, i, nil
}

// maxNode is the largest number that a node is looked up by: what an int32
// holds, and so exact in an Item's Value.
const maxNode = 1<<31 - 1
