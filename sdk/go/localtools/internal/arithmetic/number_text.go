package arithmetic

import (
	"math/big"
	"strconv"
	"strings"
)

// Result is a number in the calculator's output.
type Result struct {
	// Result has decimal digits; with an exponent when the number is very large or small and not
	// exact.
	Result string `json:"result"`
	// Exact is false when Result is rounded.
	Exact bool `json:"exact"`
	// Fraction is the exact value, for a number without a finite decimal form.
	Fraction string `json:"fraction,omitempty"`
}

const (
	// fractionDigits are the decimal digits of a fraction such as 1/3.
	fractionDigits   = 30
	longestFraction  = 60
	mostPlaces       = 1_000
	mostLeadingZeros = 20
)

// splitExponent splits a number such as 1.25e-7 into the digits 125 and the exponent -7.
func splitExponent(text string) (digits string, exponent int) {
	mantissa, after, _ := strings.Cut(strings.ToLower(text), "e")
	exponent, _ = strconv.Atoi(after)
	return strings.Replace(mantissa, ".", "", 1), exponent
}

func parseInteger(digits string) *big.Int {
	number, isNumber := new(big.Int).SetString(digits, 10)
	if !isNumber {
		return new(big.Int)
	}
	return number
}

// parseDecimal reads a decimal number in the form 12.5e-3, exactly.
func parseDecimal(text string) (rational, error) {
	mantissa, after, _ := strings.Cut(strings.ToLower(text), "e")
	exponent := 0
	if after != "" {
		read, err := strconv.Atoi(after)
		if err != nil || max(read, -read) > maxDigits {
			return rational{}, outOfRange("The number")
		}
		exponent = read
	}
	units, decimals, _ := strings.Cut(mantissa, ".")
	digits := parseInteger(units + decimals)
	if places := len(decimals) - exponent; places > 0 {
		return fraction(digits, powerOfTen(places), true)
	}
	return fraction(product(digits, powerOfTen(exponent-len(decimals))), big.NewInt(1), true)
}

// placesOf returns the decimal places of a fraction in lowest terms; false when they are infinite
// or too many.
func placesOf(den *big.Int) (int, bool) {
	rest := new(big.Int).Set(den)
	most := 0
	for _, factor := range []int64{2, 5} {
		divisor, remainder := big.NewInt(factor), new(big.Int)
		times := 0
		for ; times <= mostPlaces; times++ {
			next, _ := new(big.Int).QuoRem(rest, divisor, remainder)
			if remainder.Sign() != 0 {
				break
			}
			rest = next
		}
		most = max(most, times)
	}
	return most, isOne(rest) && most <= mostPlaces
}

func describe(value rational) Result {
	places, isFinite := placesOf(value.den)
	if value.exact && isFinite {
		leading := 0
		if value.num.Sign() != 0 {
			leading = leadingExponent(value.num, value.den)
		}
		digits := quotient(product(value.num, powerOfTen(places)), value.den).String()
		if leading < -mostLeadingZeros {
			return Result{Result: scientific(digits, leading), Exact: true}
		}
		return Result{Result: plain(digits, places), Exact: true}
	}
	if !value.exact {
		return Result{Result: approximately(value, doubleDigits)}
	}
	result := Result{Result: approximately(value, fractionDigits)}
	if text := value.num.String() + "/" + value.den.String(); len(text) <= longestFraction {
		result.Fraction = text
	}
	return result
}

// approximately returns the number rounded to significant digits, without trailing zeros.
func approximately(value rational, count int) string {
	if value.num.Sign() == 0 {
		return "0"
	}
	short := toSignificant(value, count)
	leading := leadingExponent(short.num, short.den)
	shift := count - 1 - leading
	var digits *big.Int
	if shift >= 0 {
		digits = quotient(product(short.num, powerOfTen(shift)), short.den)
	} else {
		digits = quotient(short.num, powerOfTen(-shift))
	}
	const smallestPlain, largestPlain = -6, 21
	switch {
	case leading < smallestPlain || leading >= largestPlain:
		return scientific(digits.String(), leading)
	case shift < 0:
		return product(digits, powerOfTen(-shift)).String()
	case shift == 0:
		return digits.String()
	default:
		return strings.TrimSuffix(strings.TrimRight(plain(digits.String(), shift), "0"), ".")
	}
}

func scientific(digits string, exponent int) string {
	sign, size := splitSign(digits)
	first, rest := size[:1], strings.TrimRight(size[1:], "0")
	if rest != "" {
		rest = "." + rest
	}
	plus := ""
	if exponent >= 0 {
		plus = "+"
	}
	return sign + first + rest + "e" + plus + strconv.Itoa(exponent)
}

func plain(digits string, places int) string {
	if places == 0 {
		return digits
	}
	sign, size := splitSign(digits)
	if missing := places + 1 - len(size); missing > 0 {
		size = strings.Repeat("0", missing) + size
	}
	point := len(size) - places
	return sign + size[:point] + "." + size[point:]
}

func splitSign(digits string) (sign, size string) {
	if size, isNegative := strings.CutPrefix(digits, "-"); isNegative {
		return "-", size
	}
	return "", digits
}
