package loop

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

// Result is the result of a loop.
type Result[C, T, K any] struct {
	// StoppedBy is the reason for the end.
	StoppedBy StoppedBy
	// FinalText is the text of the last turn when StoppedBy is ByFinish, else empty.
	FinalText string
	// FinishReason is that of the last complete turn; empty when there was none.
	FinishReason FinishReason
	// Conversation has every complete step appended. It advances by whole steps: a turn that failed
	// is not in it, so that it can always be sent again.
	Conversation C
	// Steps are the complete steps, in order.
	Steps []Step[T, K]
	// Usage is the sum of all steps and of the unfinished one, as reported.
	Usage Usage
	// PendingCalls are for the caller to answer, in call order.
	PendingCalls []Call[K]
	// Unfinished is the turn that an error cut, as far as it came; else nil.
	Unfinished *Step[T, K]
	// Refusal is the budget's sentence where StoppedBy is ByBudget.
	Refusal string
	// Err is set when StoppedBy is ByError or ByAborted.
	Err error
}
