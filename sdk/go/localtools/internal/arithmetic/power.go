package arithmetic

import (
	"fmt"
	"math"
	"math/big"
)

const (
	maxExactBits = 20_000
	// nearOne are the decimal places of the distance from 1 within which a logarithm equals that
	// distance.
	nearOne = 20
	// maxDegree is the largest degree of roots that are computed on integers.
	maxDegree = 100
)

var (
	maxRoundedExponent = powerOfTen(20)
	ln10               = constant("23025850929940456840179914546843642076011014886288", 49)
)

func constant(digits string, places int) rational {
	return rational{parseInteger(digits), powerOfTen(places), false}
}

// floorRoot returns the largest integer whose power of degree is at most value, which is not
// negative.
func floorRoot(value *big.Int, degree int64) *big.Int {
	if value.Cmp(big.NewInt(2)) < 0 {
		return value
	}
	guess := new(big.Int).Lsh(big.NewInt(1), uint(int64(bitsOf(value))/degree+1))
	before, bigDegree := big.NewInt(degree-1), big.NewInt(degree)
	for {
		next := product(before, guess)
		next.Add(next, quotient(value, new(big.Int).Exp(guess, before, nil)))
		next.Quo(next, bigDegree)
		if next.Cmp(guess) >= 0 {
			return guess
		}
		guess = next
	}
}

// root returns a root: exact when it is a fraction, else to keptDigits digits. It fails when there
// is no real one, or the degree is not positive.
func root(value rational, degree *big.Int) (rational, error) {
	if degree.Sign() < 1 {
		return rational{}, undefinedResult(
			fmt.Sprintf("Cannot take the root of degree %s: expected 1 up", degree))
	}
	if value.num.Sign() < 0 {
		if degree.Bit(0) == 1 {
			positive, err := root(negate(value), degree)
			return negate(positive), err
		}
		return rational{}, undefinedResult(
			"Cannot take an even root of a negative number: the result is not real")
	}
	if value.num.Sign() == 0 {
		return value, nil
	}
	if degree.Cmp(big.NewInt(maxDegree)) > 0 {
		logarithm, err := naturalLogarithm(value)
		if err != nil {
			return rational{}, err
		}
		share, err := divide(logarithm, whole(degree, true))
		if err != nil {
			return rational{}, err
		}
		return exponential(share)
	}
	return rootOnIntegers(value, degree.Int64())
}

func rootOnIntegers(value rational, degree int64) (rational, error) {
	above, below := floorRoot(value.num, degree), floorRoot(value.den, degree)
	exponent := big.NewInt(degree)
	isWhole := new(big.Int).Exp(above, exponent, nil).Cmp(value.num) == 0 &&
		new(big.Int).Exp(below, exponent, nil).Cmp(value.den) == 0
	if isWhole {
		return rational{above, below, value.exact}, nil
	}
	leading := float64(leadingExponent(value.num, value.den))
	places := max(0, keptDigits+2-int(math.Floor(leading/float64(degree))))
	scaled := quotient(product(value.num, powerOfTen(places*int(degree))), value.den)
	return fraction(floorRoot(scaled, degree), powerOfTen(places), false)
}

// roundedPower returns a power with an integer exponent. It rounds at each step, with more digits
// than the steps lose.
func roundedPower(base rational, exponent *big.Int) (rational, error) {
	const digits = 2 * keptDigits
	result := rounded(big.NewInt(1), big.NewInt(1), digits, false)
	square := rounded(base.num, base.den, digits, false)
	for bit := range exponent.BitLen() {
		if exponent.Bit(bit) == 1 {
			num, den := product(result.num, square.num), product(result.den, square.den)
			result = rounded(num, den, digits, false)
		}
		if bit < exponent.BitLen()-1 {
			num, den := product(square.num, square.num), product(square.den, square.den)
			square = rounded(num, den, digits, false)
		}
	}
	return fraction(result.num, result.den, false)
}

// checkSize refuses a power before its computation when it would be out of range.
func checkSize(base, exponent rational) error {
	logarithm, err := naturalLogarithm(base)
	if err != nil {
		return err
	}
	scaled, err := multiply(exponent, logarithm)
	if err != nil {
		return err
	}
	digits := toDouble(scaled) / math.Ln10
	if math.Abs(digits) <= maxDigits {
		return nil
	}
	if digits > 0 {
		return outOfRange("The power")
	}
	return outOfRange("The power's reciprocal")
}

func integerPower(base, exponent rational) (rational, error) {
	times := new(big.Int).Abs(exponent.num)
	// Only for bases near 1 are such powers within range.
	if times.Cmp(maxRoundedExponent) > 0 {
		return exponentialOf(base, exponent)
	}
	count, _ := new(big.Float).SetInt(times).Float64()
	bits := float64(max(bitsOf(base.num), bitsOf(base.den))) * count
	isLong := bits > maxExactBits && !isOne(base.den)
	var result rational
	var err error
	if !base.exact || !exponent.exact || isLong {
		result, err = roundedPower(base, times)
	} else {
		num, den := new(big.Int).Exp(base.num, times, nil), new(big.Int).Exp(base.den, times, nil)
		result, err = fraction(num, den, true)
	}
	if err != nil || exponent.num.Sign() >= 0 {
		return result, err
	}
	return divide(one, result)
}

// exponentialOf returns a power of a positive base by its logarithm, in double precision.
func exponentialOf(base, exponent rational) (rational, error) {
	logarithm, err := naturalLogarithm(base)
	if err != nil {
		return rational{}, err
	}
	scaled, err := multiply(exponent, logarithm)
	if err != nil {
		return rational{}, err
	}
	return exponential(scaled)
}

// power returns a power: exact when it is a fraction of moderate length. It fails when the power is
// not real, not defined, or out of range.
func power(base, exponent rational) (rational, error) {
	exact := base.exact && exponent.exact
	if exponent.num.Sign() == 0 {
		return whole(big.NewInt(1), exact), nil
	}
	if base.num.Sign() == 0 {
		if exponent.num.Sign() > 0 {
			return rational{base.num, base.den, exact}, nil
		}
		return rational{}, undefinedResult("Cannot raise zero to a negative power")
	}
	if isInteger(base) && base.num.IsInt64() && isInteger(exponent) {
		if sign := base.num.Int64(); sign == 1 || sign == -1 {
			if exponent.num.Bit(0) == 0 {
				sign = 1
			}
			return whole(big.NewInt(sign), exact), nil
		}
	}
	size := rational{new(big.Int).Abs(base.num), base.den, base.exact}
	if err := checkSize(size, exponent); err != nil {
		return rational{}, err
	}
	if isInteger(exponent) {
		return integerPower(base, exponent)
	}
	if base.num.Sign() < 0 {
		return rational{}, undefinedResult(
			"Cannot raise a negative number to a fractional power: for a real root use root(x, n)")
	}
	return fractionalPower(base, exponent)
}

func fractionalPower(base, exponent rational) (rational, error) {
	if exponent.exact && exponent.den.Cmp(big.NewInt(maxDegree)) <= 0 {
		part, err := root(base, exponent.den)
		if err != nil {
			return rational{}, err
		}
		return integerPower(part, whole(exponent.num, true))
	}
	units := floor(exponent)
	rest, err := subtract(exponent, units)
	if err != nil {
		return rational{}, err
	}
	part, err := exponentialOf(base, rest)
	if err != nil {
		return rational{}, err
	}
	result, err := power(base, units)
	if err != nil {
		return rational{}, err
	}
	return multiply(result, part)
}

// exponential returns e to a power, in double precision.
func exponential(value rational) (rational, error) {
	digits := toDouble(value) / math.Ln10
	if math.Abs(digits) > maxDigits {
		return rational{}, outOfRange("The power")
	}
	tens := integer(int64(math.Trunc(digits)))
	scaled, err := multiply(tens, ln10)
	if err != nil {
		return rational{}, err
	}
	rest, err := subtract(value, scaled)
	if err != nil {
		return rational{}, err
	}
	scale, err := power(ten, tens)
	if err != nil {
		return rational{}, err
	}
	return multiply(fromDouble(math.Exp(toDouble(rest))), scale)
}
