package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"svc.example/sdk/go/tool"
)

// vectors are the cases that all client libraries share.
const vectors = "../../../tests/conformance/vectors/"

func readVectors(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile(vectors + name)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		t.Fatal(err)
	}
}

// pieces is a text, or a list of texts with the number of their repetitions.
type pieces string

func (p *pieces) UnmarshalJSON(text []byte) error {
	var plain string
	if json.Unmarshal(text, &plain) == nil {
		*p = pieces(plain)
		return nil
	}
	var repeated [][2]json.RawMessage
	if err := json.Unmarshal(text, &repeated); err != nil {
		return err
	}
	var built strings.Builder
	for _, piece := range repeated {
		var unit string
		var times int
		if err := errors.Join(json.Unmarshal(piece[0], &unit), json.Unmarshal(piece[1], &times)); err != nil {
			return err
		}
		built.WriteString(strings.Repeat(unit, times))
	}
	*p = pieces(built.String())
	return nil
}

func raw(t testing.TB, input any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(input)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// call runs a tool as a loop would, and returns its result as JSON values.
func call(t testing.TB, called tool.Tool, input any) (map[string]any, error) {
	t.Helper()
	return callWith(t, t.Context(), called, raw(t, input))
}

func callWith(t testing.TB, ctx context.Context, called tool.Tool, arguments json.RawMessage) (map[string]any, error) {
	t.Helper()
	result, err := called.Handler(tool.WithCallID(ctx, "call_1"), arguments)
	if err != nil {
		return nil, err
	}
	var members map[string]any
	if err := json.Unmarshal(raw(t, result), &members); err != nil {
		t.Fatal(err)
	}
	return members, nil
}

// must returns a tool that was created without an error.
func must(t testing.TB) func(created tool.Tool, err error) tool.Tool {
	return func(created tool.Tool, err error) tool.Tool {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return created
	}
}

// refusal runs a call that must fail with a code, and returns the message for the model.
func refusal(t testing.TB, called tool.Tool, input any, code string) string {
	t.Helper()
	result, err := call(t, called, input)
	return refusalOf(t, result, err, code)
}

func refusalOf(t testing.TB, result map[string]any, err error, code string) string {
	t.Helper()
	var known *tool.Error
	if !errors.As(err, &known) {
		t.Fatalf("expected the code %s, got %v and %v", code, result, err)
	}
	if known.Code != code {
		t.Fatalf("expected the code %s, got %s: %s", code, known.Code, known.Message)
	}
	return known.Message
}

func wantText(t testing.TB, text, part string) {
	t.Helper()
	if !strings.Contains(text, part) {
		t.Errorf("expected %q in %q", part, text)
	}
}
