// Package edit reads lines from a person at a terminal.
package edit
