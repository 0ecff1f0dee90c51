package engine

import "syscall"

// Without it, a system that counts promised memory refuses large regions.
const mapNoReserve = syscall.MAP_NORESERVE
