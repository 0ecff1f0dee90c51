// Package engine differentiates expressions of single numbers by
// backpropagation.
package engine
