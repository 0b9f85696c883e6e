package value

import (
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// ErrInvalid reports a text that is not JSON, which is always UTF-8.
var ErrInvalid = errors.New("not a JSON value")

// Parse reads a JSON text: nil, bool, float64, string, []any or *Object.
//
// A lone surrogate ("\ud800") becomes the three bytes that UTF-8 would have for it, so that
// [utf8.ValidString] is false for the string; encoding/json would replace it without a word.
func Parse(text []byte) (any, error) {
	// The standard decoder checks syntax and depth; the reader below relies on both.
	if !utf8.Valid(text) || !json.Valid(text) {
		return nil, ErrInvalid
	}
	return (&reader{text: text}).value(), nil
}

type reader struct {
	text []byte
	at   int
}

func (r *reader) skipSpace() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next returns the next byte that is no space, without taking it.
func (r *reader) next() byte {
	r.skipSpace()
	return r.text[r.at]
}

func (r *reader) value() any {
	switch r.next() {
	case '{':
		return r.object()
	case '[':
		return r.array()
	case '"':
		return r.string()
	case 't':
		r.at += len("true")
		return true
	case 'f':
		r.at += len("false")
		return false
	case 'n':
		r.at += len("null")
		return nil
	default:
		return r.number()
	}
}

func (r *reader) object() *Object {
	object := NewObject()
	r.at++
	for r.next() != '}' {
		if r.text[r.at] == ',' {
			r.at++
			r.skipSpace()
		}
		name := r.string()
		r.next()
		r.at++ // The colon.
		object.Set(name, r.value())
	}
	r.at++
	return object
}

func (r *reader) array() []any {
	items := []any{}
	r.at++
	for r.next() != ']' {
		if r.text[r.at] == ',' {
			r.at++
		}
		items = append(items, r.value())
	}
	r.at++
	return items
}

func (r *reader) number() float64 {
	start := r.at
	for r.at < len(r.text) && isNumeral(r.text[r.at]) {
		r.at++
	}
	// Beyond the range, the number is an infinity, as in JavaScript.
	number, _ := strconv.ParseFloat(string(r.text[start:r.at]), 64)
	return number
}

func isNumeral(c byte) bool {
	return c >= '0' && c <= '9' || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func (r *reader) string() string {
	r.at++
	start := r.at
	for r.text[r.at] != '"' && r.text[r.at] != '\\' {
		r.at++
	}
	plain := r.text[start:r.at]
	if r.text[r.at] == '"' {
		r.at++
		return string(plain)
	}
	built := append([]byte(nil), plain...)
	for r.text[r.at] != '"' {
		if r.text[r.at] == '\\' {
			built = r.escape(built)
			continue
		}
		built = append(built, r.text[r.at])
		r.at++
	}
	r.at++
	return string(built)
}

var escapes = map[byte]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

func (r *reader) escape(built []byte) []byte {
	kind := r.text[r.at+1]
	r.at += 2
	if kind != 'u' {
		return append(built, escapes[kind])
	}
	unit := r.unit()
	if !utf16.IsSurrogate(unit) {
		return utf8.AppendRune(built, unit)
	}
	if unit < 0xdc00 && r.text[r.at] == '\\' && r.text[r.at+1] == 'u' {
		before := r.at
		r.at += 2
		if whole := utf16.DecodeRune(unit, r.unit()); whole != utf8.RuneError {
			return utf8.AppendRune(built, whole)
		}
		r.at = before
	}
	return append(built, 0xe0|byte(unit>>12), 0x80|byte(unit>>6)&0x3f, 0x80|byte(unit)&0x3f)
}

// unit reads four hexadecimal digits.
func (r *reader) unit() rune {
	number, _ := strconv.ParseUint(string(r.text[r.at:r.at+4]), 16, 16)
	r.at += 4
	return rune(number)
}
