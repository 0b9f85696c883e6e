package loop

import (
	"context"
	"fmt"
	"strings"
)

// toolPhase answers every call of a turn except those of manual tools, which it returns. Calls run
// concurrently; results are told and recorded in call order, each as soon as it and all earlier ones
// are there.
func (r *run[C, T, K, E]) toolPhase(ctx context.Context) []Call[K] {
	var pending []Call[K]
	var running []chan ToolResult[K]
	turnstile := make(chan struct{}, r.MaxParallelToolCalls)
	before := chan struct{}(nil)
	for _, call := range r.draft.Calls {
		if r.IsManual != nil && r.IsManual(call.Name) {
			pending = append(pending, call)
			continue
		}
		done := make(chan ToolResult[K], 1)
		if refused, ok := r.refuse(call, len(running)); ok {
			done <- refused
		} else {
			// Starts in call order: each waits for the one before it to be through the turnstile.
			entered := make(chan struct{})
			go func(before chan struct{}) {
				if before != nil {
					<-before
				}
				turnstile <- struct{}{}
				close(entered)
				defer func() { <-turnstile }()
				done <- r.runTool(ctx, call)
			}(before)
			before = entered
		}
		running = append(running, done)
	}
	for _, done := range running {
		result := <-done
		r.draft.Results = append(r.draft.Results, result)
		if r.OnToolResult != nil {
			r.OnToolResult(result)
		}
	}
	return pending
}

// refuse returns the result of a call that must not run.
func (r *run[C, T, K, E]) refuse(call Call[K], before int) (ToolResult[K], bool) {
	if before >= r.MaxToolCallsPerStep {
		message := fmt.Sprintf("Only %d tool calls run in one turn; this one did not", r.MaxToolCallsPerStep)
		return errorResult(call, "too_many_tool_calls", message, nil), true
	}
	// A cut object never parses, but one cut before its first character would pass for an empty one.
	isCut := r.draft.FinishReason == Length || r.draft.FinishReason == ContentFilter
	if isCut && strings.TrimSpace(call.Arguments) == "" {
		return errorResult(call, "invalid_tool_arguments", "The turn was cut before the arguments", nil), true
	}
	return ToolResult[K]{}, false
}
