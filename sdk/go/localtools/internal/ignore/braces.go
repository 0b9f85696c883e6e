package ignore

import (
	"strconv"
	"strings"
)

// Expand returns the alternatives of a pattern with braces, as a shell does: a{b,c} and a{1..3},
// nested or one after the other. It returns at most `most` of them. A brace without alternatives is
// a character like others.
func Expand(pattern string, most int) []string {
	open := 0
	for {
		begin := indexUnescaped(pattern[open:], '{')
		if begin < 0 {
			return []string{pattern}
		}
		begin += open
		end := closing(pattern, begin)
		if end > 0 && (begin == 0 || pattern[begin-1] != '$') {
			if choices := alternatives(pattern[begin+1:end], most); choices != nil {
				return combine(pattern[:begin], choices, Expand(pattern[end+1:], most), most)
			}
		}
		open = begin + 1
	}
}

func combine(before string, choices, after []string, most int) []string {
	var expanded []string
	for _, choice := range choices {
		for _, rest := range after {
			if len(expanded) == most {
				return expanded
			}
			expanded = append(expanded, before+choice+rest)
		}
	}
	return expanded
}

func indexUnescaped(text string, sign byte) int {
	for at := 0; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case sign:
			return at
		}
	}
	return -1
}

// closing returns the place of the brace that closes the one at begin; -1 when there is none.
func closing(pattern string, begin int) int {
	depth := 0
	for at := begin; at < len(pattern); at++ {
		switch pattern[at] {
		case '\\':
			at++
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at
			}
		}
	}
	return -1
}

// alternatives returns those between braces; nil when there is only one.
func alternatives(body string, most int) []string {
	parts := splitTop(body)
	if len(parts) == 1 {
		return sequence(body, most)
	}
	var choices []string
	for _, part := range parts {
		for _, choice := range Expand(part, most) {
			if len(choices) == most {
				return choices
			}
			choices = append(choices, choice)
		}
	}
	return choices
}

// splitTop splits at the commas that are in no inner braces.
func splitTop(body string) []string {
	var parts []string
	depth, start := 0, 0
	for at := 0; at < len(body); at++ {
		switch body[at] {
		case '\\':
			at++
		case '{':
			depth++
		case '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, body[start:at])
				start = at + 1
			}
		}
	}
	return append(parts, body[start:])
}

// sequence returns the members of 1..9, 01..10, a..e, or 1..9..2; nil for another text.
func sequence(body string, most int) []string {
	ends := strings.Split(body, "..")
	if len(ends) < 2 || len(ends) > 3 {
		return nil
	}
	step := 1
	if len(ends) == 3 {
		read, err := strconv.Atoi(ends[2])
		if err != nil {
			return nil
		}
		step = max(read, -read, 1)
	}
	from, errFrom := strconv.Atoi(ends[0])
	to, errTo := strconv.Atoi(ends[1])
	format := func(number int) string { return pad(number, ends) }
	if errFrom != nil || errTo != nil {
		if !isLetter(ends[0]) || !isLetter(ends[1]) {
			return nil
		}
		from, to = int(ends[0][0]), int(ends[1][0])
		format = func(number int) string { return string(rune(number)) }
	}
	var members []string
	for len(members) < most && (from <= to && to-from >= 0 || from >= to) {
		members = append(members, format(from))
		if from == to || step > max(from-to, to-from) {
			break
		}
		if from < to {
			from += step
		} else {
			from -= step
		}
	}
	return members
}

func isLetter(text string) bool {
	return len(text) == 1 && (text[0]|0x20) >= 'a' && (text[0]|0x20) <= 'z'
}

// pad adds zeros where an end of the sequence begins with one.
func pad(number int, ends []string) string {
	width := 0
	for _, end := range ends[:2] {
		digits := strings.TrimPrefix(end, "-")
		if len(digits) > 1 && digits[0] == '0' {
			width = max(width, len(ends[0]), len(ends[1]))
		}
	}
	text := strconv.Itoa(max(number, -number))
	if number < 0 {
		return "-" + strings.Repeat("0", max(0, width-len(text)-1)) + text
	}
	return strings.Repeat("0", max(0, width-len(text))) + text
}
