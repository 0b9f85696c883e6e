package svc

import (
	"context"

	"svc.example/sdk/go/tool"
)

// ToolError is a failure of a tool with a message for the model, so that it can try another way. The
// text of any other error is withheld from the model: it may hold secrets.
type ToolError = tool.Error

// NewTool returns a tool that runs a Go function; see [tool.New].
func NewTool[Input, Output any](
	name, description string, run func(ctx context.Context, input Input) (Output, error),
) (Tool, error) {
	return tool.New(name, description, run)
}

// ToolCallID returns the id of the call that a handler was started for; empty outside a call.
func ToolCallID(ctx context.Context) string { return tool.CallID(ctx) }
