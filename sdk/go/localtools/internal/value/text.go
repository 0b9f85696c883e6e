package value

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Units returns the length of a text in UTF-16 code units, which the limits of the tools count:
// characters beyond the basic plane count twice.
func Units(text string) int {
	units := 0
	for at := 0; at < len(text); {
		character, size := decode(text[at:])
		units += unitsOf(character)
		at += size
	}
	return units
}

// Cut returns the beginning of a text, at most `units` UTF-16 code units. Half of a character that
// the limit splits becomes U+FFFD.
func Cut(text string, units int) string {
	taken := 0
	for at := 0; at < len(text); {
		character, size := decode(text[at:])
		taken += unitsOf(character)
		if taken > units {
			if taken-units < unitsOf(character) {
				return text[:at] + "\ufffd"
			}
			return text[:at]
		}
		at += size
	}
	return text
}

func unitsOf(character rune) int {
	if character > 0xffff {
		return 2
	}
	return 1
}

// decode is like [utf8.DecodeRuneInString], and takes the three bytes of a surrogate as one.
func decode(text string) (rune, int) {
	character, size := utf8.DecodeRuneInString(text)
	if character == utf8.RuneError && size == 1 && isSurrogate(text) {
		return rune(text[0]&0xf)<<12 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f), 3
	}
	return character, size
}

func isSurrogate(text string) bool {
	return len(text) >= 3 && text[0] == 0xed && text[1] >= 0xa0 && text[1] < 0xc0 &&
		text[2]&0xc0 == 0x80
}

var shortEscapes = map[rune]string{
	'"': `\"`, '\\': `\\`, '\b': `\b`, '\f': `\f`, '\n': `\n`, '\r': `\r`, '\t': `\t`,
}

// Quote returns a text as a JSON string that shows a reader all control characters.
func Quote(text string) string {
	var quoted strings.Builder
	quoted.WriteByte('"')
	for at := 0; at < len(text); {
		character, size := decode(text[at:])
		at += size
		switch escape, isShort := shortEscapes[character]; {
		case isShort:
			quoted.WriteString(escape)
		case character < 0x20 || character >= 0xd800 && character <= 0xdfff:
			fmt.Fprintf(&quoted, `\u%04x`, character)
		default:
			quoted.WriteRune(character)
		}
	}
	quoted.WriteByte('"')
	return quoted.String()
}

// Number returns a number as JSON, in the shortest form that reads back the same.
func Number(number float64) string {
	if math.IsNaN(number) || math.IsInf(number, 0) {
		return "null"
	}
	if number == 0 {
		return "0"
	}
	if size := math.Abs(number); size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	return strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(text)
}

const maxDepth = 5_000

// Canonical returns a value as JSON with sorted members, so that equal values have equal texts.
func Canonical(value any) string { return canonical(value, 0) }

func canonical(value any, depth int) string {
	if depth > maxDepth {
		return "what is nested too deeply"
	}
	switch value := value.(type) {
	case nil:
		return "null"
	case bool:
		return strconv.FormatBool(value)
	case float64:
		return Number(value)
	case string:
		return Quote(value)
	case []any:
		parts := make([]string, len(value))
		for index, item := range value {
			parts[index] = canonical(item, depth+1)
		}
		return "[" + strings.Join(parts, ",") + "]"
	case *Object:
		parts := make([]string, 0, value.Len())
		for _, name := range slices.Sorted(slices.Values(value.Names())) {
			member, _ := value.Get(name)
			parts = append(parts, Quote(name)+":"+canonical(member, depth+1))
		}
		return "{" + strings.Join(parts, ",") + "}"
	default:
		panic(fmt.Sprintf("not a JSON value: %T", value))
	}
}

// Slice returns at most `units` UTF-16 code units of a text, after the first `from`. Half of a
// character at either end becomes U+FFFD.
func Slice(text string, from, units int) string {
	skipped := 0
	for at := 0; at < len(text) && skipped < from; {
		character, size := decode(text[at:])
		skipped += unitsOf(character)
		at += size
		if skipped > from {
			return "\ufffd" + Cut(text[at:], units-1)
		}
		if skipped == from {
			return Cut(text[at:], units)
		}
	}
	if from > 0 {
		return ""
	}
	return Cut(text, units)
}
