package repl

import "time"

// Limits of --restricted, where the person who runs it names none.
const (
	restrictedNodes  = 10_000_000
	restrictedTime   = 10 * time.Second
	restrictedOutput = 16 << 20 // bytes of one answer
)

// restrict sets the limits for a script that is not trusted.
func (o *Options) restrict() {
	if o.MaxNodes <= 0 {
		o.MaxNodes = restrictedNodes
	}
	if o.Timeout <= 0 {
		o.Timeout = restrictedTime
	}
}
