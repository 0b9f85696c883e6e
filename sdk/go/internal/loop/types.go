package loop

import "svc.example/sdk/go/runs"

// The public types of a run.
type (
	// Call is a complete tool call.
	Call[K any] = runs.Call[K]
	// FinishReason is the reason for the end of a turn.
	FinishReason = runs.FinishReason
	// Usage counts tokens.
	Usage = runs.Usage
	// StoppedBy is the reason for the end of a loop.
	StoppedBy = runs.StoppedBy
	// Step is a turn of the model with the results of its calls.
	Step[T, K any] = runs.Step[T, K]
	// ToolResult is the result of one tool call.
	ToolResult[K any] = runs.ToolResult[K]
	// PanicError is the cause of a result whose handler panicked.
	PanicError = runs.PanicError
	// Preparation is the input of Options.PrepareStep.
	Preparation[C, T, K any] = runs.Preparation[C, T, K]
	// BudgetRequest is the input of a budget's decision.
	BudgetRequest[C any] = runs.BudgetRequest[C]
)

// The reasons for the end of a loop.
const (
	ByFinish    = runs.ByFinish
	ByToolCalls = runs.ByToolCalls
	ByStopWhen  = runs.ByStopWhen
	ByMaxSteps  = runs.ByMaxSteps
	ByBudget    = runs.ByBudget
	ByAborted   = runs.ByAborted
	ByError     = runs.ByError
)

// The reasons for the end of a turn.
const (
	Stop          = runs.Stop
	Length        = runs.Length
	ToolCalls     = runs.ToolCalls
	ContentFilter = runs.ContentFilter
	Other         = runs.Other
)
