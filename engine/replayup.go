//go:build amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x

package engine

// replayUp is replay for tapes with regions. Like sweepDown it has the commonest
// rows of the table written out, and keeps the value of the node before in a
// register: waiting for it to come back from memory took half the time. The
// cases are tried in order, the commonest first, which takes a fifth less than a
// table of jumps.
func (t *Tape) replayUp(low, high int) {
	slots := (*[MaxNodes + 1]slot)(t.slots[:MaxNodes+1]) // no bounds checks, as in sweepDown
	last := slots[(low-1)&nodeMask].value                // of node i-1
	for i := uint64(low); i < uint64(high); i++ {
		link := slots[i&nodeMask].link
		a, b := link>>xShift, uint64(uint32(link>>yShift)&nodeMask)
		var x, y float64
		if a == i-1 {
			x = last
			y = slots[b].value
		} else {
			x = slots[a].value
			if b == i-1 {
				y = last
			} else {
				y = slots[b].value
			}
		}
		switch op := Op(link & opMask); {
		case op == OpAdd:
			last = x + y
		case op == OpMul:
			last = float64(x * y)
		case op == OpSub:
			last = x - y
		case op == OpDiv:
			last = x / y
		case op == OpReLU:
			last = max(x, 0)
		default:
			last = t.slots[i].again(x, y)
		}
		slots[i&nodeMask].value = last // always: to store only what changed is slower
	}
}
