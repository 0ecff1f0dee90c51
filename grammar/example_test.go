package grammar_test

import (
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"scalargrad/grammar"
)

func ExampleParser() {
	var p grammar.Parser
	line := []byte("VAR a = 2; y = (a + 1) * a; 2a")
	p.Reset(line)
	for {
		s, ok := p.Next()
		if !ok {
			break
		}
		if s.Err != nil {
			fmt.Printf("%s: %s\n", s.Err.Message, s.Err.Hint)
			continue
		}
		fmt.Printf("%s:", s.Span.Text(line))
		for _, it := range s.Expr {
			fmt.Printf(" %s", it.Span.Text(line))
		}
		fmt.Println()
	}
	// Output:
	// VAR a = 2:
	// y = (a + 1) * a: a 1 + a *
	// "2a" needs a * between the factors: type 2*a
}

func ExampleTokens() {
	line := []byte("y = sin(a) # wave")
	grammar.Tokens(line, func(t grammar.Token) bool {
		if t.Kind != grammar.TokenBlank {
			fmt.Printf("%d:%s ", t.Span.Start, t.Span.Text(line))
		}
		return true
	})
	// Output: 0:y 2:= 4:sin 7:( 8:a 9:) 11:# wave
}

// TestImports keeps this package free of the others: it must not come to know
// what a name means.
func TestImports(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range file.Imports {
			if strings.HasPrefix(spec.Path.Value, `"scalargrad`) || strings.Contains(spec.Path.Value, ".") {
				t.Errorf("%s imports %s", e.Name(), spec.Path.Value)
			}
		}
	}
}
