//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package engine

import "math"

// sweepDown visits due nodes from n downwards, limit places on the tape or one more,
// and returns the next one due, 0 when none is left.
//
// This loop is where a long sweep spends its time. Each case is the row of the
// table for its operation, written out; a test holds them against each other.
// The cases are tried in order, the commonest first: branches over so few
// operations are predicted well, take a tenth less than a table of jumps, and
// cost no more than partial derivatives stored at recording would. One bit of
// the link, whether y depends on a variable, is looked at together with the
// operation.
//
// In a long expression the next node down is due as a rule, and its adjoint was
// completed by the node before it. It stays in g then: a chain would otherwise
// wait for every store to come back from memory (a third of its time). Nor is
// such a node entered in the set of the reached; the run of nodes from newest
// down to i is, when it ends. For the others, an adjoint that is not 0 says
// that its node has been entered before: the bit is looked at only where it is
// 0, and so adjoints have to be 0 where no sweep has been.
//
// Which parent is next decides where a visit goes on, and each of the three
// ways is written out: exchanging x and y instead cost a tenth. y is handed its
// contribution before x, except that the next node comes last, which shows
// nowhere, since the two are not the same node then.
//
// A sum of products, s = s + w*h over and over, is what neurons are made of. The
// product stands between two sums and gives nothing to the older one: it is visited
// together with the newer, and the adjoint of the older stays in a register
// meanwhile, a quarter of the perceptron's time.
//
// What is rare is at the end of the outer loop, reached by goto: a call in the
// inner loop would have every variable saved on each round.
//
// Products are wrapped in float64() lest the compiler fuse them into a sum:
// results are those of the plain order of operations.
func (t *Tape) sweepDown(from Node, limit uint64) Node {
	// As arrays of fixed size they are indexed by 28 bits without a bounds check
	// (a fifth of the time).
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1])
	adjoints := (*[MaxNodes + 1]float64)(t.adjoints[:MaxNodes+1])
	due := (*dueSet)(t.reached.levels[0][:(MaxNodes+1)>>levelBits])
	i, newest := uint64(from), from
	end := uint64(0)
	if i > limit {
		end = i - limit
	}
	for {
		n, m := uint64(0), uint64(0) // parents whose words were empty
		g := adjoints[i&nodeMask]
		for i > end {
			i &= nodeMask
			adjoints[i] = g
			link := slots[i].link
			x, y := link>>xShift, uint64(uint32(link>>yShift)&nodeMask)
			var gx, gy float64
			op := link & (yLive | opMask)
			if op == uint64(OpAdd)|yLive {
				gx, gy = g, g
			} else if op == uint64(OpMul)|yLive {
				gy = float64(g * slots[x].value)
				gx = float64(g * slots[y].value)
			} else if op == uint64(OpSub)|yLive {
				gx, gy = g, -g
			} else if op == uint64(OpDiv)|yLive {
				d := slots[y].value
				gx, gy = g/d, -float64(slots[i].value/d*g)
			} else { // nothing for y
				if op == uint64(OpReLU)|yLive {
					v := slots[x].value
					if v <= 0 {
						goto next
					}
					if gx = g; v != v {
						gx = v
					}
				} else if op < uint64(OpAdd) { // leaves come in rows: 0.7 ns instead of 1.7
					for i > end && slots[(i-1)&nodeMask].link&opMask < uint64(OpAdd) && math.Float64bits(adjoints[(i-1)&nodeMask]) != 0 {
						i--
					}
					goto next
				} else if op == uint64(OpMul) {
					gx = float64(g * slots[y].value)
				} else if op == uint64(OpAdd) || op == uint64(OpSub) {
					gx = g
				} else if op == uint64(OpDiv) {
					gx = g / slots[y].value
				} else if op == uint64(OpNeg)|yLive {
					gx = -g
				} else {
					goto byTable
				}
				a := adjoints[x]
				if x == i-1 {
					i--
					g = gx
					if math.Float64bits(a) != 0 {
						g += a
					}
					continue
				}
				adjoints[x] = a + gx
				if math.Float64bits(a) == 0 && due.enter(x) {
					n, m = x, x
					goto first
				}
				goto next
			}
			if x == i-1 {
				a := adjoints[y]
				adjoints[y] = a + gy
				i--
				g = gx
				if b := adjoints[x]; math.Float64bits(b) != 0 {
					g += b
				}
				if math.Float64bits(a) == 0 && due.enter(y) {
					n, m = y, y
					goto firstBeforeNext
				}
				continue
			}
			if y == i-1 {
				a := adjoints[x]
				if math.Float64bits(a) != 0 {
					gx += a
				}
				i--
				g = gy
				if b := adjoints[y]; math.Float64bits(b) != 0 {
					g += b
				}
				if x == i-1 { // a sum of products, perhaps
					link := slots[y].link
					p, q := link>>xShift, uint64(uint32(link>>yShift)&nodeMask)
					if link&(yLive|opMask) == uint64(OpMul)|yLive && p != x && q != x {
						adjoints[y] = g
						gp, gq := float64(g*slots[q].value), float64(g*slots[p].value)
						a := adjoints[q]
						adjoints[q] = a + gq
						b := adjoints[p]
						adjoints[p] = b + gp
						i--
						g = gx
						if math.Float64bits(a) == 0 || math.Float64bits(b) == 0 {
							empty := due.enter(q)
							if due.enter(p) || empty {
								n, m = p, q
								goto firstBeforeNext
							}
						}
						continue
					}
				}
				adjoints[x] = gx
				if math.Float64bits(a) == 0 && due.enter(x) {
					n, m = x, x
					goto firstBeforeNext
				}
				continue
			}
			{
				a := adjoints[y]
				adjoints[y] = a + gy
				b := adjoints[x]
				adjoints[x] = b + gx
				if math.Float64bits(a) == 0 || math.Float64bits(b) == 0 {
					empty := due.enter(y)
					if due.enter(x) || empty {
						n, m = x, y
						goto first
					}
				}
			}
		next:
			i--
			if g = adjoints[i&nodeMask]; math.Float64bits(g) == 0 && due[i>>levelBits&(nodeMask>>levelBits)]>>(i&63)&1 == 0 {
				goto gap
			}
		}
		adjoints[i&nodeMask] = g
		t.reached.insertRun(Node(i), newest)
		return Node(i) // to look at the stop flag

	firstBeforeNext: // n and m are, and the next node i is due with the adjoint g
		t.reached.insertAbove(Node(n))
		t.reached.insertAbove(Node(m))
		adjoints[i&nodeMask] = g
		continue
	byTable: // the node's operation has no case of its own
		t.visit(Node(i), nil)
		goto down
	first: // n and m are the first members of their words: tell the levels above
		t.reached.insertAbove(Node(n))
		t.reached.insertAbove(Node(m))
	down:
		if i--; t.reached.has(Node(i)) {
			continue
		}
	gap: // the next node down is not due
		t.reached.insertRun(Node(i+1), newest)
		newest = t.reached.below(Node(i + 1))
		if i = uint64(newest); i == 0 {
			return 0
		}
	}
}

// A dueSet is the lowest level of the set of the reached: a bit a node.
type dueSet [(MaxNodes + 1) >> levelBits]uint64

// enter adds n and reports whether its word was empty: then the levels above
// have to be told.
func (due *dueSet) enter(n uint64) (empty bool) {
	w := &due[n>>levelBits]
	empty = *w == 0
	*w |= 1 << (n & 63)
	return empty
}
