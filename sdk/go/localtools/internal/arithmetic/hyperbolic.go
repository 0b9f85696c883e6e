package arithmetic

import "math"

// The hyperbolic functions of the standard library lose digits near zero, where the exponential is
// near 1: these compute with its distance from 1.

// farFromZero is the argument from which on the exponential has digits enough.
const farFromZero = 20

func sinh(value float64) float64 {
	size := math.Abs(value)
	if size > farFromZero {
		return math.Sinh(value)
	}
	distance := math.Expm1(size)
	return math.Copysign((distance+distance/(distance+1))/2, value)
}

func cosh(value float64) float64 {
	if math.Abs(value) > farFromZero {
		return math.Cosh(value)
	}
	distance := math.Expm1(math.Abs(value))
	return 1 + distance*distance/(2*(distance+1))
}

func tanh(value float64) float64 {
	size := math.Abs(value)
	if size > farFromZero {
		return math.Tanh(value)
	}
	distance := math.Expm1(2 * size)
	return math.Copysign(distance/(distance+2), value)
}
