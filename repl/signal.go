package repl

import (
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"scalargrad/repl/edit"
)

// deadly watches for the signals that end a batch: the statement that runs is
// stopped, what was answered is written, and the status is 128+n. While the
// batch waits for input there is nothing to write, and it ends at once; and when
// it has not come to its end some time after the signal, because nobody reads
// what it writes, it is ended as it is.
type deadly struct {
	waiting atomic.Bool
	signal  atomic.Int32
}

// watch starts watching, for a signal to call interrupt; the function it returns
// ends that.
func (d *deadly) watch(interrupt func()) (end func()) {
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	for _, s := range []os.Signal{os.Interrupt, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) { // as under nohup, or in the background of a script
			signal.Notify(signals, s)
		}
	}
	go func() {
		for {
			select {
			case sig := <-signals:
				n, _ := sig.(syscall.Signal)
				d.signal.Store(int32(n))
				interrupt()
				if d.waiting.Load() {
					os.Exit(128 + int(n))
				}
				time.AfterFunc(edit.Grace, func() { os.Exit(128 + int(n)) })
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		close(done)
	}
}

// status returns 128+n once signal n has come, else 0.
func (d *deadly) status() int {
	if n := d.signal.Load(); n != 0 {
		return 128 + int(n)
	}
	return 0
}

// wait marks the time during which the batch is only waiting for input.
func (d *deadly) wait(read func() (int, error)) (int, error) {
	d.waiting.Store(true)
	defer d.waiting.Store(false)
	if status := d.status(); status != 0 {
		os.Exit(status)
	}
	return read()
}
