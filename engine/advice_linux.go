package engine

import "syscall"

// Without it, a system that counts promised memory refuses large regions.
const mapNoReserve = syscall.MAP_NORESERVE

// adviseHuge asks for pages of 2 MB in b, but for its beginning, so that small
// tapes stay small. A first recording, which is mostly the system handing out
// pages, takes half the time.
func adviseHuge(b []byte) {
	const beginning = 2 << 20
	if len(b) > beginning {
		// A system without such pages refuses; nothing depends on it.
		_ = syscall.Madvise(b[beginning:], syscall.MADV_HUGEPAGE)
	}
}
