package repl

import "scalargrad/engine"

// A lessonStep is one screen of the lesson: it says one thing, and asks for one. What
// it asks for is a number, or things to be on the tape (makes), or a statement
// whose answer is recognized (done).
type lessonStep struct {
	title string
	text  string // paragraphs, a line each
	needs []fact // what has to be on the tape before; what is not is typed for the learner
	ask   string // the question where a number is wanted, what to type where a statement is

	isNumber bool
	number   float64
	slips    []slip // wrong numbers that tell what was done

	makes []fact

	does string // a statement that answers the step
	done func(s *Session, r Result) (ok bool, slip string)

	hint  string // after an answer that tells nothing
	right string
}

// A fact is a variable with a value, or a named expression. Its statement makes it.
type fact struct {
	name    string
	formula string // "" for a variable
	value   float64
}

// A slip is a wrong answer, and what the learner probably did.
type slip struct {
	number float64
	text   string
}

var (
	ab     = []fact{{name: "a", value: 2}, {name: "b", value: 3}}
	sy     = []fact{{name: "s", formula: "a + b"}, {name: "y", formula: "s * a"}}
	zed    = []fact{{name: "z", formula: "s*a + s"}}
	neuron = []fact{{name: "w", value: 0.5}, {name: "x", value: 2}, {name: "c", value: -1},
		{name: "p", formula: "sigmoid(w*x + c)"}, {name: "loss", formula: "(p - 1)^2"}}
)

// join puts lists of facts in a row.
func join(lists ...[]fact) (all []fact) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

// lessonSteps are the lesson, from the first to the last.
var lessonSteps = []lessonStep{
	{
		title: "leaves",
		text: "You know how to differentiate a formula. This tour shows how a program does it: not from the formula, but from the operations that were carried out, one at a time. It takes about a quarter of an hour, on your own tape.\n" +
			"It begins with variables. Each is a leaf: a value that nothing stands behind. Make two.",
		makes: ab,
		right: "Two leaves. Whatever is computed from them will remember where it came from.",
	},
	{
		title: "the graph is the program you ran",
		text: "An operation is carried out at once, and recorded as a node: which operation it was, its value, and the nodes that it was computed from, its parents. No formula is kept, only what was done.\n" +
			"Make two nodes, one for each operation of (a + b) * a.",
		needs: ab, makes: sy,
		right: "s has the value 5 and the parents a and b, y has the value 10 and the parents s and a. Nodes and parents: that is the graph.",
	},
	{
		title: "used twice",
		text: "Derivatives will go from y to its parents, from those to theirs, and so on down to the variables. A node that is used in several places is reached on several ways.\n" +
			"Have a look: `:graph y` draws it.",
		needs: join(ab, sy),
		ask:   "How many operations use a as a parent?", isNumber: true, number: 2,
		slips: []slip{{1, "One more: a is added in s, and it is a factor of y."}, {3, "There are only two operations, s and y, and b is used by one of them."}},
		hint:  "Go through the operations, s and y: which of them has a for a parent?",
		right: "s and y both use it, and it is one node. So two ways lead from y to a: a direct one, and one by way of s.",
	},
	{
		title: "a node knows its own rule, and no more",
		text: "If s alone moves a little, y = s * a moves a times as much. That is the local derivative of a product by one factor: the other factor. To tell it, y needs to look at its parents' values, and at nothing else.\n" +
			"Here a = 2, b = 3, s = 5.",
		needs: join(ab, sy),
		ask:   "What is the local derivative of y = s * a by s?", isNumber: true, number: 2,
		slips: []slip{{5, "5 is s: that is the one by a. By s it is the other factor."}, {1, "That would be a sum's. y is a product."}, {10, "10 is y itself, the product. Its derivative by one factor is the other factor."}},
		hint:  "It is the other factor: the one that is not s.",
		right: "By s it is a = 2, and by a it is s = 5. `:explain y` shows both.",
	},
	{
		title: "every operation has a rule",
		text: "A sum has the local derivatives 1 and 1, a product has the other factor, and the quotient a / b has 1/b by a. By b it takes a little more.\n" +
			"The answer may be a fraction, as 5/7 would be.",
		needs: ab,
		ask:   "What is the local derivative of a / b by b, where a = 2 and b = 3?", isNumber: true, number: -2. / 9,
		slips: []slip{{2. / 9, "The size is right. But when b grows, a / b shrinks."}, {-2. / 3, "That is -a/b. The b needs its square."}, {1. / 3, "1/b is the one by a."},
			{-1. / 9, "That is the derivative of 1/b. There is an a above it."}, {2. / 3, "That is the value of a / b."}},
		hint:  "a / b is a * b^-1, and b^-1 has the derivative -b^-2.",
		right: "-a/b^2 = -2/9. All functions have such a rule, and `:help functions` lists them.",
	},
	{
		title: "the seed, and the first shares",
		text: "The backward sweep asks of each node: how much does y move when this node does? The answer is the node's gradient, also called its adjoint. For y itself it is 1, and this 1 is the seed.\n" +
			"Then y hands a share to each parent: its own gradient times the local derivative.",
		needs: join(ab, sy),
		ask:   "y = s * a with s = 5 and a = 2. What does y hand to its parent a?", isNumber: true, number: 5,
		slips: []slip{{2, "2 is what s gets. For a the other factor counts, and that is s."}, {7, "You are ahead: 7 will be the sum of all that comes to a. How much of it is from y?"}, {1, "1 is the gradient of y. It is multiplied by the local derivative."}},
		hint:  "The gradient of y is 1, and the local derivative of s * a by a is s.",
		right: "a gets 1 * 5 = 5, and s gets 1 * 2 = 2.",
	},
	{
		title: "handing on",
		text: "s is used by y only, so its gradient is complete: s.grad = 2. When s moves a little, y moves twice as much.\n" +
			"Now s = a + b does what y did: it hands each parent its own gradient times the local derivative.",
		needs: join(ab, sy),
		ask:   "What does s hand to b?", isNumber: true, number: 2,
		slips: []slip{{1, "1 is the local derivative of the sum. It is multiplied by s.grad."}, {3, "3 is the value of b. A sum does not look at values: its local derivatives are 1."}, {6, "6 would be 2 * b. The local derivative of a sum is 1."}},
		hint:  "s.grad times the local derivative of a + b by b, which is 1.",
		right: "2 * 1 = 2, for b and for a as well. That was the chain rule: nobody multiplied along a whole path, each node did its own step.",
	},
	{
		title: "add up, never overwrite",
		text: "Two shares have come to a by now: 5 from y, and 2 from s.\n" +
			"When a moves, y moves for both reasons at once.",
		needs: join(ab, sy),
		ask:   "What is a.grad?", isNumber: true, number: 7,
		slips: []slip{{2, "That is the later share, put in the place of the earlier. Both count."}, {5, "That is the share from y. The way through s counts too."}, {10, "Along one way factors are multiplied. Shares that come on different ways are added."}},
		hint:  "Both shares count, so they are added.",
		right: "5 + 2 = 7. In code it is a += and not an =. (The formula agrees: y = a^2 + a*b has the derivative 2*a + b by a, and that is 7.)",
	},
	{
		title: "let it run",
		text:  "That was a backward sweep, by hand. GRAD does one for you. It goes over the nodes once, and ends with the derivatives by all the variables, be there two or a million.",
		needs: join(ab, sy),
		ask:   "GRAD y", does: "GRAD y",
		done:  gradientOf("y"),
		right: "7 and 2, as you found. The whole sweep costs about as much as computing y a few times, not once more for every variable.",
	},
	{
		title: "step by step",
		text:  "A trace shows a sweep as it goes: a row for each node, newest first, with what its parents get. Find your own steps in it: the seed, the shares, and the sum at the end.",
		needs: join(ab, sy),
		ask:   ":trace y", does: ":trace y",
		done:  traceOf("y"),
		right: "`a gets s*1 = 5` reads: the local derivative, s, times the gradient of the row's node, 1. `:trace on` shows the steps at every GRAD.",
	},
	{
		title: "the same parent twice",
		text:  "In a * a both parents are the same node. The rule of a product does not notice: it hands one share to the left factor and one to the right.",
		needs: ab,
		ask:   "a = 2. What is a.grad for a * a?", isNumber: true, number: 4,
		slips: []slip{{2, "2 is the share of one factor. Both factors are a."}, {1, "Each factor's share is the other factor, times the seed 1."}},
		hint:  "Each factor gets the other one, times the seed 1, and both shares go to a.",
		right: "2 + 2 = 4. Squares need no rule of their own, as long as shares are added up.",
	},
	{
		title: "who goes first?",
		text:  "So far only variables were used twice, and they hand nothing on. It gets more interesting when an operation is. Let a product use s, and a sum as well.",
		needs: join(ab, sy[:1]), makes: zed,
		right: "z = 15, and s has two consumers: the product s*a, and z itself.",
	},
	{
		title: "wait until all have come",
		text:  "z hands 1 to the product and 1 to s. The product hands its gradient times a, that is 2, to s. If s handed on as soon as the first share arrived, it would hand on too little; the other one would come too late.",
		needs: join(ab, sy[:1], zed),
		ask:   "What is s.grad when it is complete?", isNumber: true, number: 3,
		slips: []slip{{1, "That is the share from z alone. The product s*a has one for s too."}, {2, "That is the share from the product. z itself uses s too."}, {5, "5 is the value of s."}},
		hint:  "One share is 1, the other is 2.",
		right: "1 + 2 = 3, and then s hands 3 to a and to b. From the newest node to the oldest is an order that always works: whatever uses a node was made after it.",
	},
	{
		title: "mistakes worth making",
		text:  "Here are eight bugs that people write into their first backward sweep. Run them all on z, and see what each would have answered.",
		needs: join(ab, sy[:1], zed),
		ask:   ":mistake z", does: ":mistake z",
		done:  mistakeOf("z"),
		right: "Some answers are right by luck: without a division, no rule for divisions can fail. So a test of one expression proves little. `:mistake revisit z` shows where a bug goes wrong, and so for each name.",
	},
	{
		title: "clear before you sweep",
		text: "The last row of that table deserves a look. Shares are added to what is there, so somebody has to set all gradients to 0 before a sweep. Suppose that nobody does.\n" +
			"In a * b, a gets b = 3 from a sweep.",
		needs: ab,
		ask:   "After two sweeps of a * b without clearing, what is a.grad?", isNumber: true, number: 6,
		slips: []slip{{3, "That is what it should be. But the second share is added to the first."}, {9, "The shares are added, not multiplied."}},
		hint:  "Each of the two sweeps adds 3.",
		right: "3 + 3 = 6, wrong from the second sweep on. GRAD always starts from 0; in a training loop of your own, clearing is yours to remember.",
	},
	{
		title: "check it on paper",
		text: "Is z.grad right? One way to know is to differentiate by hand. Without s it is `z = (a + b)*a + a + b`\n" +
			"Find its derivative by a, as a formula in a and b, and hand it in behind the = sign. It is held against the tape, here and at 20 points nearby.",
		needs: join(ab, sy[:1], zed),
		ask:   ":check z a = your formula", does: ":check z a = 2*a + b + 1",
		done:  checkedOnPaper,
		hint:  "(a + b)*a is a^2 + a*b.",
		right: "Two ways that know nothing of each other agree, and not at one point only.",
	},
	{
		title: "check it by differences",
		text:  "The other way needs no calculus at all: move a variable a little, and see how far the result goes. For z at a = 2, the tape says a.grad = 8.",
		needs: join(ab, sy[:1], zed),
		ask:   "By how much will z grow, about, if a goes from 2 to 2.001?", isNumber: true, number: 0.008,
		slips: []slip{{8, "8 is how much it grows for each unit of a. This is a thousandth of one."}, {15.008, "That is where z arrives. How far has it come from 15?"}, {0.001, "That is how far a moves. z moves 8 times as much."}},
		hint:  "a.grad times the way that a goes.",
		right: "8 * 0.001. The other way round, the growth divided by 0.001 is about 8: `:check z` measures every derivative like that. It takes new values of z for each variable; a sweep takes one pass for all of them.",
	},
	{
		title: "a neuron",
		text:  "Nothing new is needed for a neural network. This is one neuron with one input x, a weight w and a bias c. Its answer is p, and since it should have been 1, the loss says how far off p is.",
		makes: neuron,
		right: "w*x + c is 0, in the middle of the curve, so p = 0.5. The rule of sigmoid is p*(1 - p), here 0.25.",
	},
	{
		title: "backwards from the loss",
		text:  "loss = (p - 1)^2, with p = 0.5. The sweep starts with loss.grad = 1, and the first thing to find is the gradient of p.",
		needs: neuron,
		ask:   "What is p.grad?", isNumber: true, number: -1,
		slips: []slip{{1, "The size is right. But p - 1 is negative: when p grows, the loss shrinks."}, {-0.5, "That is p - 1. A square has the factor 2."}, {0.25, "0.25 is the loss. Its derivative is 2*(p - 1)."}},
		hint:  "The derivative of (p - 1)^2 by p is 2*(p - 1).",
		right: "2 * (0.5 - 1) = -1: a little more p makes the loss smaller.",
	},
	{
		title: "down to the weight",
		text: "p = sigmoid(w*x + c) hands on -1 * 0.25 = -0.25. The sum w*x + c hands that on to both its parents, the product w*x and the bias c.\n" +
			"Here w = 0.5 and x = 2.",
		needs: neuron,
		ask:   "The product w*x has the gradient -0.25. What is w.grad?", isNumber: true, number: -0.5,
		slips: []slip{{-0.25, "That has come to the product. It is multiplied by the product's local derivative by w."}, {0.5, "The size is right, but -0.25 keeps its sign."}, {-0.125, "That is what x gets. For w the other factor counts, and that is x."}},
		hint:  "The local derivative of w*x by w is x.",
		right: "-0.25 * 2 = -0.5, and c.grad is -0.25. This is all of backpropagation, however many layers there are. `GRAD loss w, c` says the same.",
	},
	{
		title: "a step downhill",
		text:  "w.grad = -0.5: a little more w makes the loss a little smaller. Gradient descent moves every weight against its gradient: `w - rate * w.grad`",
		needs: neuron,
		ask:   "With rate = 1, where does w = 0.5 go?", isNumber: true, number: 1,
		slips: []slip{{0, "That is uphill: 0.5 + 1 * -0.5. Descent takes the gradient away."}, {-0.5, "That is the gradient. It is taken away from w."}, {0.5, "That is how far it goes. It starts at 0.5."}},
		hint:  "0.5 - 1 * (-0.5).",
		right: "0.5 - 1 * (-0.5) = 1.",
	},
	{
		title: "descent",
		text:  "Forward for the loss, backward for the gradients, a step; and again. That is how a network is trained, and you know every part of it. Let w and c learn; x is the input and stays as it is.",
		needs: neuron,
		ask:   ":descend loss rate=1 steps=50 w c", does: ":descend loss rate=1 steps=50 w c",
		done:  descended,
		right: "The loss went down from 0.25, and p went up to meet its 1: `p` shows how far.",
	},
}

// nameIs reports whether the session calls node n so.
func (s *Session) nameIs(n engine.Node, name string) bool { return s.symbols[name].node == n }

func gradientOf(name string) func(*Session, Result) (bool, string) {
	return func(s *Session, r Result) (bool, string) {
		g, ok := r.(*gradientResult)
		switch {
		case !ok:
			return false, ""
		case !s.nameIs(g.target, name):
			return false, "That was the gradient of " + g.name + ". This step is about " + name + "."
		}
		return true, ""
	}
}

func traceOf(name string) func(*Session, Result) (bool, string) {
	return func(s *Session, r Result) (bool, string) {
		var g *gradientResult
		switch r := r.(type) {
		case *steps:
			g = r.gradientResult
		case *gradientResult:
			g = r
		}
		switch {
		case g == nil:
			return false, ""
		case !s.nameIs(g.target, name):
			return false, "Those were the steps of " + g.name + ". This step is about " + name + "."
		case g.trace == nil:
			return false, "GRAD shows the results; the trace shows how they come about."
		}
		return true, ""
	}
}

func mistakeOf(name string) func(*Session, Result) (bool, string) {
	return func(s *Session, r Result) (bool, string) {
		m, ok := r.(*mistakeResult)
		switch {
		case !ok:
			return false, ""
		case !s.nameIs(m.flow.origin[m.flow.target], name):
			return false, "That was about " + m.of + ". This step is about " + name + "."
		case m.alone:
			return false, "That is one of them. Without a name of a mistake, all come in a table."
		}
		return true, ""
	}
}

func checkedOnPaper(s *Session, r Result) (bool, string) {
	switch r := r.(type) {
	case *formulaResult:
		switch {
		case r.of != "z" || r.name != "a":
			return false, "This step is about z, differentiated by a."
		case !r.agrees:
			return false, "Not yet. Take it in parts: (a + b)*a is a^2 + a*b, and then there is a + b."
		}
		return true, ""
	case *numberResult:
		return false, "A number is right at one point. A formula, in a and b, can be right everywhere."
	case *checkResult:
		return false, "That is the next step already. On paper first: your formula goes behind the = sign."
	}
	return false, ""
}

func descended(s *Session, r Result) (bool, string) {
	if d, ok := r.(*descentResult); !ok || d.kind() != "descend" {
		return false, ""
	}
	loss, x := s.symbols["loss"].node, s.symbols["x"].node
	switch {
	case loss == 0 || x == 0:
		return false, ""
	case s.tape.Value(loss) >= 0.25:
		return false, "The loss has not become smaller. The rate should be positive, and not too large."
	case s.tape.Value(x) != 2:
		return false, "The loss fell, but x moved as well. An input is given: name what may learn, w and c."
	}
	return true, ""
}
