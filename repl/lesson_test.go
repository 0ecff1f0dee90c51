package repl

import (
	"strings"
	"testing"
)

// fits reports a screen that an 80 by 24 window does not hold, with the prompt.
func fits(t *testing.T, screen string) {
	t.Helper()
	if n := strings.Count(screen, "\n"); n > 23 {
		t.Errorf("%d lines:\n%s", n, screen)
	}
	for l := range strings.Lines(screen) {
		if columns(strings.TrimSuffix(l, "\n")) > 80 && !strings.HasPrefix(l, "note: ") { // a remark is not the lesson's
			t.Errorf("too wide: %s", l)
		}
		if strings.HasSuffix(l, " \n") || strings.Contains(l, "`") {
			t.Errorf("badly wrapped: %q", l)
		}
	}
}

// flat is a text without its line ends and runs of blanks, to look for prose in.
func flat(text string) string { return strings.Join(strings.Fields(plainProse(text)), " ") }

// mistyped are wrong statements at the steps that ask for one, and what is said.
var mistyped = map[string][][2]string{
	"leaves":                           {{"a = 2", "a is a constant"}, {"VAR a = 5", "a is 5"}, {"VAR a = 2", "Still to come: VAR b = 3"}},
	"the graph is the program you ran": {{"s = a * b", "s is something else, a * b."}, {"y = (a + b) * a", "Here it should be: s = a + b"}, {"s = b + a", "y is something else"}, {"(a + b) * a", "y is something else"}},
	"let it run":                       {{"GRAD s", "gradient of s. This step"}, {":vars", ""}},
	"step by step":                     {{":trace s", "steps of s"}, {"GRAD y", "GRAD shows the results"}},
	"who goes first?":                  {{"z = s*a", "Here it should be: z = s*a + s"}, {"z = (a + b)*a + a + b", "Here it should be"}},
	"mistakes worth making":            {{":mistake y", "That was about y"}, {":mistake stale z", "one of them"}},
	"check it on paper":                {{":check z a = 2*a + b", "Not yet"}, {":check z a = 8", "right at one point"}, {":check z", "On paper first"}, {":check y a = 2*a + b", "This step is about z"}},
	"a neuron":                         {{"w = 0.5", "w is a constant"}, {"VAR w = 0.5, x = 2, c = -1", "Still to come: p = sigmoid"}, {"p = sigmoid(w*x)", "p is something else"}},
	"descent":                          {{":descend loss rate=-0.1 steps=5 w c", "has not become smaller"}, {":descend loss rate=1 steps=5", "x moved as well"}},
}

// TestLessonFromStartToEnd plays the whole lesson: at every step all the wrong
// answers it knows, one it does not know, and then the right one.
func TestLessonFromStartToEnd(t *testing.T) {
	s, run := console(t)
	screen := run(":lesson")
	for i := range lessonSteps {
		p := &lessonSteps[i]
		fits(t, screen)
		if !strings.Contains(screen, "lesson "+itoa(i+1)+" of "+itoa(len(lessonSteps))+": "+p.title+"\n") || !strings.Contains(flat(screen), flat(p.text)) {
			t.Fatalf("step %d: %s", i+1, screen)
		}
		var right string
		switch {
		case p.isNumber:
			nodes := s.tape.Len()
			for _, slip := range p.slips {
				out := run(shortest(slip.number))
				fits(t, out)
				if !strings.Contains(flat(out), flat(slip.text)) {
					t.Errorf("step %d: %v: %s", i+1, slip.number, out)
				}
			}
			out := run("-1234.5")
			fits(t, out)
			if !strings.Contains(flat(out), "Not -1234.5. "+flat(p.hint)) || p.hint == "" {
				t.Errorf("step %d: an answer far off: %s", i+1, out)
			}
			right = run(formatNumber(p.number, 3))
			if s.tape.Len() != nodes {
				t.Errorf("step %d: an answer was recorded", i+1)
			}
		default:
			if len(mistyped[p.title]) == 0 {
				t.Errorf("step %d: no wrong statements to test", i+1)
			}
			for _, wrong := range mistyped[p.title] {
				out := run(wrong[0])
				fits(t, out)
				if !strings.Contains(flat(out), wrong[1]) || strings.Contains(out, "Right.") {
					t.Errorf("step %d: %s: %s", i+1, wrong[0], out)
				}
			}
			if p.title == "descent" { // what the wrong descents have moved
				run("VAR w = 0.5, x = 2, c = -1")
			}
			lines := statements(p.makes)
			if p.does != "" {
				lines = []string{p.does}
			}
			for _, line := range lines {
				right = run(line)
			}
		}
		fits(t, right)
		if !strings.Contains(flat(right), "Right. "+flat(p.right)) {
			t.Fatalf("step %d: the right answer: %s", i+1, right)
		}
		if !s.goOn() {
			t.Errorf("step %d: Enter does not go on", i+1)
		}
		if again := run("a*b; VAR b 3"); strings.Contains(again, "Right.") || strings.Contains(again, "Not ") {
			t.Errorf("step %d: it looks at what is typed after the answer: %s", i+1, again)
		}
		screen = run(":lesson next")
	}
	fits(t, screen)
	if !strings.Contains(screen, "you answered "+itoa(len(lessonSteps))+" of its") || s.lesson != nil {
		t.Error(screen)
	}
}

// TestLessonNumbers: the numbers that the lesson asks for and tells are those of
// the tape.
func TestLessonNumbers(t *testing.T) {
	_, run := console(t)
	run("VAR a 2 b 3; s = a + b; y = s*a; z = s*a + s; VAR w 0.5 x 2 c -1; p = sigmoid(w*x + c); loss = (p - 1)^2")
	asked := map[string]string{
		"a node knows its own rule, and no more": "grad(y, s)",
		"every operation has a rule":             "grad(a/b, b)",
		"the seed, and the first shares":         "s",
		"handing on":                             "grad(y, s)*1",
		"add up, never overwrite":                "grad(y, a)",
		"the same parent twice":                  "grad(a*a, a)",
		"wait until all have come":               "grad(z, s)",
		"clear before you sweep":                 "2*grad(a*b, a)",
		"check it by differences":                "0.001*grad(z, a)",
		"backwards from the loss":                "grad(loss, p)",
		"down to the weight":                     "grad(loss, w)",
		"a step downhill":                        "w - 1*grad(loss, w)",
	}
	for i := range lessonSteps {
		p := &lessonSteps[i]
		if !p.isNumber || p.title == "used twice" {
			continue
		}
		out := run(asked[p.title])
		_, value, _ := strings.Cut(strings.TrimSpace(out), " = ")
		if value != formatNumber(p.number, 12) {
			t.Errorf("%s: %s is %s, the lesson says %v", p.title, asked[p.title], value, p.number)
		}
		for _, slip := range p.slips {
			if agreesWith(slip.number, p.number) {
				t.Errorf("%s: %v is among the wrong answers", p.title, slip.number)
			}
		}
	}
	// Told on the way: y's share for s, the neuron's value and slope, 15 and 8 for z.
	for line, want := range map[string]string{"grad(y, b)": "2", "y": "10", "s": "5", "z": "15", "grad(z, a)": "8", "grad(z, b)": "3", "p": "0.5",
		"p*(1 - p)": "0.25", "loss": "0.25", "grad(loss, c)": "-0.25", "grad(loss, x)": "-0.125"} {
		if out := run(line); !strings.HasSuffix(strings.TrimSpace(out), " = "+want) {
			t.Errorf("%s: %s, want %s", line, out, want)
		}
	}
}

// TestLessonWays: back, skip, leave and resume, jumps, and a tape on which
// nothing of what a step needs is there.
func TestLessonWays(t *testing.T) {
	s, run := console(t)
	at := func(line string, n int, parts ...string) {
		t.Helper()
		out := run(line)
		fits(t, out)
		if n > 0 && !strings.Contains(out, "lesson "+itoa(n)+" of ") {
			t.Errorf("%s: not at step %d: %s", line, n, out)
		}
		for _, p := range parts {
			if !strings.Contains(flat(out), p) {
				t.Errorf("%s: %q is not there: %s", line, p, out)
			}
		}
	}
	at(":lesson leave", 0, "there is no lesson to leave")
	at(":lesson back", 0, "this is the first step")
	at(":lesson next", 1)
	at(":lesson skip", 2, "It was VAR a = 2, b = 3", "> VAR a = 2, b = 3 (typed for you)")
	at(":lesson skip", 3, "It was s = a + b and y = s * a", "> y = s * a (typed for you)")
	at(":lesson skip", 4, "It is 2.")
	at("2", 0, "Right.")
	at(":lesson back", 3)
	at(":lesson leave", 0, "goes on at step 3")
	at("5", 0, "5")
	if s.lesson.open || s.latest == 0 || s.tape.Value(s.latest) != 5 {
		t.Error("a number outside of the lesson is an expression")
	}
	at("GRAD y", 0, "a.grad = 7")
	at(":lesson", 3)
	at(":lesson next", 4)
	at(":reset", 0)
	at(":lesson 20", 20, "VAR w = 0.5, x = 2, c = -1 (typed for you)", "loss = 0.25")
	at(":undo", 0, "loss")
	at(":lesson 13", 13, "> z = s*a + s (typed for you)")
	at("1; 3", 0, "Not 1.", "Right.")
	at(":lesson list", 0, "* 4 a node knows", "> 13 wait until")
	at(":lesson 0", 0, "steps 1 to "+itoa(len(lessonSteps)))
	at(":lesson on", 0, "does not take")
	at(":lesson 1 2", 0, "does not take")
	at(":lesson "+itoa(len(lessonSteps)), len(lessonSteps))
	at(":lesson skip", 0, "It was :descend", "you answered 2 of its")
	at(":lesson", 1)

	s, run = console(t)
	run("VAR s = 1; a = s^2; y = 1")
	at(":lesson", 1, "names that you have already: a, s and y")
	at("VAR b = 3", 0, "a is taken.")
	at(":lesson 4", 4, "The lesson cannot make what this step needs")
	if s.tape.Value(s.symbols["s"].node) != 1 {
		t.Error("the lesson has changed a name of the user's")
	}
}

// TestLessonForPrograms: as JSON, a step is fields.
func TestLessonForPrograms(t *testing.T) {
	j := jsonObject{}
	j.begin()
	(&lessonResult{state: "ask", at: 3}).writeJSON(&j)
	j.end()
	for _, part := range []string{`"step":4`, `"state":"ask"`, `"title":"a node knows`, `"question":"What is the local derivative`} {
		if !strings.Contains(string(j.buf), part) {
			t.Errorf("%s is not in %s", part, j.buf)
		}
	}
}
