package ignore

import (
	"regexp"
	"strings"
)

func parse(line string, isCaseSensitive bool) (rule, bool) {
	line = strings.TrimPrefix(line, "\ufeff")
	if strings.HasPrefix(line, "#") {
		return rule{}, false
	}
	line = trimSpaces(line)
	read := rule{}
	if rest, isNegated := strings.CutPrefix(line, "!"); isNegated {
		read.isNegated = true
		line = rest
	}
	if rest, isFolder := strings.CutSuffix(line, "/"); isFolder {
		read.isFolder = true
		line = rest
	}
	if strings.Trim(line, " \t\r\n") == "" {
		return rule{}, false
	}
	source, isUsable := expression(line)
	if !isUsable {
		return rule{}, false
	}
	if !isCaseSensitive {
		source = "(?i)" + source
	}
	compiled, err := regexp.Compile(source)
	if err != nil {
		// A pattern that matches nothing, such as a range without members.
		return rule{}, false
	}
	read.pattern = compiled
	read.head, read.tail = literalEnds(line)
	return read, true
}

// trimSpaces removes the spaces at the end of a line, but not one after a backslash.
func trimSpaces(line string) string {
	for strings.HasSuffix(line, " ") {
		before := strings.TrimSuffix(line, " ")
		escapes := len(before) - len(strings.TrimRight(before, `\`))
		if escapes%2 == 1 {
			break
		}
		line = before
	}
	return line
}

// expression returns a pattern as a regular expression of whole paths; false for a pattern that
// matches nothing.
func expression(pattern string) (string, bool) {
	var source strings.Builder
	source.WriteString(`(?s)^`)
	rooted, hasRoot := strings.CutPrefix(pattern, "/")
	if !hasRoot && !strings.Contains(pattern, "/") {
		source.WriteString(`(?:.*/)?`)
	}
	segments := strings.Split(rooted, "/")
	for index, segment := range segments {
		isLast := index == len(segments)-1
		switch {
		case isGlobstar(segment) && !isLast:
			source.WriteString(`(?:.*/)?`)
			continue
		case isGlobstar(segment) && len(segments) > 1:
			source.WriteString(`.+`)
			continue
		}
		part, isUsable := segmentExpression(segment)
		if !isUsable {
			return "", false
		}
		source.WriteString(part)
		if !isLast {
			source.WriteByte('/')
		}
	}
	source.WriteByte('$')
	return source.String(), true
}

func isGlobstar(segment string) bool {
	return len(segment) >= 2 && strings.Trim(segment, "*") == ""
}

// segmentExpression returns the expression of one name in a pattern.
func segmentExpression(segment string) (string, bool) {
	var source strings.Builder
	characters := []rune(segment)
	for at := 0; at < len(characters); at++ {
		switch character := characters[at]; character {
		case '*':
			for at+1 < len(characters) && characters[at+1] == '*' {
				at++
			}
			source.WriteString(`[^/]*`)
		case '?':
			source.WriteString(`[^/]`)
		case '\\':
			at++
			if at == len(characters) {
				return "", false
			}
			source.WriteString(regexp.QuoteMeta(string(characters[at])))
		case '[':
			class, end := bracket(characters, at)
			if class == "" {
				return "", false
			}
			source.WriteString(class)
			at = end
		default:
			source.WriteString(regexp.QuoteMeta(string(character)))
		}
	}
	return source.String(), true
}

// literalEnds returns the text before the first special character of a pattern's last name, and the
// text after the last one.
func literalEnds(pattern string) (head, tail string) {
	const special = `*?[]\`
	last := pattern[strings.LastIndexByte(pattern, '/')+1:]
	first := strings.IndexAny(last, special)
	if first < 0 {
		return last, last
	}
	return last[:first], last[strings.LastIndexAny(last, special)+1:]
}
