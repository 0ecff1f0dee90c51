module scalargrad

go 1.26.0

require (
	github.com/chzyer/readline v1.5.1
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
)
