//go:build !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package engine

// The fast loops are for tapes with regions, for which there is no room in 32
// bits: nothing calls them here.

func (t *Tape) sweepDown(Node, uint64) Node { panic("engine: no regions") }

func (t *Tape) replayUp(low, high int) { panic("engine: no regions") }
