package arithmetic

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

var (
	based = regexp.MustCompile(`^(?i:0x[0-9a-f]+|0b[01]+|0o[0-7]+)`)
	// grouped has its fraction and exponent apart: between them stands a condition.
	grouped      = regexp.MustCompile(`^[0-9]{1,3}(?:,[0-9]{3})+`)
	afterGrouped = regexp.MustCompile(`^(?:\.[0-9]+)?(?i:e[+-]?[0-9]+)?`)
	decimal      = regexp.MustCompile(`^(?:[0-9]+(?:_[0-9]+)*(?:\.[0-9]*)?|\.[0-9]+)(?i:e[+-]?[0-9]+)?`)
	name         = regexp.MustCompile(`^(?:[πΠ]|[a-zA-Z][a-zA-Z0-9]*)`)
	separators   = strings.NewReplacer(",", "", "_", "")
)

func isSpace(character rune) bool {
	return character == '\ufeff' || unicode.IsSpace(character) && character != '\u0085'
}

// startsOperand is true for a text that begins with a number, a name or a parenthesis.
func startsOperand(text string) bool {
	character, _ := utf8.DecodeRuneInString(text)
	return strings.ContainsRune("0123456789.(πΠ", character) && text != "" || isLetter(character)
}

func isLetter(character rune) bool {
	return character >= 'a' && character <= 'z' || character >= 'A' && character <= 'Z'
}

func (e *evaluation) skipSpace() {
	e.at = len(e.text) - len(strings.TrimLeftFunc(e.text[e.at:], isSpace))
}

// take reads a sign, after any space.
func (e *evaluation) take(sign byte) bool {
	e.skipSpace()
	if e.at >= len(e.text) || e.text[e.at] != sign {
		return false
	}
	e.at++
	return true
}

// match reads the text that a pattern matches here; empty when it does not match.
func (e *evaluation) match(pattern *regexp.Regexp) string {
	token := pattern.FindString(e.text[e.at:])
	e.at += len(token)
	return token
}

func (e *evaluation) operand() (quantity, error) {
	e.skipSpace()
	if token := e.match(based); token != "" {
		return quantity{rational: whole(parseBased(token), true)}, nil
	}
	at := e.at
	if token := e.number(); token != "" {
		return e.compute(at, func() (rational, error) { return parseDecimal(separators.Replace(token)) })
	}
	if token := e.match(name); token != "" {
		return e.named(token, at)
	}
	if !e.take('(') {
		return quantity{}, e.unexpected(`a number, a name or "("`)
	}
	result, err := e.sum()
	if err != nil {
		return quantity{}, err
	}
	if !e.take(')') {
		return quantity{}, e.unexpected(`an operator or ")"`)
	}
	return result, nil
}

func (e *evaluation) number() string {
	if e.calls == 0 {
		token := grouped.FindString(e.text[e.at:])
		rest := e.text[e.at+len(token):]
		if token != "" && (rest == "" || !strings.ContainsRune("0123456789,", rune(rest[0]))) {
			e.at += len(token)
			return token + e.match(afterGrouped)
		}
	}
	return e.match(decimal)
}

func (e *evaluation) named(token string, at int) (quantity, error) {
	key := strings.ToLower(token)
	if known, isConstant := constants[key]; isConstant {
		return quantity{rational: known}, nil
	}
	called, isFunction := functionNamed(key)
	if !isFunction {
		return quantity{}, e.unknown(token, at)
	}
	if !e.take('(') {
		return quantity{}, e.unexpected(`"(" after ` + key)
	}
	arguments, err := e.arguments(key)
	if err != nil {
		return quantity{}, err
	}
	if len(arguments) < called.min || len(arguments) > called.max {
		return quantity{}, e.invalid(at,
			fmt.Sprintf("%s() takes %s arguments, found %d", key, called.count(), len(arguments)))
	}
	return e.compute(at, func() (rational, error) { return called.of(arguments) })
}

// count returns the number of arguments in words.
func (f function) count() string {
	switch f.max {
	case anyNumber:
		return "at least 1"
	case f.min:
		return strconv.Itoa(f.min)
	default:
		return fmt.Sprintf("%d or %d", f.min, f.max)
	}
}

func (e *evaluation) arguments(called string) ([]rational, error) {
	var arguments []rational
	if e.take(')') {
		return nil, nil
	}
	e.calls++
	for {
		argument, err := e.sum()
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, argument.rational)
		if !e.take(',') {
			break
		}
	}
	e.calls--
	if !e.take(')') {
		return nil, e.unexpected(`an operator, "," or the ")" of ` + called + "(")
	}
	return arguments, nil
}
