package engine

import "math"

// sweepDown visits due nodes from n downwards, up to limit places on the tape,
// and returns the next one due, 0 when none is left.
//
// This loop is where a long sweep spends its time. Each case is the row of the
// table for its operation, written out; a test holds them against each other.
// A switch over so few operations is predicted well and costs no more than
// partial derivatives stored at recording would. One bit of the link, whether y
// depends on a variable, is switched on together with the operation.
//
// In a long expression the next node down is due as a rule, and its adjoint was
// completed by the node before it. It stays in g then: a chain would otherwise
// wait for every store to come back from memory (a third of its time). Nor is
// such a node entered in the set of the reached; the run of nodes from newest
// down to i is, when it ends. For the others, an adjoint that is not 0 says
// that its node has been entered before: the bit is looked at only where it is
// 0, and so adjoints have to be 0 where no sweep has been.
//
// Products are wrapped in float64() lest the compiler fuse them into a sum:
// results are those of the plain order of operations.
func (t *Tape) sweepDown(from Node, limit uint64) Node {
	// As arrays of fixed size they are indexed by 28 bits without a bounds check
	// (a fifth of the time).
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1])
	adjoints := (*[MaxNodes + 1]float64)(t.adjoints[:MaxNodes+1])
	due := (*[(MaxNodes + 1) >> levelBits]uint64)(t.reached.levels[0][:(MaxNodes+1)>>levelBits])
	i, newest := uint64(from), from
	end := uint64(0)
	if i > limit {
		end = i - limit
	}
	for {
		n := uint64(0)
		why := pause
		g := adjoints[i&nodeMask]
	run:
		for i > end {
			i &= nodeMask
			adjoints[i] = g
			link := slots[i].link
			x, y := link&nodeMask, link>>refBits&nodeMask
			var gx, a float64
			switch link >> (opShift - 1) {
			case uint64(opVar) << 1, uint64(opConst) << 1:
				goto next
			case uint64(OpAdd)<<1 | 1:
				if y == i-1 { // the newest goes last: it is next
					x, y = y, x
				}
				gx = g
				a = adjoints[y]
				adjoints[y] = a + g
			case uint64(OpSub)<<1 | 1:
				if y == i-1 {
					x, y = y, x
					gx = -g
					a = adjoints[y]
					adjoints[y] = a + g
					break
				}
				gx = g
				a = adjoints[y]
				adjoints[y] = a - g
			case uint64(OpMul)<<1 | 1:
				if y == i-1 {
					x, y = y, x
				}
				gx = g * slots[y].value
				a = adjoints[y]
				adjoints[y] = a + float64(g*slots[x].value)
			case uint64(OpDiv)<<1 | 1:
				d := slots[y].value
				if y == i-1 {
					x, y = y, x
					gx = -(slots[i].value / d * g)
					a = adjoints[y]
					adjoints[y] = a + float64(g/d)
					break
				}
				gx = g / d
				a = adjoints[y]
				adjoints[y] = a - float64(slots[i].value/d*g)
			case uint64(OpAdd) << 1, uint64(OpSub) << 1:
				gx = g
				goto one
			case uint64(OpMul) << 1:
				gx = g * slots[y].value
				goto one
			case uint64(OpDiv) << 1:
				gx = g / slots[y].value
				goto one
			case uint64(OpNeg)<<1 | 1:
				gx = -g
				goto one
			case uint64(OpReLU)<<1 | 1:
				v := slots[x].value
				if v <= 0 {
					goto next
				}
				if gx = g; v != v {
					gx = v
				}
				goto one
			default:
				why = byTable
				break run // a call in here would have every variable saved on each round
			}
			if math.Float64bits(a) == 0 {
				v := due[y>>levelBits]
				due[y>>levelBits] = v | 1<<(y&63)
				if v == 0 {
					adjoints[y] = 0 // so that the visit can begin again
					n, why = y, firstY
					break
				}
			}
		one:
			a = adjoints[x]
			if x == i-1 {
				i--
				g = gx
				if math.Float64bits(a) != 0 {
					g = a + float64(gx)
				}
				continue
			}
			adjoints[x] = a + float64(gx)
			if math.Float64bits(a) == 0 {
				v := due[x>>levelBits]
				due[x>>levelBits] = v | 1<<(x&63)
				if v == 0 {
					n, why = x, firstX
					break
				}
			}
		next:
			i--
			if g = adjoints[i&nodeMask]; g == 0 && due[i>>levelBits&(nodeMask>>levelBits)]>>(i&63)&1 == 0 {
				why = gap
				break
			}
		}
		switch why {
		case pause:
			adjoints[i&nodeMask] = g
			t.reached.insertRun(Node(i), newest)
			return Node(i)
		case byTable:
			t.visit(Node(i), nil)
			if i--; t.reached.has(Node(i)) {
				continue
			}
		case firstY:
			t.reached.insertAbove(Node(n))
			continue
		case firstX:
			t.reached.insertAbove(Node(n))
			if i--; t.reached.has(Node(i)) {
				continue
			}
		}
		t.reached.insertRun(Node(i+1), newest)
		newest = t.reached.below(Node(i + 1))
		if i = uint64(newest); i == 0 {
			return 0
		}
	}
}

// Why the inner loop of sweepDown was left.
const (
	pause   = iota // to look at the stop flag
	byTable        // the node's operation has no case of its own
	firstX         // x is the first member of its word: tell the levels above
	firstY         // so is y; then visit the node once more
	gap            // the next node down is not due
)
