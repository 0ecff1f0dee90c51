//go:build !unix

package repl

const nonBlocking = 0
