// Package process runs a program with a time limit, so that no process of it outlives the call.
package process

import (
	"fmt"
	"strings"
	"sync"
	"unicode/utf8"
)

// BoundedOutput is output of a process; it keeps the beginning and the end. It is safe for
// concurrent use.
type BoundedOutput struct {
	mutex sync.Mutex
	half  int
	total int
	head  []byte
	// tail is a ring of at most half bytes, whose oldest is at start.
	tail  []byte
	start int
}

// NewBoundedOutput returns a buffer of at most maxBytes, and one more for an odd number.
func NewBoundedOutput(maxBytes int) *BoundedOutput { return &BoundedOutput{half: (maxBytes + 1) / 2} }

// Total returns the number of bytes received so far.
func (o *BoundedOutput) Total() int {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.total
}

// Write adds output. It never fails.
func (o *BoundedOutput) Write(chunk []byte) (int, error) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	o.total += len(chunk)
	first := min(len(chunk), o.half-len(o.head))
	o.head = append(o.head, chunk[:first]...)
	rest := chunk[first:]
	rest = rest[max(0, len(rest)-o.half):]
	if free := min(len(rest), o.half-len(o.tail)); free > 0 {
		o.tail = append(o.tail, rest[:free]...)
		rest = rest[free:]
	}
	for len(rest) > 0 {
		copied := copy(o.tail[o.start:], rest)
		o.start = (o.start + copied) % o.half
		rest = rest[copied:]
	}
	return len(chunk), nil
}

// Text returns the text, with a label in place of the omitted part. Bytes that are no UTF-8 become
// U+FFFD; characters that a cut splits are left out.
func (o *BoundedOutput) Text() string {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	end := append(append([]byte(nil), o.tail[o.start:]...), o.tail[:o.start]...)
	omitted := o.total - len(o.head) - len(end)
	if omitted == 0 {
		return valid(string(o.head) + string(end))
	}
	head := o.head[:len(o.head)-unfinished(o.head)]
	for count := 0; len(end) > 0 && count < utf8.UTFMax && !utf8.RuneStart(end[0]); count++ {
		end = end[1:]
	}
	return fmt.Sprintf("%s\n[Cut: %d of %d bytes are left out here]\n%s",
		valid(string(head)), omitted, o.total, valid(string(end)))
}

func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// unfinished returns the number of bytes at the end that begin a character and do not complete it.
func unfinished(text []byte) int {
	for count := 1; count < utf8.UTFMax && count <= len(text); count++ {
		last := text[len(text)-count:]
		if utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return count
		}
	}
	return 0
}
