package runs

import "fmt"

// ToolResult is the result of one tool call.
type ToolResult[K any] struct {
	// Call is the call.
	Call Call[K]
	// IsError is true where Text is {"error": {"code", "message"}}, written by the loop.
	IsError bool
	// Code is the kind of the error; empty without one.
	Code string
	// Text is what the model reads, within the limit on its length.
	Text string
	// IsCut is true where Text is the beginning of the result, with a label at its end that says so.
	IsCut bool
	// Output is the complete value that the tool returned; nil for an error.
	Output any
	// Cause is the error or the panic of the tool, for the application's log; the model never sees
	// it. It is not part of the JSON of a result.
	Cause error `json:"-"`
}

// PanicError is the cause of a result whose handler panicked.
type PanicError struct {
	// Value is that of the panic.
	Value any
	// Stack is that of the goroutine that panicked.
	Stack []byte
}

// Error tells the value.
func (e *PanicError) Error() string { return fmt.Sprintf("the tool panicked: %v", e.Value) }

// Unwrap returns the value, where it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
