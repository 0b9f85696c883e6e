package runs

// Preparation is the input of the option PrepareStep.
type Preparation[C, T, K any] struct {
	// Conversation is the one that would be sent.
	Conversation C
	// Step is the position of the next step, from 0.
	Step int
	// Steps are the complete steps so far.
	Steps []Step[T, K]
}

// BudgetRequest is the input of a budget's decision.
type BudgetRequest[C any] struct {
	// Conversation is the one to be sent.
	Conversation C
	// Step is the position of the step to be paid for, from 0.
	Step int
	// Usage is that of the previous steps.
	Usage Usage
}
