package grammar

// Span is the half-open range [Start, End) of byte offsets in the source handed
// to Reset or Expression. The zero Span is empty and stands for "absent".
type Span struct{ Start, End int32 }

// Text returns the bytes of src that s covers. It does not copy. src must be
// the source that s was made from, or the call panics.
func (s Span) Text(src []byte) []byte { return src[s.Start:s.End] }

// Len returns the number of bytes that s covers.
func (s Span) Len() int { return int(s.End - s.Start) }

// Empty reports whether s covers no byte.
func (s Span) Empty() bool { return s.Start >= s.End }
