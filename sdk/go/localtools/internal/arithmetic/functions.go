package arithmetic

import (
	"math"
	"math/big"
)

// function is a function of the calculator.
type function struct {
	name string
	// min and max are the numbers of arguments; max is anyNumber for no limit.
	min, max int
	of       func(values []rational) (rational, error)
}

const anyNumber = math.MaxInt

func unary(name string, of func(rational) (rational, error)) function {
	return function{name, 1, 1, func(values []rational) (rational, error) { return of(values[0]) }}
}

// sure is a function of one argument that cannot fail.
func sure(name string, of func(rational) rational) function {
	return unary(name, func(value rational) (rational, error) { return of(value), nil })
}

func binary(name string, of func(a, b rational) (rational, error)) function {
	return function{name, 2, 2, func(values []rational) (rational, error) {
		return of(values[0], values[1])
	}}
}

func optional(name string, fallback rational, of func(a, b rational) (rational, error)) function {
	return function{name, 1, 2, func(values []rational) (rational, error) {
		return of(values[0], append(values[1:], fallback)[0])
	}}
}

func variadic(name string, of func(values []rational) (rational, error)) function {
	return function{name, 1, anyNumber, of}
}

// functions are in the order in which a message lists them.
var functions []function

// constants are none of them exact.
var constants map[string]rational

func init() {
	pi := constant("3141592653589793238462643383279502884197", 39)
	constants = map[string]rational{
		"pi": pi, "π": pi, "tau": must(multiply(integer(2), pi)),
		"e":   constant("2718281828459045235360287471352662497757", 39),
		"phi": must(divide(must(add(one, must(root(integer(5), big.NewInt(2))))), integer(2))),
	}
	functions = []function{
		sure("abs", func(value rational) rational {
			return rational{new(big.Int).Abs(value.num), value.den, value.exact}
		}),
		sure("sign", func(value rational) rational {
			return whole(big.NewInt(int64(value.num.Sign())), value.exact)
		}),
		sure("floor", floor),
		sure("ceil", func(value rational) rational { return negate(floor(negate(value))) }),
		sure("trunc", truncate),
		optional("round", zero, round),
		variadic("min", func(values []rational) (rational, error) { return extreme(values, -1), nil }),
		variadic("max", func(values []rational) (rational, error) { return extreme(values, 1), nil }),
		variadic("sum", sum),
		variadic("mean", mean),
		variadic("avg", mean),
		variadic("median", median),
		variadic("gcd", commonDivisor),
		variadic("lcm", commonMultiple),
		binary("mod", modulo),
		unary("factorial", factorial),
		binary("choose", choose),
		binary("pow", power),
		unary("sqrt", func(value rational) (rational, error) { return root(value, big.NewInt(2)) }),
		unary("cbrt", func(value rational) (rational, error) { return root(value, big.NewInt(3)) }),
		binary("root", func(value, degree rational) (rational, error) {
			count, err := wholeOf(degree, "a root of the degree")
			if err != nil {
				return rational{}, err
			}
			return root(value, count)
		}),
		unary("exp", exponential),
		unary("ln", naturalLogarithm),
		optional("log", ten, logarithm),
		unary("log10", func(value rational) (rational, error) { return logarithm(value, ten) }),
		unary("log2", func(value rational) (rational, error) { return logarithm(value, integer(2)) }),
		unary("radians", func(degrees rational) (rational, error) {
			return scaled(degrees, pi, integer(180))
		}),
		unary("degrees", func(radians rational) (rational, error) {
			return scaled(radians, integer(180), pi)
		}),
		unary("sin", sine),
		unary("cos", cosine),
		unary("tan", tangent),
		double("asin", math.Asin),
		double("acos", math.Acos),
		double("atan", math.Atan),
		double("sinh", sinh),
		double("cosh", cosh),
		double("tanh", tanh),
	}
}

// must returns a value that was computed from constants.
func must(value rational, err error) rational {
	if err != nil {
		panic(err)
	}
	return value
}

func functionNamed(name string) (function, bool) {
	for _, known := range functions {
		if known.name == name {
			return known, true
		}
	}
	return function{}, false
}

// wholeOf returns an argument that must be an integer.
func wholeOf(value rational, of string) (*big.Int, error) {
	if isInteger(value) {
		return value.num, nil
	}
	return nil, undefinedResult("Cannot compute " + of + " of a number that is not an integer")
}

func truncate(value rational) rational {
	return whole(quotient(value.num, value.den), value.exact)
}

// scaled returns value * by / divisor.
func scaled(value, by, divisor rational) (rational, error) {
	result, err := multiply(value, by)
	if err != nil {
		return rational{}, err
	}
	return divide(result, divisor)
}

// round rounds to decimal places; halves go away from zero: 2.5 becomes 3 and -2.5 becomes -3.
func round(value, places rational) (rational, error) {
	count, err := wholeOf(places, "round() to a number of places")
	if err != nil {
		return rational{}, err
	}
	if !count.IsInt64() || max(count.Int64(), -count.Int64()) > maxDigits {
		return rational{}, outOfRange("The number of places")
	}
	if at := int(count.Int64()); at >= 0 {
		scale := powerOfTen(at)
		return fraction(nearestInteger(product(value.num, scale), value.den), scale, value.exact)
	}
	scale := powerOfTen(int(-count.Int64()))
	num := product(nearestInteger(value.num, product(value.den, scale)), scale)
	return fraction(num, big.NewInt(1), value.exact)
}

// modulo returns the remainder with the sign of the divisor, so that mod(-7, 3) is 2.
func modulo(value, divisor rational) (rational, error) { return remainderBy(value, divisor, floor) }

// remainder returns the remainder with the sign of the dividend, as the operator %: -7 % 3 is -1.
func remainder(value, divisor rational) (rational, error) {
	return remainderBy(value, divisor, truncate)
}

func remainderBy(value, divisor rational, toWhole func(rational) rational) (rational, error) {
	ratio, err := divide(value, divisor)
	if err != nil {
		return rational{}, err
	}
	multiple, err := multiply(divisor, toWhole(ratio))
	if err != nil {
		return rational{}, err
	}
	return subtract(value, multiple)
}

// double returns a function that is computed in double precision.
func double(name string, compute func(float64) float64) function {
	return unary(name, func(value rational) (rational, error) {
		result := compute(toDouble(value))
		if math.IsNaN(result) {
			return rational{}, undefinedResult(
				"Cannot compute " + name + "() there: the result is not a real number")
		}
		if math.IsInf(result, 0) {
			return rational{}, outOfRange("The result of " + name + "()")
		}
		return fromDouble(result), nil
	})
}

const largestAngle = 1e9

// sine returns the sine of an angle in radians. The angle is first reduced towards zero: doubles of
// large angles, and of those near half a turn, have too few digits.
func sine(angle rational) (rational, error) {
	if math.Abs(toDouble(angle)) > largestAngle {
		return rational{}, refused("out_of_range",
			"Cannot compute with an angle of more than 1000000000 radians")
	}
	turns, err := divide(angle, constants["pi"])
	if err != nil {
		return rational{}, err
	}
	halves := nearestInteger(turns.num, turns.den)
	rest := angle
	if halves.Sign() != 0 {
		turned, err := multiply(whole(halves, true), constants["pi"])
		if err != nil {
			return rational{}, err
		}
		if rest, err = subtract(angle, turned); err != nil {
			return rational{}, err
		}
	}
	result := fromDouble(math.Sin(toDouble(rest)))
	if halves.Bit(0) == 1 {
		return negate(result), nil
	}
	return result, nil
}

func cosine(angle rational) (rational, error) {
	quarter, err := divide(constants["pi"], integer(2))
	if err != nil {
		return rational{}, err
	}
	turned, err := add(angle, quarter)
	if err != nil {
		return rational{}, err
	}
	return sine(turned)
}

func tangent(angle rational) (rational, error) {
	divisor, err := cosine(angle)
	if err != nil {
		return rational{}, err
	}
	if divisor.num.Sign() == 0 {
		return rational{}, undefinedResult("Cannot compute tan() there: it has no value")
	}
	dividend, err := sine(angle)
	if err != nil {
		return rational{}, err
	}
	return divide(dividend, divisor)
}
