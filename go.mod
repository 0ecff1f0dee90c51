module scalargrad

go 1.26.0

require (
	github.com/chzyer/readline v1.5.1 // indirect
	golang.org/x/sys v0.50.0 // indirect
	golang.org/x/term v0.48.0 // indirect
)
