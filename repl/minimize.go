package repl

import (
	"errors"
	"math"
	"slices"

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
	defer s.endProgress()
	m.run()

	if last := len(m.values) - 1; last >= 0 && m.values[last] == m.value {
		m.values = m.values[:last] // it is the end, and not before another step
	}
	r := &descentResult{command: "minimize", of: d.of, steps: len(m.values), evaluations: m.evaluations, values: m.values, value: m.value}
	d.tape.StopOn(nil)
	_ = d.tape.SetAll(d.moving, m.best)
	_ = d.tape.Sweep(d.out)
	for _, n := range d.moving {
		r.slope = max(r.slope, math.Abs(d.tape.Adjoint(n)))
	}
	if r.verdict = m.verdict(r.slope, r.steps); m.stopped {
		r.interrupted(s, r.steps)
	}
	if r.settled, err = s.settle(d.vars, m.best); err == nil && !s.interrupted() {
		s.noteConventions(&r.remarks, slices.Values(s.corners(d.target)))
	}
	return r, err
}

// A minimizer is the problem as gonum sees it, and the best point seen.
type minimizer struct {
	*descent
	session     *Session
	best        []float64
	value       float64   // at best
	values      []float64 // at the start and after each step
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
			if y < m.value && !math.IsInf(y, -1) {
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
func (m *minimizer) verdict(slope float64, steps int) string {
	left := "the largest |derivative| is " + formatNumber(slope, 2)
	flat := slope <= 1e-5*max(1, math.Abs(m.value))
	switch {
	case m.status == optimize.FunctionNegativeInfinity || m.value < -1e100:
		return "no minimum: " + m.of + " falls without end this way"
	case slope == 0 && steps == 0:
		return "every derivative is 0 already: a minimum, a maximum or a saddle (:hessian tells)"
	case m.status == optimize.GradientThreshold:
		return "the slope has vanished: " + left
	case flat:
		return "no lower within rounding: " + left
	case m.status == optimize.FunctionConvergence, m.status == optimize.StepConvergence:
		return m.of + " hardly falls any more: " + left
	case m.status == optimize.FunctionEvaluationLimit:
		return "gave up after " + plural(m.evaluations, "evaluation") + ": " + left
	}
	return "no step from here leads down (a kink, or an edge of the domain): " + left
}
