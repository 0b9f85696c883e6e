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
	done := make(chan outcome, 1)
	go runHandler(tool.WithCallID(timed, call.ID), known.Handler, arguments, done)
	select {
	case got := <-done:
		// A handler that ends because its time is over is one that was stopped.
		if got.err == nil || !errors.Is(got.err, timed.Err()) || timed.Err() == nil {
			return r.answered(call, got)
		}
	case <-timed.Done():
	}
	if ctx.Err() != nil {
		return errorResult(call, "tool_aborted", "The run was aborted; the tool may have taken effect", nil)
	}
	message := fmt.Sprintf("The tool was stopped after %d ms; it may have taken effect", limit/time.Millisecond)
	return errorResult(call, "tool_timeout", message, nil)
}

func (r *run[C, T, K, E]) answered(call Call[K], got outcome) ToolResult[K] {
	if got.err == nil {
		return successResult(call, got.value, r.MaxResultChars)
	}
	var told *tool.Error
	if !errors.As(got.err, &told) {
		return errorResult(call, "tool_failed", "The tool failed", got.err)
	}
	code := told.Code
	if code == "" {
		code = "tool_failed"
	}
	message, _ := cutText(strings.ToValidUTF8(told.Message, "\uFFFD"), r.MaxResultChars)
	return errorResult(call, code, message, got.err)
}

type outcome struct {
	value any
	err   error
}

// runHandler runs a handler in its own goroutine and tells its outcome, also when it panics or ends
// the goroutine.
func runHandler(ctx context.Context, handler tool.Handler, arguments json.RawMessage, done chan<- outcome) {
	got := outcome{err: errors.New("the handler ended its goroutine")}
	defer func() {
		if value := recover(); value != nil {
			got = outcome{err: &PanicError{Value: value, Stack: debug.Stack()}}
		}
		done <- got
	}()
	value, err := handler(ctx, arguments)
	got = outcome{value, err}
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
