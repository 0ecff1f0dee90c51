package repl

import (
	"fmt"
	"time"

	"scalargrad/grammar"
)

// Limits of --restricted, where the person who runs it names none.
const (
	restrictedNodes = 10_000_000
	restrictedTime  = 10 * time.Second
)

// The most bytes that one answer may have. It is put together in memory, which
// an endless one would fill.
const (
	maxOutput        = 256 << 20
	restrictedOutput = 16 << 20
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

func (o *Options) outputLimit() int {
	if o.Restricted {
		return restrictedOutput
	}
	return maxOutput
}

// outputLimit reports that an answer was cut. What the statement did stays done.
func (r *runner) outputLimit() {
	r.refuse(&grammar.Diagnostic{Span: grammar.Span{Start: int32(r.startAt), End: int32(len(r.source))}, Code: "output-limit",
		Message: fmt.Sprintf("the answer is cut: it is longer than %d MiB, the limit", r.out.limit>>20)}, true)
}
