package arithmetic

import (
	"errors"
	"fmt"
	"math/big"
	"strings"
	"unicode/utf8"

	"svc.example/sdk/go/localtools/internal/nearest"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const (
	maxDepth    = 100
	maxWorkBits = 500_000
)

// spellings are alternative spellings of operators; each keeps the number of characters.
var spellings = strings.NewReplacer("**", "^ ", "×", "*", "·", "*", "⋅", "*", "÷", "/",
	"−", "-", "–", "-")

// Evaluate computes an arithmetic expression. It fails with a [*tool.Error] when the expression
// cannot be read, or has no value within range.
func Evaluate(expression string) (Result, error) {
	e := &evaluation{text: spellings.Replace(expression)}
	result, err := e.result()
	if err != nil {
		return Result{}, err
	}
	return describe(result.rational), nil
}

// quantity is a value, with a mark when it was written with a percent sign.
type quantity struct {
	rational
	isPercentage bool
}

// evaluation is one pass through an expression, from left to right:
//
//	sum      product { ("+" | "-") product }
//	product  signed { ("*" | "/" | "%") signed }
//	signed   [ "+" | "-" ] signed | power
//	power    postfix [ "^" signed ]
//	postfix  operand { "!" | "%" }
//	operand  number | constant | name "(" sum { "," sum } ")" | "(" sum ")"
type evaluation struct {
	text  string
	at    int
	depth int
	// work has the bits of all numbers computed so far; they bound the time that an expression takes.
	work int
	// calls is the depth of calls whose arguments are being read: inside one, a comma separates them.
	calls int
}

func (e *evaluation) result() (quantity, error) {
	result, err := e.sum()
	if err != nil {
		return quantity{}, err
	}
	e.skipSpace()
	if e.at < len(e.text) {
		return quantity{}, e.unexpected("an operator or the end")
	}
	return result, nil
}

func (e *evaluation) sum() (quantity, error) {
	result, err := e.product()
	for err == nil {
		e.skipSpace()
		at := e.at
		sign := add
		if !e.take('+') {
			if !e.take('-') {
				return result, nil
			}
			sign = subtract
		}
		var other quantity
		if other, err = e.product(); err != nil {
			break
		}
		result, err = e.combine(at, sign, result, other)
	}
	return quantity{}, err
}

func (e *evaluation) combine(at int, sign func(a, b rational) (rational, error), a, b quantity) (quantity, error) {
	// For 1, a tenth and 10% are equal: the two readings of "1 + 10%" agree, those of other values
	// differ.
	isMixed := a.isPercentage != b.isPercentage
	if isMixed && compare(a.rational, one) != 0 && compare(b.rational, one) != 0 {
		return e.compute(at, func() (rational, error) {
			return rational{}, refused("invalid_expression",
				"Cannot add a percentage to a number, or subtract it: 10% is 0.1 here; for a change "+
					"by 10% write x * (1 + 10%) or x * (1 - 10%), for a remainder mod(x, y)")
		})
	}
	result, err := e.compute(at, func() (rational, error) { return sign(a.rational, b.rational) })
	result.isPercentage = a.isPercentage && b.isPercentage
	return result, err
}

func (e *evaluation) product() (quantity, error) {
	result, err := e.signed()
	for err == nil {
		e.skipSpace()
		at := e.at
		var operation func(a, b rational) (rational, error)
		switch {
		case e.take('*'):
			operation = multiply
		case e.take('/'):
			operation = divide
		case e.take('%'):
			operation = remainder
		default:
			return result, nil
		}
		var other quantity
		if other, err = e.signed(); err != nil {
			break
		}
		before := result.rational
		result, err = e.compute(at, func() (rational, error) { return operation(before, other.rational) })
	}
	return quantity{}, err
}

func (e *evaluation) signed() (quantity, error) {
	e.depth++
	if e.depth > maxDepth {
		return quantity{}, e.invalid(e.at, fmt.Sprintf("it is nested more than %d deep", maxDepth))
	}
	defer func() { e.depth-- }()
	if e.take('+') {
		return e.signed()
	}
	if !e.take('-') {
		return e.power()
	}
	result, err := e.signed()
	if err != nil {
		return quantity{}, err
	}
	return quantity{negate(result.rational), result.isPercentage}, nil
}

func (e *evaluation) power() (quantity, error) {
	base, err := e.postfix()
	if err != nil {
		return quantity{}, err
	}
	e.skipSpace()
	at := e.at
	if !e.take('^') {
		return base, nil
	}
	exponent, err := e.signed()
	if err != nil {
		return quantity{}, err
	}
	return e.compute(at, func() (rational, error) { return power(base.rational, exponent.rational) })
}

func (e *evaluation) postfix() (quantity, error) {
	result, err := e.operand()
	for err == nil {
		before := e.at
		operand := result.rational
		switch {
		case e.take('!'):
			// Ambiguous: a double factorial, or the factorial of a factorial.
			if e.take('!') {
				return quantity{}, e.invalid(before, `it has "!!"; for a factorial twice use (n!)!`)
			}
			result, err = e.compute(before, func() (rational, error) { return factorial(operand) })
		case e.takePercent():
			var share rational
			share, err = divide(operand, integer(100))
			result = quantity{share, true}
		default:
			return result, nil
		}
	}
	return quantity{}, err
}

// takePercent reads a percent sign, unless the next token makes it the operator for remainders.
func (e *evaluation) takePercent() bool {
	before := e.at
	if !e.take('%') {
		return false
	}
	if !startsOperand(strings.TrimLeftFunc(e.text[e.at:], isSpace)) {
		return true
	}
	e.at = before
	return false
}

// compute runs a step; an error carries the step's position.
func (e *evaluation) compute(at int, step func() (rational, error)) (quantity, error) {
	result, err := step()
	if err == nil {
		e.work += bitsOf(result.num) + bitsOf(result.den)
		if e.work <= maxWorkBits {
			return quantity{rational: result}, nil
		}
		err = refused("out_of_range",
			"Cannot compute with so many long numbers at once: do it in parts")
	}
	var known *tool.Error
	if !errors.As(err, &known) || known.Err != nil {
		return quantity{}, err
	}
	message := fmt.Sprintf("%s (at character %d)", known.Message, e.position(at))
	return quantity{}, &tool.Error{Code: known.Code, Message: message, Err: known}
}

// position returns the number of a character, from 1.
func (e *evaluation) position(at int) int { return value.Units(e.text[:at]) + 1 }

func (e *evaluation) invalid(at int, problem string) error {
	return refused("invalid_expression",
		fmt.Sprintf("Cannot read the expression at character %d: %s", e.position(at), problem))
}

func (e *evaluation) unexpected(expected string) error {
	e.skipSpace()
	seen := "the end"
	if e.at < len(e.text) {
		character, _ := utf8.DecodeRuneInString(e.text[e.at:])
		seen = `"` + string(character) + `"`
	}
	return e.invalid(e.at, "expected "+expected+", found "+seen)
}

func (e *evaluation) unknown(name string, at int) error {
	var known, names []string
	for _, function := range functions {
		names = append(names, function.name)
	}
	known = append(append(known, names...), "pi", "π", "tau", "e", "phi")
	hint := "known are " + strings.Join(names, ", ") + ", pi, e, tau and phi"
	if alike, isAlike := nearest.Name(name, known); isAlike {
		hint = `did you mean "` + alike + `"?`
	}
	return e.invalid(at, fmt.Sprintf(`"%s" is not known; %s`, value.Cut(name, 32), hint))
}

func parseBased(text string) *big.Int {
	number, _ := new(big.Int).SetString(strings.ToLower(text), 0)
	return number
}
