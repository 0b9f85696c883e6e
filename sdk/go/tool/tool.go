// Package tool is the contract between a model's tool call and the Go function that answers it.
//
// The client, the loop and the local tools depend on this package; it depends on none of them.
package tool

import (
	"context"
	"encoding/json"
	"time"
)

// Handler runs one call of a tool.
//
// The arguments are the model's JSON text: a valid JSON value, "{}" when the model wrote nothing. A
// handler checks them itself; handlers that [New] makes do so against the tool's schema.
//
// The context ends when the result is no longer needed, or when the time limit of the call is over;
// [CallID] returns the id of the call. Handlers of one turn run at the same time.
//
// A returned string is sent to the model as it is, any other value as JSON; nil is sent as null. Of
// an error, the model reads the message of an [*Error] that errors.As finds, and of any other error
// only that there was one: its text may hold secrets. A panic is such an error too.
type Handler func(ctx context.Context, arguments json.RawMessage) (any, error)

// Tool is a function that a model may call.
type Tool struct {
	// Name is 1 to 64 characters of [A-Za-z0-9_-].
	Name string
	// Description is the purpose of the tool; the model reads it to decide on a call.
	Description string
	// Parameters is the JSON Schema (draft 2020-12) of the arguments: a JSON object. Nil: the tool
	// takes any object.
	Parameters json.RawMessage
	// Handler runs a call. Nil: the tool is only declared; a handler that is registered under its
	// name answers, or else the application.
	Handler Handler
	// Timeout is the longest run of one call. Zero: the limit of the run. Negative: none.
	Timeout time.Duration
}

// Error is a failure with a message for the model, so that it can try another way.
type Error struct {
	// Code is the kind of the failure in snake_case. Empty means "tool_failed".
	Code string
	// Message is for the model.
	Message string
	// Err is the cause; the model does not read it. It may be nil.
	Err error
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

type callIDKey struct{}

// WithCallID returns a context that carries the id of a call. Runners use it.
func WithCallID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, callIDKey{}, id)
}

// CallID returns the id of the call that a handler was started for; empty outside a call.
func CallID(ctx context.Context) string {
	id, _ := ctx.Value(callIDKey{}).(string)
	return id
}
