package engine

import (
	"math/rand/v2"
	"testing"
)

// A bitset is held against a map, with members in one word, in neighbouring
// words, and so far apart that the search goes through every level and along
// the words of the top one.
func TestBitset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, spread := range []uint32{64, 300, 1 << 13, 1 << 19, MaxNodes} {
		var b bitset
		b.grow(Node(spread))
		have := map[Node]bool{}
		below := func(n Node) (most Node) {
			for m := range have {
				if m < n {
					most = max(most, m)
				}
			}
			return most
		}
		for range 400 {
			n := Node(1 + r.Uint32N(spread))
			switch r.IntN(3) {
			case 0, 1:
				b.insert(n)
				have[n] = true
			default:
				if m := below(n); m != 0 { // a member, not often hit by chance
					b.remove(m)
					delete(have, m)
				}
			}
			n = Node(1 + r.Uint32N(spread))
			if got, want := b.below(n), below(n); got != want {
				t.Fatalf("below(%d) = %d, want %d", n, got, want)
			}
			if b.has(n) != have[n] {
				t.Fatalf("has(%d) = %v", n, b.has(n))
			}
		}
		// Emptied from the top it meets every member once, and nothing is left.
		for n := b.below(Node(spread) + 1); n != 0; n = b.below(n) {
			if !have[n] {
				t.Fatalf("%d is not a member", n)
			}
			delete(have, n)
			b.remove(n)
		}
		if len(have) != 0 {
			t.Fatalf("not met: %v", have)
		}
		for l, words := range b.levels {
			for i, w := range words {
				if w != 0 {
					t.Fatalf("level %d, word %d left behind", l, i)
				}
			}
		}
	}
}

// Members that grow leaves where they are.
func TestBitsetGrow(t *testing.T) {
	var b bitset
	want := []Node{1, 64, 4096, 1 << 18, 1 << 24, MaxNodes}
	for _, n := range want {
		b.grow(n)
		b.insert(n)
	}
	n := Node(MaxNodes)
	for i := len(want) - 1; i >= 0; i-- {
		if n != want[i] || !b.has(n) {
			t.Fatalf("met %d, want %d", n, want[i])
		}
		n = b.below(n)
	}
	if n != 0 {
		t.Fatalf("met %d below all", n)
	}
}
