package repl

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/optimize"
)

// maxEvaluations is where :minimize gives up.
const maxEvaluations = 100_000

// runMinimize is :minimize: the L-BFGS method on a copy of the tape. The session
// gets the best values found, also when it was interrupted.
func (s *Session) runMinimize(c *call) (Result, error) {
	d, err := s.newDescent(c, s.fields(c.Tail))
	if err != nil {
		return nil, err
	}
	m := &minimizer{descent: d, session: s, best: append([]float64(nil), d.x...), value: d.value()}
	m.run()

	r := &descentResult{command: "minimize", of: d.of, steps: len(m.values), evaluations: m.evaluations, values: m.values, value: m.value}
	d.tape.StopOn(nil)
	_, _ = d.tape.SetAll(d.moving, m.best)
	_ = d.tape.Sweep(d.out)
	for _, n := range d.moving {
		r.slope = max(r.slope, math.Abs(d.tape.Adjoint(n)))
	}
	if r.verdict = m.verdict(r.slope); m.stopped {
		r.interrupted(s, r.steps, 0)
	}
	r.settled, err = s.settle(d.vars, m.best)
	return r, err
}

// A minimizer is the problem as gonum sees it, and the best point seen.
type minimizer struct {
	*descent
	session     *Session
	best        []float64
	value       float64   // at best
	values      []float64 // at each step, before it was taken
	evaluations int
	stopped     bool
	status      optimize.Status
	err         error
}

var errStop = errors.New("stopped")

func (m *minimizer) run() {
	problem := optimize.Problem{
		Func: func(x []float64) float64 {
			m.evaluations++
			y := m.at(x)
			if y < m.value {
				m.value = y
				copy(m.best, x)
			}
			if math.IsNaN(y) {
				return math.Inf(1) // outside of the domain: as bad as can be, so the line search comes back
			}
			return y
		},
		Grad: func(grad, x []float64) {
			m.at(x)
			if !m.stopped && m.tape.Sweep(m.out) != nil {
				m.stopped = true
			}
			for i, n := range m.moving {
				grad[i] = m.tape.Adjoint(n)
			}
		},
		Status: func() (optimize.Status, error) {
			if m.stopped || m.session.interrupted() {
				m.stopped = true
				return optimize.Failure, errStop
			}
			return optimize.NotTerminated, nil
		},
	}
	settings := &optimize.Settings{
		GradientThreshold: 1e-12,
		FuncEvaluations:   maxEvaluations,
		Converger:         &optimize.FunctionConverge{Relative: 1e-15, Iterations: 30},
		Recorder:          m,
	}
	start := append([]float64(nil), m.x...)
	result, err := optimize.Minimize(problem, start, settings, &optimize.LBFGS{})
	m.err = err
	if result != nil {
		m.status = result.Status
	}
}

// at returns the target's value at x.
func (m *minimizer) at(x []float64) float64 {
	if m.stopped {
		return math.NaN()
	}
	for _, v := range x {
		if !finite(v) {
			return math.NaN()
		}
	}
	if m.move(x) != nil {
		m.stopped = true
		return math.NaN()
	}
	return m.descent.value()
}

// Init is part of gonum's interface of a recorder.
func (m *minimizer) Init() error { return nil }

// Record keeps the value of each step.
func (m *minimizer) Record(at *optimize.Location, what optimize.Operation, _ *optimize.Stats) error {
	if what != optimize.MajorIteration {
		return nil
	}
	m.values = append(m.values, at.F)
	m.session.reportProgress(func() string {
		return "step " + grouped(len(m.values)) + "   " + m.of + " = " + formatNumber(at.F, m.session.digits) + "   " + sparkline(m.values, 24)
	})
	return nil
}

// verdict says how the search ended, given the largest |derivative| there.
func (m *minimizer) verdict(slope float64) string {
	flat := ": the largest |derivative| is " + formatNumber(slope, 2)
	small := slope <= 1e-5*max(1, math.Abs(m.value))
	switch {
	case math.IsInf(m.value, -1) || m.status == optimize.FunctionNegativeInfinity || m.value < -1e290:
		return "no minimum: " + m.of + " falls without end this way"
	case m.status == optimize.GradientThreshold, small:
		return "a minimum, as well as float64 can tell" + flat
	case m.status == optimize.FunctionConvergence, m.status == optimize.StepConvergence:
		return m.of + " falls no further" + flat
	case m.status == optimize.FunctionEvaluationLimit:
		return "gave up after " + plural(m.evaluations, "evaluation") + flat
	}
	return "stopped at a point from which no step leads down (a kink, or the edge of the domain)" + flat
}
