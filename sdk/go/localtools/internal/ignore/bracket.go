package ignore

import (
	"slices"
	"strings"
)

// classes are those of git, which knows ASCII only.
var classes = map[string]string{
	"alnum": `0-9A-Za-z`, "alpha": `A-Za-z`, "blank": ` \t`, "cntrl": `\x00-\x1f\x7f`,
	"digit": `0-9`, "graph": `!-.0-~`, "lower": `a-z`, "print": ` -.0-~`,
	"punct": "!-.:-@\\[-`{-~", "space": ` \t\n\r`, "upper": `A-Z`, "xdigit": `0-9A-Fa-f`,
}

func member(character rune) string {
	if strings.ContainsRune(`\]^-[`, character) {
		return `\` + string(character)
	}
	return string(character)
}

// bracket returns the expression of a bracket that begins at start, and the place of its end. It is
// empty for a bracket that is not closed: such a pattern matches nothing. Brackets never match a
// slash, and segments hold none.
func bracket(characters []rune, start int) (class string, end int) {
	at := start + 1
	isNegated := at < len(characters) && (characters[at] == '!' || characters[at] == '^')
	if isNegated {
		at++
	}
	body, from := "", rune(0)
	for first := at; at < len(characters); at++ {
		character := characters[at]
		if character == ']' && at > first {
			if isNegated {
				return "[^/" + body + "]", at
			}
			return "[" + body + "]", at
		}
		isRange := character == '-' && from != 0 && at+1 < len(characters) && characters[at+1] != ']'
		switch {
		case isRange:
			at++
			if characters[at] == '\\' && at+1 < len(characters) {
				at++
			}
			// Of a range in the wrong order, its first member remains.
			if from <= characters[at] {
				body += "-" + member(characters[at])
			}
			from = 0
		case character == '[' && at+1 < len(characters) && characters[at+1] == ':':
			name, length := className(characters[at:])
			if length == 0 {
				body, from = body+member(character), character
				break
			}
			known, isKnown := classes[name]
			if !isKnown {
				return "", 0
			}
			body, from = body+known, 0
			at += length - 1
		default:
			if character == '\\' && at+1 < len(characters) {
				at++
				character = characters[at]
			}
			body, from = body+member(character), character
		}
	}
	return "", 0
}

// className returns the name in [:name:] and the length of the whole; 0 when it is none.
func className(characters []rune) (name string, length int) {
	end := slices.Index(characters, ']')
	if end < 3 || characters[end-1] != ':' {
		return "", 0
	}
	return string(characters[2 : end-1]), end + 1
}
