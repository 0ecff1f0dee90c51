//go:build !unix || !(amd64 || arm64 || loong64 || ppc64le || riscv64 || s390x)

package engine

// A region is address space set aside for one growing array; this system has
// none to offer, so the arrays are ordinary slices.
type region struct{}

func reserve[T any](n, number int) ([]T, region) { return nil, region{} }

func preferLarge[T any]([]T) {}

func (region) release() {}
