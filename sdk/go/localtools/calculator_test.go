package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"svc.example/sdk/go/tool"
)

type calculatorVectors struct {
	Exact                 map[string]string
	Rounded               map[string]string
	Fractions             []struct{ Expression, Result, Fraction string }
	Unreadable, Undefined []struct {
		Expression pieces
		Message    string
	}
	Hostile []pieces
}

func compute(t testing.TB, expression string) (CalculatorResult, error) {
	t.Helper()
	result, err := Calculator().Handler(t.Context(), raw(t, map[string]string{"expression": expression}))
	if err != nil {
		return CalculatorResult{}, err
	}
	return result.(CalculatorResult), nil
}

func computeRefusal(t *testing.T, expression string) *tool.Error {
	t.Helper()
	result, err := compute(t, expression)
	var refused *tool.Error
	if !errors.As(err, &refused) {
		t.Fatalf("expected a refusal of %.100q, got %v and %v", expression, result, err)
	}
	return refused
}

func TestCalculatorVectors(t *testing.T) {
	var vectors calculatorVectors
	readVectors(t, "tools-calculator.json", &vectors)
	for isExact, table := range map[bool]map[string]string{true: vectors.Exact, false: vectors.Rounded} {
		for expression, expected := range table {
			result, err := compute(t, expression)
			if want := (CalculatorResult{Result: expected, Exact: isExact}); err != nil || result != want {
				t.Errorf("%s: got %v and %v, expected %v", expression, result, err, want)
			}
		}
	}
	for _, fraction := range vectors.Fractions {
		result, err := compute(t, fraction.Expression)
		isEqual := result.Result == fraction.Result && !result.Exact &&
			(fraction.Fraction == "" || result.Fraction == fraction.Fraction)
		if err != nil || !isEqual {
			t.Errorf("%s: got %v and %v", fraction.Expression, result, err)
		}
	}
	for _, refused := range vectors.Unreadable {
		wantText(t, computeRefusal(t, string(refused.Expression)).Message, refused.Message)
	}
	for _, refused := range vectors.Undefined {
		err := computeRefusal(t, string(refused.Expression))
		wantText(t, err.Message, refused.Message)
		if err.Code != "undefined_result" {
			t.Errorf("%s: %s", refused.Expression, err.Code)
		}
	}
	for _, expression := range vectors.Hostile {
		err := computeRefusal(t, string(expression))
		if err.Code != "out_of_range" && !strings.Contains(err.Message, "nested more than") {
			t.Errorf("%.60s: %v", expression, err)
		}
	}
}

func TestTheLargestNumbersAreWhole(t *testing.T) {
	for expression, expected := range map[string]string{
		"10^4999": "1" + strings.Repeat("0", 4_999),
		"1000!":   new(big.Int).MulRange(1, 1_000).String(),
	} {
		if result, err := compute(t, expression); err != nil || result.Result != expected {
			t.Errorf("%s: got %v and %v", expression, result, err)
		}
	}
	long, err := compute(t, "1/1600!")
	if err != nil || long.Exact || long.Fraction != "" {
		t.Errorf("got %v and %v", long, err)
	}
	wantText(t, long.Result, "e-4434")
}

// sample is an expression together with its value as a fraction, computed independently.
type sample struct {
	text  string
	value *big.Rat
}

func someSample(random *rand.Rand, depth int) sample {
	if depth == 0 || random.IntN(3) == 0 {
		text := strconv.FormatFloat(float64(random.IntN(100_000))/100, 'f', random.IntN(4), 64)
		value, _ := new(big.Rat).SetString(text)
		return sample{text, value}
	}
	one, other := someSample(random, depth-1), someSample(random, depth-1)
	sign := "+-*/"[random.IntN(4)]
	value := new(big.Rat)
	switch sign {
	case '+':
		value.Add(one.value, other.value)
	case '-':
		value.Sub(one.value, other.value)
	case '*':
		value.Mul(one.value, other.value)
	default:
		if other.value.Sign() == 0 {
			return one
		}
		value.Quo(one.value, other.value)
	}
	return sample{"(" + one.text + ") " + string(sign) + " (" + other.text + ")", value}
}

func TestResultsEqualThoseOfAnIndependentOracle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	compared := 0
	for range 500 {
		sample := someSample(random, 4)
		result, err := compute(t, sample.text)
		if err != nil {
			t.Fatalf("%s: %v", sample.text, err)
		}
		text := result.Result
		if result.Fraction != "" {
			text = result.Fraction
		} else if !result.Exact {
			continue
		}
		compared++
		if value, isNumber := new(big.Rat).SetString(text); !isNumber || value.Cmp(sample.value) != 0 {
			t.Fatalf("%s: got %s, expected %s", sample.text, text, sample.value)
		}
	}
	if compared < 300 {
		t.Errorf("only %d results were compared", compared)
	}
}

func TestDoublePrecisionFunctionsAgreeWithTheLibrary(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for name, expected := range map[string]func(float64) float64{
		"sin": math.Sin, "cos": math.Cos, "atan": math.Atan, "exp": math.Exp,
	} {
		for range 50 {
			argument := float64(random.IntN(20_000)-10_000) / 1_000
			result, err := compute(t, name+"("+strconv.FormatFloat(argument, 'f', -1, 64)+")")
			if err != nil {
				t.Fatal(err)
			}
			number, _ := strconv.ParseFloat(result.Result, 64)
			if want := expected(argument); math.Abs(number-want) > 1e-13*max(1, math.Abs(want)) {
				t.Errorf("%s(%v): got %v, expected %v", name, argument, number, want)
			}
		}
	}
}

func FuzzCalculator(f *testing.F) {
	for _, seed := range []string{"1+1", "sqrt(2)^3", "5%*3", "max(1,2)!", "1e9^9", "((", "1,234.5"} {
		f.Add(seed)
	}
	number := regexp.MustCompile(`^-?\d+(\.\d+)?(e[+-]\d+)?$`)
	f.Fuzz(func(t *testing.T, expression string) {
		arguments, err := json.Marshal(map[string]string{"expression": expression})
		if err != nil {
			t.Skip()
		}
		result, err := Calculator().Handler(context.Background(), arguments)
		var refused *tool.Error
		switch {
		case err != nil && !errors.As(err, &refused):
			t.Errorf("%q: %v", expression, err)
		case err == nil && !number.MatchString(reflect.ValueOf(result).Field(0).String()):
			t.Errorf("%q: %v", expression, result)
		}
	})
}
