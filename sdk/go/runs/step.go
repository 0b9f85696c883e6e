package runs

// StoppedBy is the reason for the end of a loop.
type StoppedBy string

// The reasons for the end of a loop.
const (
	// ByFinish: the model ended a turn without calling a tool. Only then is there a final text.
	ByFinish StoppedBy = "finish"
	// ByToolCalls: the model called tools that the caller runs itself; they are in PendingCalls.
	ByToolCalls StoppedBy = "tool_calls"
	// ByStopWhen: the caller's condition held.
	ByStopWhen StoppedBy = "stop_when"
	// ByMaxSteps: the bound on turns was reached before the model was done.
	ByMaxSteps StoppedBy = "max_steps"
	// ByBudget: the budget refused the next turn; see Refusal.
	ByBudget StoppedBy = "budget"
	// ByAborted: the context ended it.
	ByAborted StoppedBy = "aborted"
	// ByError: a turn or a hook failed.
	ByError StoppedBy = "error"
)

// Step is a turn of the model with the results of its calls.
type Step[T, K any] struct {
	// Index is the position in the loop, from 0.
	Index int
	// Text is the turn's text.
	Text string
	// Reasoning is the turn's reasoning, when the provider shows it.
	Reasoning string
	// Calls are the tool calls of the turn, in order.
	Calls []Call[K]
	// Results are in the same order; none for calls of the caller's own tools.
	Results []ToolResult[K]
	// Usage is that of the turn; nil when it was not reported.
	Usage *Usage
	// FinishReason is the reason for the turn's end; empty for an unfinished step.
	FinishReason FinishReason
	// Turn is the answer; nil for an unfinished step.
	Turn *T
}

// Call is a complete tool call.
type Call[K any] struct {
	// ID is the model's own id of the call, or empty.
	ID string
	// Name is that of the function; models do invent names.
	Name string
	// Arguments is the input as JSON text, as the model wrote it; empty text means an empty object.
	Arguments string
	// Raw is the complete call as received; a continuation turn sends it back.
	Raw K
}

// FinishReason is the reason for the end of a turn, independent of any provider.
type FinishReason string

// The reasons for the end of a turn. Length and ContentFilter mean that the text is cut short.
const (
	Stop          FinishReason = "stop"
	Length        FinishReason = "length"
	ToolCalls     FinishReason = "tool_calls"
	ContentFilter FinishReason = "content_filter"
	Other         FinishReason = "other"
)

// Usage counts tokens, in the same unit for every provider.
type Usage struct {
	// InputTokens is the input, cached tokens included.
	InputTokens int64
	// CachedInputTokens were held by the provider's cache.
	CachedInputTokens int64
	// OutputTokens is the output, reasoning included.
	OutputTokens int64
	// ReasoningTokens were reasoning.
	ReasoningTokens int64
	// TotalTokens is the sum of input and output.
	TotalTokens int64
}

// Add returns the sum of two usages.
func (u Usage) Add(other Usage) Usage {
	return Usage{
		InputTokens:       u.InputTokens + other.InputTokens,
		CachedInputTokens: u.CachedInputTokens + other.CachedInputTokens,
		OutputTokens:      u.OutputTokens + other.OutputTokens,
		ReasoningTokens:   u.ReasoningTokens + other.ReasoningTokens,
		TotalTokens:       u.TotalTokens + other.TotalTokens,
	}
}
