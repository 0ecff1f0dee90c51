//go:build !linux && !darwin

package repl

// addressSpace and dataSpace return limits on this process's memory; 0: none is
// known.
func addressSpace() int64 { return 0 }
func dataSpace() int64    { return 0 }
