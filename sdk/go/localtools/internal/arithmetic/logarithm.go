package arithmetic

import (
	"math"
	"math/big"
)

// naturalLogarithm returns the natural logarithm of a positive number, in double precision.
func naturalLogarithm(value rational) (rational, error) {
	if value.num.Sign() <= 0 {
		return rational{}, undefinedResult(
			"Cannot take the logarithm of a number that is not positive")
	}
	if compare(value, one) == 0 {
		return zero, nil
	}
	exponent := leadingExponent(value.num, value.den)
	// Near 1 the significant digits are those of the distance from 1.
	if exponent == 0 || exponent == -1 {
		difference := new(big.Int).Sub(value.num, value.den)
		distance, err := fraction(difference, value.den, false)
		if err != nil {
			return rational{}, err
		}
		if leadingExponent(distance.num, distance.den) < -nearOne {
			return distance, nil
		}
		return fromDouble(math.Log1p(toDouble(distance))), nil
	}
	num, den := value.num, value.den
	if exponent > 0 {
		den = product(den, powerOfTen(exponent))
	} else {
		num = product(num, powerOfTen(-exponent))
	}
	scaled, err := fraction(num, den, true)
	if err != nil {
		return rational{}, err
	}
	return fromDouble(math.Log(toDouble(scaled)) + float64(exponent)*math.Ln10), nil
}

// logarithm returns the logarithm to a base: exact when it is an integer, else in double precision.
func logarithm(value, base rational) (rational, error) {
	above, err := naturalLogarithm(value)
	if err != nil {
		return rational{}, err
	}
	below, err := naturalLogarithm(base)
	if err != nil {
		return rational{}, err
	}
	quotient, err := divide(above, below)
	if err != nil {
		return rational{}, err
	}
	inexact := rational{quotient.num, quotient.den, false}
	// As Math.round does, halves go up.
	nearest := math.Floor(toDouble(quotient) + 0.5)
	const largestSafe = 1<<53 - 1
	if math.Abs(nearest) > largestSafe {
		return inexact, nil
	}
	raised, err := power(base, integer(int64(nearest)))
	if err != nil {
		return rational{}, err
	}
	if raised.exact && value.exact && compare(raised, value) == 0 {
		return integer(int64(nearest)), nil
	}
	return inexact, nil
}
