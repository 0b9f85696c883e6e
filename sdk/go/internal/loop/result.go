package loop

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
