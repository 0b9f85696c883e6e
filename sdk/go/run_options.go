package svc

import (
	"context"
	"slices"
	"time"

	"svc.example/sdk/go/internal/loop"
	"svc.example/sdk/go/runs"
)

// The types of a run, shared by all surfaces.
type (
	// Usage counts the tokens of a run, in the same unit for every surface.
	Usage = runs.Usage
	// StoppedBy is the reason for the end of a run.
	StoppedBy = runs.StoppedBy
	// FinishReason is the reason for the end of a turn, independent of any provider.
	FinishReason = runs.FinishReason
	// PanicError is the cause of a tool result whose handler panicked.
	PanicError = runs.PanicError
	// Step is a turn of the model with the results of its calls.
	Step[Turn, Call any] = runs.Step[Turn, Call]
	// LoopCall is a complete tool call, whatever the surface.
	LoopCall[Call any] = runs.Call[Call]
	// ToolResult is the result of one tool call.
	ToolResult[Call any] = runs.ToolResult[Call]
	// StepPreparation is the input of PrepareStep.
	StepPreparation[Request, Turn, Call any] = runs.Preparation[Request, Turn, Call]
	// BudgetRequest is the input of Budget.
	BudgetRequest[Request any] = runs.BudgetRequest[Request]
)

// The reasons for the end of a run.
const (
	// StoppedByFinish: the model ended a turn without calling a tool. Only then is there a FinalText.
	StoppedByFinish = runs.ByFinish
	// StoppedByToolCalls: the model called tools that the caller runs itself; they are in
	// PendingCalls.
	StoppedByToolCalls = runs.ByToolCalls
	// StoppedByStopWhen: the condition of the option StopWhen held.
	StoppedByStopWhen = runs.ByStopWhen
	// StoppedByMaxSteps: the bound on turns was reached before the model was done.
	StoppedByMaxSteps = runs.ByMaxSteps
	// StoppedByBudget: the option Budget refused the next turn; its sentence is in Refusal.
	StoppedByBudget = runs.ByBudget
	// StoppedByAborted: the context ended the run.
	StoppedByAborted = runs.ByAborted
	// StoppedByError: a turn or a callback failed.
	StoppedByError = runs.ByError
)

// The reasons for the end of a turn.
const (
	// FinishStop: the model was done.
	FinishStop = runs.Stop
	// FinishLength: the limit on output tokens cut the turn.
	FinishLength = runs.Length
	// FinishToolCalls: the model called tools.
	FinishToolCalls = runs.ToolCalls
	// FinishContentFilter: a filter of the provider cut the turn.
	FinishContentFilter = runs.ContentFilter
	// FinishOther: any other reason.
	FinishOther = runs.Other
)

// The options of a run, by surface.
type (
	// RunChatOptions are the options of a run of Chat Completions.
	RunChatOptions = RunOptions[ChatRequest, ChatCompletion, ToolCall, ChatChunk]
	// RunResponseOptions are the options of a run of Responses.
	RunResponseOptions = RunOptions[ResponseRequest, Response, ResponseItem, ResponseEvent]
	// RunMessageOptions are the options of a run of Messages.
	RunMessageOptions = RunOptions[MessageRequest, Message, Block, MessageEvent]
)

// RunOptions are the options of a run. Its callbacks are called on the goroutine of the caller, in
// the order of the events; handlers of tools run on goroutines of their own.
type RunOptions[Request, Turn, Call, Event any] struct {
	// MaxSteps is the most turns of the model; 0 means 8.
	MaxSteps int
	// MaxToolCallsPerStep is the most calls that run of one turn; those beyond it get an error
	// result. 0 means 32.
	MaxToolCallsPerStep int
	// MaxParallelToolCalls is the most calls that run at a time; 0 means 8.
	MaxParallelToolCalls int
	// MaxArgumentChars is the longest JSON text of a call's input, in UTF-16 code units; 0 means
	// 1 000 000.
	MaxArgumentChars int
	// MaxResultChars is the longest result that the model reads, in UTF-16 code units, its label not
	// counted; 0 means 100 000.
	MaxResultChars int
	// ToolTimeout is the longest run of a tool without its own limit; 0 means 60 seconds, below 0:
	// none. A handler that goes on after its context has ended keeps its goroutine.
	ToolTimeout time.Duration
	// Tools are registered for this run, beside the client's; of two of one name the run's counts.
	Tools []Tool
	// ToolHandlers are registered for this run by tool name.
	ToolHandlers map[string]ToolHandler
	// ManualTools names tools whose calls the caller answers itself: they end the run
	// (StoppedByToolCalls) and stand in PendingCalls.
	ManualTools []string
	// AllManual makes every call one for the caller to answer.
	AllManual bool
	// Budget is asked before each turn; a text that is not empty refuses it.
	Budget func(context.Context, BudgetRequest[Request]) (string, error)
	// StopWhen ends the run after a step whose calls have all been answered.
	StopWhen func(steps []Step[Turn, Call]) bool
	// PrepareStep is called before each turn and returns the request to continue with.
	PrepareStep func(context.Context, StepPreparation[Request, Turn, Call]) (Request, error)
	// OnTextDelta receives the pieces of the final answer's text, and no other text. In a turn that
	// could still call a tool they are held until its end: only then are they known to be the answer.
	OnTextDelta func(text string)
	// OnIntermediateText receives the text that a turn writes beside tool calls.
	OnIntermediateText func(text string)
	// OnReasoningDelta receives the pieces of the reasoning, where the provider shows it.
	OnReasoningDelta func(text string)
	// OnToolResult receives each tool result, in call order.
	OnToolResult func(ToolResult[Call])
	// OnStep receives each complete step.
	OnStep func(Step[Turn, Call])
	// OnTask receives the progress of tasks of a request that the service splits. Only streams have
	// it.
	OnTask func(TaskProgress)
	// OnEvent receives each event as it arrives. Only streams have them. An error ends the run.
	OnEvent func(*Event) error
	// Call are the options of each request.
	Call []CallOption
}

func (o *RunOptions[Request, Turn, Call, Event]) loopOptions() loop.Options[Request, Turn, Call, Event] {
	limits := loop.Limits{
		MaxSteps: o.MaxSteps, MaxToolCallsPerStep: o.MaxToolCallsPerStep,
		MaxParallelToolCalls: o.MaxParallelToolCalls, MaxArgumentChars: o.MaxArgumentChars,
		MaxResultChars: o.MaxResultChars, ToolTimeout: o.ToolTimeout,
	}
	isManual := func(name string) bool { return o.AllManual || slices.Contains(o.ManualTools, name) }
	return loop.Options[Request, Turn, Call, Event]{
		Limits: limits, IsManual: isManual, Budget: o.Budget, StopWhen: o.StopWhen,
		PrepareStep: o.PrepareStep, OnTextDelta: o.OnTextDelta, OnIntermediateText: o.OnIntermediateText,
		OnReasoningDelta: o.OnReasoningDelta, OnToolResult: o.OnToolResult, OnStep: o.OnStep,
		OnChunk: o.OnEvent,
	}
}

// RunResult is the result of a run; each surface adds its history.
type RunResult[Turn, Call any] struct {
	// StoppedBy is the reason for the end.
	StoppedBy StoppedBy
	// FinalText is the text of the last turn when StoppedBy is StoppedByFinish, else empty.
	FinalText string
	// FinishReason is that of the last complete turn; empty when there was none.
	FinishReason FinishReason
	// Steps are the complete steps, in order.
	Steps []Step[Turn, Call]
	// Usage is the sum of all steps, as reported.
	Usage Usage
	// PendingCalls are for the caller to answer, in call order.
	PendingCalls []LoopCall[Call]
	// Unfinished is the turn that an error cut, as far as it came; else nil.
	Unfinished *Step[Turn, Call]
	// Refusal is the budget's sentence where StoppedBy is StoppedByBudget.
	Refusal string
	// Response is the last complete turn; nil when there was none.
	Response *Turn
	// Billing is the bill of all turns; nil when the service sent none.
	Billing *Billing
	// RequestID is that of the last turn, to quote to the operator.
	RequestID string
}

// runTo runs to the end, and returns the result with the conversation. After a failure of the very
// first request there is no result.
func (r runner[C, T, K, E]) runTo(
	ctx context.Context, request C, options RunOptions[C, T, K, E], isStream bool,
) (*RunResult[T, K], C, error) {
	own := &registered{tools: options.Tools, handlers: options.ToolHandlers}
	it, err := r.ready(request, own, turnOptions{
		isStream: isStream, settings: callSettingsOf(options.Call), onTask: options.OnTask})
	if err != nil {
		return nil, request, err
	}
	result, err := r.run(ctx, it, options.loopOptions())
	if err != nil {
		return nil, request, err
	}
	isBegun := len(result.Steps) > 0 || result.Unfinished != nil && len(result.Unfinished.Results) > 0
	if result.Err != nil && !isBegun {
		return nil, result.Conversation, result.Err
	}
	outcome := &RunResult[T, K]{
		StoppedBy: result.StoppedBy, FinalText: result.FinalText, FinishReason: result.FinishReason,
		Steps: result.Steps, Usage: result.Usage, PendingCalls: result.PendingCalls,
		Unfinished: result.Unfinished, Refusal: result.Refusal,
	}
	var bills []*Billing
	for _, step := range result.Steps {
		bill, id := r.about(step.Turn)
		bills = append(bills, bill)
		outcome.Response, outcome.RequestID = step.Turn, id
	}
	outcome.Billing = addBilling(bills)
	return outcome, result.Conversation, result.Err
}
