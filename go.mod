module scalargrad

go 1.26.0

require (
	github.com/chzyer/readline v1.5.1
	github.com/fatih/color v1.19.0
	golang.org/x/sys v0.50.0
	golang.org/x/term v0.48.0
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/mattn/go-colorable v0.1.14 // indirect
	github.com/mattn/go-isatty v0.0.20 // indirect
	golang.org/x/tools v0.30.0 // indirect
)
