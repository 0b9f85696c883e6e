package loop

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"time"

	"svc.example/sdk/go/tool"
)

// runTool runs one tool call. Invalid arguments and failures of the tool become a result that the
// model reads.
func (r *run[C, T, K, E]) runTool(ctx context.Context, call Call[K]) ToolResult[K] {
	known, ok := r.tools[call.Name]
	if !ok || known.Handler == nil {
		message := fmt.Sprintf("There is no handler for a tool named %s", quoted(firstUnits(call.Name, 64)))
		return errorResult(call, "tool_handler_not_found", message, nil)
	}
	if ctx.Err() != nil {
		return errorResult(call, "tool_aborted", "The run was aborted; the tool did not start", nil)
	}
	arguments, problem := parseArguments(call.Arguments, r.MaxArgumentChars)
	if problem != "" {
		return errorResult(call, "invalid_tool_arguments", problem, nil)
	}
	limit := known.Timeout
	if limit == 0 {
		limit = r.ToolTimeout
	}
	timed, cancel := context.WithCancel(ctx)
	if limit > 0 {
		timed, cancel = context.WithTimeout(ctx, limit)
	}
	defer cancel()
	done := make(chan outcome[K], 1)
	go r.runHandler(tool.WithCallID(timed, call.ID), known.Handler, call, arguments, done)
	select {
	case got := <-done:
		if !got.isStopped {
			return got.result
		}
	case <-timed.Done():
	}
	if ctx.Err() != nil {
		return errorResult(call, "tool_aborted", "The run was aborted; the tool may have taken effect", nil)
	}
	message := fmt.Sprintf("The tool was stopped after %d ms; it may have taken effect", limit/time.Millisecond)
	return errorResult(call, "tool_timeout", message, nil)
}

// outcome is the result of a handler. isStopped is set for a handler that ended because its time was
// over.
type outcome[K any] struct {
	result    ToolResult[K]
	isStopped bool
}

// runHandler runs a handler in its own goroutine and tells its outcome, also when it panics or ends
// the goroutine. Methods of what it returns are the application's code as well: they run here, too.
func (r *run[C, T, K, E]) runHandler(
	ctx context.Context, handler tool.Handler, call Call[K], arguments json.RawMessage, done chan<- outcome[K],
) {
	got := outcome[K]{result: failed(call, errors.New("the handler ended its goroutine"))}
	defer func() {
		if value := recover(); value != nil {
			got.result = failed(call, &PanicError{Value: value, Stack: debug.Stack()})
		}
		done <- got
	}()
	err := caught(func() error {
		value, err := handler(ctx, arguments)
		if err == nil {
			got.result = successResult(call, value, r.MaxResultChars)
		}
		return err
	})
	if err != nil {
		got.isStopped = ctx.Err() != nil && errors.Is(err, ctx.Err())
		got.result = r.failure(call, err)
	}
}

// caught returns a panic of a function as its error.
func caught(function func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return function()
}

// failure returns the result for an error of a handler. A nil [tool.Error] in an error has no message.
func (r *run[C, T, K, E]) failure(call Call[K], err error) ToolResult[K] {
	var told *tool.Error
	if !errors.As(err, &told) || told == nil {
		return failed(call, err)
	}
	code := told.Code
	if code == "" {
		code = "tool_failed"
	}
	message, _ := cutText(strings.ToValidUTF8(told.Message, "\uFFFD"), r.MaxResultChars)
	return errorResult(call, code, message, err)
}

// failed returns a result that keeps the cause from the model.
func failed[K any](call Call[K], cause error) ToolResult[K] {
	return errorResult(call, "tool_failed", "The tool failed", cause)
}

// parseArguments returns the arguments as valid JSON, or the problem. The text is not quoted: it may
// hold secrets, and the model knows its own input.
func parseArguments(text string, longest int) (arguments json.RawMessage, problem string) {
	if len(text) > longest && units(text) > longest {
		return nil, fmt.Sprintf("The arguments are longer than %d characters", longest)
	}
	trimmed := strings.TrimSpace(text)
	// Some models write null where a tool takes nothing.
	if trimmed == "" || trimmed == "null" {
		return json.RawMessage("{}"), ""
	}
	if !json.Valid([]byte(trimmed)) {
		return nil, "The arguments are not valid JSON"
	}
	return json.RawMessage(trimmed), ""
}
