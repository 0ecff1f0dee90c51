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
		checkEmpty(t, &b)
	}
}

func checkEmpty(t *testing.T, b *bitset) {
	t.Helper()
	for l, words := range b.levels {
		for i, w := range words {
			if w != 0 {
				t.Fatalf("level %d, word %d left behind", l, i)
			}
		}
	}
}

// Runs and single members are there, the levels above say which words are empty,
// and clear takes everything away, also from the array beside.
func TestBitsetRuns(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	edges := []uint32{1, 62, 63, 64, 65, 127, 128, 4094, 4095, 4096, 4097, 8191, 8192, 1<<18 - 1, 1 << 18, 1<<18 + 63, 1<<18 + 64}
	for range 2000 {
		var b bitset
		size := edges[r.IntN(len(edges))] + 1 + r.Uint32N(3)
		b.grow(Node(size))
		have, of := make([]bool, size+1), make([]float64, size+1)
		enter := func(low, high uint32) {
			for n := low; n <= high; n++ {
				have[n], of[n] = true, 1
			}
			b.insertRun(Node(low), Node(high))
		}
		for range 1 + r.IntN(4) {
			at := func() uint32 {
				if r.IntN(2) == 0 {
					return 1 + r.Uint32N(size)
				}
				return min(edges[r.IntN(len(edges))]+r.Uint32N(3), size)
			}
			low, high := at(), at()
			if r.IntN(3) == 0 {
				high = low // alone
			}
			enter(min(low, high), max(low, high))
		}
		greatest := Node(0)
		for n, is := range have {
			if b.has(Node(n)) != is {
				t.Fatalf("size %d: has(%d) is %v", size, n, !is)
			}
			if is {
				greatest = Node(n)
			}
		}
		for l, words := range b.levels[:len(b.levels)-1] {
			for i, w := range words {
				if w != 0 != (b.levels[l+1][i>>levelBits]>>(i&63)&1 != 0) {
					t.Fatalf("size %d: the level above word %d of level %d is wrong", size, i, l)
				}
			}
		}
		b.clear(greatest, of)
		checkEmpty(t, &b)
		for n, v := range of {
			if v != 0 {
				t.Fatalf("size %d: place %d was left", size, n)
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
