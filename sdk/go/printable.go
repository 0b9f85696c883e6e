package svc

import (
	"strings"
	"unicode"
	"unicode/utf16"
)

// printable returns a text that is safe to log: each character that a terminal would obey, that
// would begin a line, or that changes the direction of text becomes a space.
func printable(text string) string {
	return strings.Map(func(char rune) rune {
		switch {
		case unicode.IsControl(char), char == '\u061C', char == '\u200E', char == '\u200F',
			char >= '\u2028' && char <= '\u202E', char >= '\u2066' && char <= '\u2069':
			return ' '
		}
		return char
	}, text)
}

// units returns the length of a text in UTF-16 code units, in which all limits on text are stated.
func units(text string) int {
	count := 0
	for _, char := range text {
		count += utf16.RuneLen(char)
	}
	return count
}

// firstUnits returns the beginning of a text, of at most so many UTF-16 code units.
func firstUnits(text string, most int) string {
	count := 0
	for at, char := range text {
		count += utf16.RuneLen(char)
		if count > most {
			return text[:at]
		}
	}
	return text
}
