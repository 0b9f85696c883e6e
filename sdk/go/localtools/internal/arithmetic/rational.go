// Package arithmetic computes expressions on exact fractions, without running any code.
package arithmetic

import (
	"fmt"
	"math"
	"math/big"
	"strconv"

	"svc.example/sdk/go/tool"
)

// rational is a number as a fraction in lowest terms with a positive denominator. Its integers are
// never changed.
type rational struct {
	num, den *big.Int
	// exact is false when any step rounded.
	exact bool
}

const (
	// maxDigits is the largest number of digits before the point, or of zeros after it.
	maxDigits = 5_000
	// keptDigits are the significant digits of a number that cannot be exact.
	keptDigits = 40
	// doubleDigits are the significant digits of functions that are computed in double precision.
	doubleDigits = 15
	// maxBits holds maxDigits decimal digits.
	maxBits = 16_610
)

var (
	zero = integer(0)
	one  = integer(1)
	ten  = integer(10)
)

// bitsOf returns the bits of the magnitude of an integer, up to three too many.
func bitsOf(value *big.Int) int { return max(4, (value.BitLen()+3)/4*4) }

func refused(code, message string) error { return &tool.Error{Code: code, Message: message} }

// outOfRange returns the error for a number that is too large or too small.
func outOfRange(what string) error {
	return refused("out_of_range", fmt.Sprintf("%s has more than %d digits", what, maxDigits))
}

func undefinedResult(message string) error { return refused("undefined_result", message) }

func integer(value int64) rational { return whole(big.NewInt(value), true) }

func whole(value *big.Int, exact bool) rational {
	return rational{value, big.NewInt(1), exact}
}

// fraction returns a fraction in lowest terms. One with too many digits is rounded and no longer
// exact. It fails for a fraction that is too large, or too near to zero.
func fraction(num, den *big.Int, exact bool) (rational, error) {
	above, below := bitsOf(num), bitsOf(den)
	if difference := above - below; num.Sign() != 0 && max(difference, -difference) > maxBits {
		return rational{}, outOfRange("The result")
	}
	isLong := !isOne(den) && max(above, below) > maxBits
	if !exact || isLong {
		return rounded(num, den, keptDigits, false), nil
	}
	return reduced(num, den, true), nil
}

func isOne(value *big.Int) bool { return value.IsInt64() && value.Int64() == 1 }

func reduced(num, den *big.Int, exact bool) rational {
	if isOne(den) {
		return rational{num, den, exact}
	}
	divisor := new(big.Int).GCD(nil, nil, new(big.Int).Abs(num), den)
	return rational{new(big.Int).Quo(num, divisor), new(big.Int).Quo(den, divisor), exact}
}

func powerOfTen(exponent int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(exponent)), nil)
}

func product(one, other *big.Int) *big.Int { return new(big.Int).Mul(one, other) }

func quotient(one, other *big.Int) *big.Int { return new(big.Int).Quo(one, other) }

// nearestInteger returns the integer nearest to a fraction; halves go away from zero.
func nearestInteger(num, den *big.Int) *big.Int {
	doubled := new(big.Int).Lsh(new(big.Int).Abs(num), 1)
	result := quotient(doubled.Add(doubled, den), new(big.Int).Lsh(den, 1))
	if num.Sign() < 0 {
		return result.Neg(result)
	}
	return result
}

// leadingExponent returns the exponent of the leading decimal digit: 2 for 123, -3 for 0.001.
func leadingExponent(num, den *big.Int) int {
	size := new(big.Int).Abs(num)
	guess := len(size.String()) - len(den.String())
	var reaches bool
	if guess >= 0 {
		reaches = size.Cmp(product(den, powerOfTen(guess))) >= 0
	} else {
		reaches = product(size, powerOfTen(-guess)).Cmp(den) >= 0
	}
	if reaches {
		return guess
	}
	return guess - 1
}

func rounded(num, den *big.Int, digits int, exact bool) rational {
	if num.Sign() == 0 {
		return whole(num, exact)
	}
	places := digits - 1 - leadingExponent(num, den)
	if places >= 0 {
		scale := powerOfTen(places)
		return reduced(nearestInteger(product(num, scale), den), scale, exact)
	}
	scale := powerOfTen(-places)
	return whole(product(nearestInteger(num, product(den, scale)), scale), exact)
}

func toSignificant(value rational, digits int) rational {
	return rounded(value.num, value.den, digits, value.exact)
}

// add returns the sum. For inexact numbers, a difference below their precision is zero.
func add(a, b rational) (rational, error) {
	num := product(a.num, b.den)
	num.Add(num, product(b.num, a.den))
	den := product(a.den, b.den)
	exact := a.exact && b.exact
	if !exact && num.Sign() != 0 && a.num.Sign() != 0 {
		lost := leadingExponent(a.num, a.den) - leadingExponent(num, den)
		if lost >= doubleDigits {
			return whole(new(big.Int), exact), nil
		}
	}
	return fraction(num, den, exact)
}

func negate(value rational) rational {
	return rational{new(big.Int).Neg(value.num), value.den, value.exact}
}

func subtract(a, b rational) (rational, error) { return add(a, negate(b)) }

func multiply(a, b rational) (rational, error) {
	return fraction(product(a.num, b.num), product(a.den, b.den), a.exact && b.exact)
}

// divide returns the quotient. It fails when the divisor is zero.
func divide(a, b rational) (rational, error) {
	if b.num.Sign() == 0 {
		return rational{}, undefinedResult("Cannot divide by zero")
	}
	num, den := product(a.num, b.den), product(a.den, b.num)
	if b.num.Sign() < 0 {
		num.Neg(num)
		den.Neg(den)
	}
	return fraction(num, den, a.exact && b.exact)
}

// compare returns -1, 0 or 1 when the first number is less than, equal to or greater than the other.
func compare(a, b rational) int {
	return product(a.num, b.den).Cmp(product(b.num, a.den))
}

func isInteger(value rational) bool { return isOne(value.den) }

// floor returns the greatest integer that is at most the number.
func floor(value rational) rational {
	// The division of Euclid rounds down, as denominators are positive.
	return whole(new(big.Int).Div(value.num, value.den), value.exact)
}

// toDouble returns the nearest double, or an infinity.
func toDouble(value rational) float64 {
	if value.num.Sign() == 0 {
		return 0
	}
	const digits = 25
	exponent := leadingExponent(value.num, value.den)
	short := toSignificant(value, digits)
	scale := digits - 1 - exponent
	var significant *big.Int
	if scale >= 0 {
		significant = quotient(product(short.num, powerOfTen(scale)), short.den)
	} else {
		significant = quotient(short.num, product(short.den, powerOfTen(-scale)))
	}
	// Beyond the range, the result is an infinity or zero.
	double, _ := strconv.ParseFloat(significant.String()+"e"+strconv.Itoa(-scale), 64)
	return double
}

// fromDouble returns a finite double as a number that is not exact.
func fromDouble(value float64) rational {
	const places = 16
	text := strconv.FormatFloat(value, 'e', places, 64)
	digits, exponent := splitExponent(text)
	if value == 0 || math.IsNaN(value) || math.IsInf(value, 0) {
		return whole(new(big.Int), false)
	}
	num := parseInteger(digits)
	if after := places - exponent; after >= 0 {
		return reduced(num, powerOfTen(after), false)
	}
	return whole(product(num, powerOfTen(exponent-places)), false)
}
