package localtools

import (
	"context"

	"svc.example/sdk/go/localtools/internal/arithmetic"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// CalculatorResult is the result of calculator for the model.
type CalculatorResult struct {
	// Result has decimal digits; with an exponent when the number is very large or small and not
	// exact.
	Result string `json:"result"`
	// Exact is false when Result is rounded.
	Exact bool `json:"exact"`
	// Fraction is the exact value, for a number without a finite decimal form.
	Fraction string `json:"fraction,omitempty"`
}

// Calculator returns the tool calculator: arithmetic on exact fractions. Numbers have at most 5,000
// digits; larger numbers and invalid expressions are refused with the position and the expected
// token. Its result is a [CalculatorResult].
func Calculator() tool.Tool {
	return declared("calculator", func(_ context.Context, input *value.Object) (any, error) {
		result, err := arithmetic.Evaluate(input.Text("expression"))
		if err != nil {
			return nil, err
		}
		return CalculatorResult(result), nil
	})
}
