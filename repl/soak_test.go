package repl

import (
	"flag"
	"io"
	"math/rand/v2"
	"runtime"
	"testing"
)

var soak = flag.Int("soak", 30_000, "how many statements TestSoak runs")

// TestSoak runs statements by the thousand, with a :reset now and then, and
// holds the memory after each to that after the first ones:
//
//	go test ./repl -run Soak -soak 1000000 -v
func TestSoak(t *testing.T) {
	const between = 5_000 // statements between two resets
	r := batch(Options{}, io.Discard)
	r.keep = true // as at a prompt, where most is kept
	s := &speaker{model: newModel(), random: rand.New(rand.NewPCG(1, 1))}
	goroutines := runtime.NumGoroutine()
	var first, last uint64
	for n := range *soak {
		if n%between == between-1 {
			*s.model = *newModel()
			r.Eval([]byte(":reset"), 1, r.emitResult)
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			if last = m.HeapAlloc; n < 3*between {
				first = max(first, last)
			}
			if len(s.operations) > 0 || r.tape.Len() > 0 {
				t.Fatal("something was left on the tape")
			}
			continue
		}
		text, _ := s.statement()
		if text == ":reset" {
			text = "0.5" // the model has begun anew; so do we
			*s.model = *newModel()
			r.Eval([]byte(":reset"), 1, r.emitResult)
		}
		r.Eval([]byte(text), 1, r.emitResult)
		r.out.flush()
	}
	t.Logf("%s statements: heap %d KB after the first resets, %d KB after the last", grouped(*soak), first>>10, last>>10)
	if last > first+first/4+1<<20 {
		t.Errorf("the heap has grown from %d to %d bytes", first, last)
	}
	for i := 0; runtime.NumGoroutine() > goroutines && i < 100; i++ {
		runtime.Gosched()
		runtime.GC()
	}
	if n := runtime.NumGoroutine(); n > goroutines {
		t.Errorf("%d goroutines are left", n-goroutines)
	}
}
