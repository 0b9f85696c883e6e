package arithmetic

import (
	"math"
	"math/big"
	"slices"
)

// factorial returns n! of an integer that is not negative.
func factorial(value rational) (rational, error) {
	count, err := wholeOf(value, "the factorial")
	if err != nil {
		return rational{}, err
	}
	if count.Sign() < 0 {
		return rational{}, undefinedResult("Cannot compute the factorial of a negative number")
	}
	size := toDouble(value)
	if digits := size * (math.Log10(size+1) - math.Log10E); digits > maxDigits {
		return rational{}, outOfRange("The factorial")
	}
	return fraction(new(big.Int).MulRange(1, count.Int64()), big.NewInt(1), value.exact)
}

// choose returns the number of ways to choose some of all.
func choose(all, some rational) (rational, error) {
	total, err := wholeOf(all, "choose()")
	if err != nil {
		return rational{}, err
	}
	wanted, err := wholeOf(some, "choose()")
	if err != nil {
		return rational{}, err
	}
	if total.Sign() < 0 || wanted.Sign() < 0 {
		return rational{}, undefinedResult("Cannot choose() with negative numbers")
	}
	exact := all.exact && some.exact
	if wanted.Cmp(total) > 0 {
		return whole(new(big.Int), exact), nil
	}
	if rest := new(big.Int).Sub(total, wanted); wanted.Cmp(rest) > 0 {
		wanted = rest
	}
	// Each factor is at least two.
	if wanted.Cmp(big.NewInt(maxDigits*4)) > 0 {
		return rational{}, outOfRange("The number of choices")
	}
	return waysToChoose(total, wanted.Int64(), exact)
}

func waysToChoose(total *big.Int, count int64, exact bool) (rational, error) {
	ways := big.NewInt(1)
	factor := new(big.Int).Sub(total, big.NewInt(count))
	const stride = 64
	for index := int64(1); index <= count; index++ {
		factor.Add(factor, big.NewInt(1))
		ways.Mul(ways, factor)
		ways.Quo(ways, big.NewInt(index))
		if index%stride == 0 {
			if _, err := fraction(ways, big.NewInt(1), true); err != nil {
				return rational{}, err
			}
		}
	}
	return fraction(ways, big.NewInt(1), exact)
}

func areExact(values []rational) bool {
	return !slices.ContainsFunc(values, func(value rational) bool { return !value.exact })
}

func sum(values []rational) (rational, error) {
	total := zero
	for _, value := range values {
		var err error
		if total, err = add(total, value); err != nil {
			return rational{}, err
		}
	}
	return total, nil
}

func mean(values []rational) (rational, error) {
	total, err := sum(values)
	if err != nil {
		return rational{}, err
	}
	return divide(total, integer(int64(len(values))))
}

func extreme(values []rational, sign int) rational {
	best := values[0]
	for _, next := range values[1:] {
		if compare(next, best)*sign > 0 {
			best = next
		}
	}
	return rational{best.num, best.den, areExact(values)}
}

func median(values []rational) (rational, error) {
	sorted := slices.SortedStableFunc(slices.Values(values), compare)
	middle := len(sorted) / 2
	result := sorted[middle]
	if len(sorted)%2 == 0 {
		var err error
		if result, err = mean(sorted[middle-1 : middle+1]); err != nil {
			return rational{}, err
		}
	}
	return rational{result.num, result.den, areExact(values)}, nil
}

func commonDivisor(values []rational) (rational, error) {
	divisor := new(big.Int)
	for _, value := range values {
		next, err := wholeOf(value, "gcd()")
		if err != nil {
			return rational{}, err
		}
		divisor = new(big.Int).GCD(nil, nil, divisor, new(big.Int).Abs(next))
	}
	return whole(divisor, areExact(values)), nil
}

func commonMultiple(values []rational) (rational, error) {
	multiple := one
	for _, value := range values {
		factor, err := wholeOf(value, "lcm()")
		if err != nil {
			return rational{}, err
		}
		size := new(big.Int).Abs(factor)
		divisor := new(big.Int).GCD(nil, nil, multiple.num, size)
		if divisor.Sign() == 0 {
			multiple = zero
			continue
		}
		num := product(quotient(multiple.num, divisor), size)
		if multiple, err = fraction(num, big.NewInt(1), multiple.exact && value.exact); err != nil {
			return rational{}, err
		}
	}
	return multiple, nil
}
