package engine

import "syscall"

// Without it, a system that counts promised memory refuses large regions.
const mapNoReserve = syscall.MAP_NORESERVE

// adviseHuge asks for pages of 2 MB where b covers them whole. A system without
// such pages refuses; nothing depends on it.
func adviseHuge(b []byte) { _ = syscall.Madvise(b, syscall.MADV_HUGEPAGE) }
