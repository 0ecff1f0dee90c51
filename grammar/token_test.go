package grammar

import (
	"strings"
	"testing"
)

// checkTokens fails the test unless the tokens of line cover it without gaps.
func checkTokens(t *testing.T, line []byte) {
	at := int32(0)
	Tokens(line, func(token Token) bool {
		if token.Span.Start != at || token.Span.End <= at || token.Kind > TokenBad {
			t.Fatalf("%q: %+v behind %d", line, token, at)
		}
		at = token.Span.End
		return true
	})
	if int(at) != len(line) {
		t.Fatalf("%q: the tokens end at %d", line, at)
	}
}

// TestTokens holds lines against the kinds of their tokens, one letter each.
func TestTokens(t *testing.T) {
	letters := map[TokenKind]byte{
		TokenBlank: ' ', TokenKeyword: 'K', TokenName: 'n', TokenFunction: 'f', TokenNode: '@', TokenNumber: '1', TokenOperator: '+',
		TokenAssign: '=', TokenOpen: '(', TokenClose: ')', TokenComma: ',', TokenSemicolon: ';', TokenGrad: 'g', TokenCommand: ':',
		TokenString: 's', TokenWord: 'w', TokenComment: '#', TokenPrompt: '>', TokenBad: '!',
	}
	if len(letters) != int(TokenBad)+1 {
		t.Fatal("a kind of token has no letter")
	}
	for _, row := range []struct{ line, want string }{
		{"", ""},
		{"VAR a = 2, b = 3", "K n = 1, n = 1"},
		{"var a 2;Expr a", "K n 1;K n"},
		{"y = sin(a)**2 # x; y", "n = f(n)+1 #"},
		{"y=f (a)//c", "n=f (n)#"},
		{"GRAD y WRT @5", "K n K @"},
		{"grad(y, a)", "f(n, n)"},
		{"grad (y)", "K (n)"},
		{"a.grad + @2.grad", "ng + @g"},
		{"(a).grad", "(n)!K"},
		{"a .grad", "n !K"},
		{"a.gradient", "n!n"},
		{"x² − 2×y", "n+ + 1+n"},
		{"1e 5e9 1_0 1__0 .5 5.", "! 1 1 ! 1 1"},
		{"1e999", "!"},
		{"a ! “b”", "n ! !n!"},
		{"\uFEFF> a", " > n"},
		{"> > a", "> ! n"},
		{":load \"a; b\" c // d", ": s w #"},
		{":load \"a; b", ": !"},
		{":load 'a'b;a", ": sw;n"},
		{"a; :trace on; b", "n; : w; n"},
		{": trace", ":"},
		{":", ":"},
		{"a : b", "n ! n"},
		{"a + \\\n b\nc", "n + n n"},
		{"a \\ b", "n ! n"},
		{"a\xffb", "n!n"},
		{"@ @0 a⁻", "! ! n!"},
	} {
		var got strings.Builder
		Tokens([]byte(row.line), func(token Token) bool {
			got.WriteByte(letters[token.Kind])
			return true
		})
		if got.String() != row.want {
			t.Errorf("%q:\n got %q\nwant %q", row.line, got.String(), row.want)
		}
		checkTokens(t, []byte(row.line))
	}

	n := 0
	Tokens([]byte("a + b"), func(Token) bool { n++; return n < 2 })
	if n != 2 {
		t.Errorf("Tokens went on for %d tokens", n)
	}
}
