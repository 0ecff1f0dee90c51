//go:build !linux && !darwin

package repl

// addressSpace returns the limit on this process's memory; 0: none is known.
func addressSpace() int64 { return 0 }
