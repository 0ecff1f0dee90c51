package repl

import (
	"math"
	"strconv"
	"sync/atomic"
	"unicode/utf8"
)

// A jsonObject writes one object, field by field, in the order of the calls.
// Numbers have every digit; those that JSON has no way to write are strings.
type jsonObject struct {
	buf   []byte
	limit int          // of len(buf); 0: none
	stop  *atomic.Bool // as that of a sheet
}

func (j *jsonObject) begin() { j.buf = append(j.buf, '{') }
func (j *jsonObject) end()   { j.buf = append(j.buf, '}') }

func (j *jsonObject) comma() {
	if j.stop != nil && j.stop.Load() {
		panic(cut{})
	}
	if j.limit > 0 && len(j.buf) > j.limit {
		panic(cut{full: true})
	}
	if n := len(j.buf); n > 0 && j.buf[n-1] != '{' && j.buf[n-1] != '[' {
		j.buf = append(j.buf, ',')
	}
}

func (j *jsonObject) key(k string) {
	j.comma()
	j.buf = appendJSONString(j.buf, k)
	j.buf = append(j.buf, ':')
}

func (j *jsonObject) str(k, v string) {
	j.key(k)
	j.buf = appendJSONString(j.buf, v)
}

func (j *jsonObject) num(k string, v float64) {
	j.key(k)
	j.buf = appendJSONNumber(j.buf, v)
}

func (j *jsonObject) int(k string, v int) {
	j.key(k)
	j.buf = strconv.AppendInt(j.buf, int64(v), 10)
}

func (j *jsonObject) bool(k string, v bool) {
	j.key(k)
	j.buf = strconv.AppendBool(j.buf, v)
}

// object writes a nested object.
func (j *jsonObject) object(k string, fields func()) {
	j.key(k)
	j.begin()
	fields()
	j.end()
}

// array writes n elements; each call of element writes one (begin … end, or a
// value after comma).
func (j *jsonObject) array(k string, n int, element func(i int)) {
	j.key(k)
	j.buf = append(j.buf, '[')
	for i := range n {
		j.comma()
		element(i)
	}
	j.buf = append(j.buf, ']')
}

func (j *jsonObject) strings(k string, values []string) {
	j.array(k, len(values), func(i int) { j.buf = appendJSONString(j.buf, values[i]) })
}

func (j *jsonObject) nums(k string, values []float64) {
	j.array(k, len(values), func(i int) { j.buf = appendJSONNumber(j.buf, values[i]) })
}

// appendJSONNumber adds the shortest form that reads back as the same float64.
func appendJSONNumber(b []byte, v float64) []byte {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		b = append(b, '"')
		b = appendNumber(b, v, 0)
		return append(b, '"')
	}
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 && (v != 0 || !math.Signbit(v)) {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return strconv.AppendFloat(b, v, 'g', -1, 64)
}

// appendJSONString quotes s. Control characters are escaped, so that the
// output is safe on a terminal too; invalid UTF-8 becomes U+FFFD.
func appendJSONString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '\n':
			b = append(b, '\\', 'n')
		case r == '\t':
			b = append(b, '\\', 't')
		case r < ' ' || r >= 0x7f && r <= 0x9f || r >= 0x2028 && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
			b = append(b, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}
