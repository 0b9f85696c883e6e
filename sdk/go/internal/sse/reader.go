// Package sse reads server-sent events from a body, however its bytes were split.
package sse

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

const (
	// LongestEvent is the longest data of an event, in bytes.
	LongestEvent = 32 << 20
	// LongestBody is the longest body, in bytes.
	LongestBody = 256 << 20
	bufferSize  = 16 << 10
)

// ErrTooLong is matched by the error for an event or a body beyond its limit.
var ErrTooLong = errors.New("too long")

// Reader reads the data of events. The last event may lack its blank line when its data is a whole
// JSON object or [DONE]; a cut event is dropped.
type Reader struct {
	body         io.Reader
	longestEvent int
	longestBody  int64
	read         int64
	buffer       []byte
	// from and to bound the unread part of the buffer; scanned bytes of it hold no line end.
	from, to, scanned int
	data              []byte
	hasData           bool
	skipLineFeed      bool
	isBegun           bool
	ended             error
}

// NewReader returns a reader of the body with the limits of this package.
func NewReader(body io.Reader) *Reader { return NewLimitedReader(body, LongestEvent, LongestBody) }

// NewLimitedReader returns a reader with other limits, in bytes.
func NewLimitedReader(body io.Reader, longestEvent int, longestBody int64) *Reader {
	return &Reader{body: body, longestEvent: longestEvent, longestBody: longestBody,
		buffer: make([]byte, bufferSize)}
}

// Next returns the data of the next event, valid until the next call; io.EOF at the end of the body.
func (r *Reader) Next() ([]byte, error) {
	for {
		line, err := r.line()
		if err == io.EOF {
			return r.last(line)
		}
		if err != nil {
			return nil, err
		}
		if len(line) > 0 {
			if err := r.field(line); err != nil {
				return nil, err
			}
			continue
		}
		if r.hasData {
			return r.dispatch(), nil
		}
	}
}

// last returns the event that the end of the body cut, where it is whole.
func (r *Reader) last(line []byte) ([]byte, error) {
	if err := r.field(line); err != nil {
		return nil, err
	}
	if !r.hasData {
		return nil, io.EOF
	}
	data := r.dispatch()
	if string(data) == "[DONE]" || len(data) > 0 && data[0] == '{' && json.Valid(data) {
		return data, nil
	}
	return nil, io.EOF
}

func (r *Reader) dispatch() []byte {
	data := r.data
	r.data, r.hasData = r.data[:0], false
	if !utf8.Valid(data) {
		data = bytes.ToValidUTF8(data, []byte("\uFFFD"))
	}
	return data
}

// field adds a line to the event. Other fields than data are of no use here.
func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte(":"))
	if string(name) != "data" {
		return nil
	}
	if len(value) > 0 && value[0] == ' ' {
		value = value[1:]
	}
	if len(r.data)+len(value) > r.longestEvent {
		return r.eventTooLong()
	}
	if r.hasData {
		r.data = append(r.data, '\n')
	}
	r.data = append(r.data, value...)
	r.hasData = true
	return nil
}

func (r *Reader) eventTooLong() error {
	r.ended = fmt.Errorf("the stream has an event longer than %d bytes: %w", r.longestEvent, ErrTooLong)
	return r.ended
}

// line returns the next line without its end, or with io.EOF the rest of the body.
func (r *Reader) line() ([]byte, error) {
	for {
		if r.skipLineFeed && r.from < r.to {
			r.skipLineFeed = false
			if r.buffer[r.from] == '\n' {
				r.from++
				r.scanned = 0
			}
		}
		unread := r.buffer[r.from:r.to]
		if at := bytes.IndexAny(unread[r.scanned:], "\r\n"); at >= 0 {
			at += r.scanned
			r.skipLineFeed = unread[at] == '\r'
			r.from += at + 1
			r.scanned = 0
			return r.unmarked(unread[:at]), nil
		}
		r.scanned = len(unread)
		if r.scanned > r.longestEvent {
			return nil, r.eventTooLong()
		}
		if err := r.fill(); err != nil {
			if err != io.EOF {
				return nil, err
			}
			rest := r.buffer[r.from:r.to]
			r.from, r.scanned = r.to, 0
			return r.unmarked(rest), io.EOF
		}
	}
}

// unmarked removes the byte order mark of the first line.
func (r *Reader) unmarked(line []byte) []byte {
	if r.isBegun {
		return line
	}
	r.isBegun = true
	return bytes.TrimPrefix(line, []byte("\uFEFF"))
}

// fill reads more bytes behind the unread ones.
func (r *Reader) fill() error {
	if r.ended != nil {
		return r.ended
	}
	if r.from > 0 {
		copy(r.buffer, r.buffer[r.from:r.to])
		r.to -= r.from
		r.from = 0
	}
	if r.to == len(r.buffer) {
		r.buffer = append(r.buffer, make([]byte, len(r.buffer))...)
	}
	for range 100 {
		count, err := r.body.Read(r.buffer[r.to:])
		r.to += count
		r.read += int64(count)
		if r.read > r.longestBody {
			r.ended = fmt.Errorf("the answer is longer than %d bytes: %w", r.longestBody, ErrTooLong)
			return r.ended
		}
		if err != nil {
			r.ended = err
		}
		if count > 0 {
			return nil
		}
		if err != nil {
			return err
		}
	}
	r.ended = io.ErrNoProgress
	return r.ended
}
