package tool

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"

	"github.com/google/jsonschema-go/jsonschema"
)

// New returns a tool that runs a Go function. Its parameters are the JSON Schema of Input, which
// must be a struct: fields are named by their json tag, those without omitempty are required, and the
// tag jsonschema describes them to the model. No other property is allowed.
//
// The arguments are checked against the schema before the function runs. The model receives what is
// wrong with them, with the code invalid_tool_arguments.
//
// It returns an error for a type that JSON Schema cannot express, and for no function.
func New[Input, Output any](
	name, description string, run func(ctx context.Context, input Input) (Output, error),
) (Tool, error) {
	if run == nil {
		return Tool{}, fmt.Errorf("cannot make the tool %q: its function is nil", name)
	}
	schema, err := jsonschema.For[Input](nil)
	if err != nil {
		return Tool{}, fmt.Errorf("cannot make the tool %q: %w", name, err)
	}
	if schema.Type != "object" {
		return Tool{}, fmt.Errorf("cannot make the tool %q: its input is no struct", name)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		return Tool{}, fmt.Errorf("cannot make the tool %q: %w", name, err)
	}
	parameters, err := json.Marshal(schema)
	if err != nil {
		return Tool{}, fmt.Errorf("cannot make the tool %q: %w", name, err)
	}
	handler := func(ctx context.Context, arguments json.RawMessage) (any, error) {
		input, err := decode[Input](resolved, arguments)
		if err != nil {
			return nil, &Error{Code: "invalid_tool_arguments", Message: "Invalid arguments: " + err.Error(), Err: err}
		}
		return run(ctx, input)
	}
	return Tool{Name: name, Description: description, Parameters: parameters, Handler: handler}, nil
}

func decode[Input any](schema *jsonschema.Resolved, arguments json.RawMessage) (Input, error) {
	var input Input
	var value any
	if err := json.Unmarshal(arguments, &value); err != nil {
		return input, err
	}
	if err := schema.Validate(value); err != nil {
		return input, err
	}
	decoder := json.NewDecoder(bytes.NewReader(arguments))
	return input, decoder.Decode(&input)
}
