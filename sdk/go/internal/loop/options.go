package loop

import (
	"context"
	"fmt"
	"time"

	"svc.example/sdk/go/tool"
)

// Model runs one turn of the model, streamed or not, and passes on its events. It returns an error
// of yield unchanged.
type Model[C, T, K, E any] func(ctx context.Context, conversation C, step int, yield func(Event[T, K, E]) error) error

// Conversation writes turns into the conversation of one surface. Each function returns a new
// conversation.
type Conversation[C, T, K any] struct {
	// WithAssistantTurn appends the assistant's turn with its complete tool calls.
	WithAssistantTurn func(C, *T) C
	// WithToolResults appends results of the turn's calls, in call order; never none.
	WithToolResults func(C, []ToolResult[K]) C
	// WithAutoToolChoice relaxes a forced tool choice. Called after every turn that called a tool: a
	// choice that stays forced would call tools endlessly.
	WithAutoToolChoice func(C) C
	// MayCallTools is false when the next turn cannot call a tool: its text is then known to be the
	// answer while it arrives.
	MayCallTools func(C) bool
}

// Limits bound a loop; zero values mean the defaults.
type Limits struct {
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
	// none.
	ToolTimeout time.Duration
}

// Options of a loop.
type Options[C, T, K, E any] struct {
	Limits
	Conversation C
	Surface      Conversation[C, T, K]
	Model        Model[C, T, K, E]
	// Tools run here, each name once.
	Tools []tool.Tool
	// IsManual names tools whose calls the caller answers itself; nil: none.
	IsManual func(name string) bool
	// Budget returns a sentence to refuse a turn, or an empty text to continue.
	Budget func(context.Context, BudgetRequest[C]) (string, error)
	// StopWhen ends the loop after a step whose calls have all been answered.
	StopWhen func([]Step[T, K]) bool
	// PrepareStep is called before each turn and returns the conversation to continue with.
	PrepareStep func(context.Context, Preparation[C, T, K]) (C, error)
	// OnTextDelta receives the pieces of the final answer, and no other text.
	OnTextDelta func(string)
	// OnIntermediateText receives the text that a turn writes beside tool calls.
	OnIntermediateText func(string)
	// OnReasoningDelta receives the pieces of the reasoning.
	OnReasoningDelta func(string)
	// OnToolResult receives each tool result, in call order.
	OnToolResult func(ToolResult[K])
	// OnStep receives each complete step.
	OnStep func(Step[T, K])
	// OnChunk receives each chunk as it arrives; an error ends the loop.
	OnChunk func(*E) error
}

// settings fills in the defaults.
func (l Limits) settings() (Limits, error) {
	for _, one := range []struct {
		name  string
		limit *int
		usual int
	}{
		{"MaxSteps", &l.MaxSteps, 8},
		{"MaxToolCallsPerStep", &l.MaxToolCallsPerStep, 32},
		{"MaxParallelToolCalls", &l.MaxParallelToolCalls, 8},
		{"MaxArgumentChars", &l.MaxArgumentChars, 1_000_000},
		{"MaxResultChars", &l.MaxResultChars, 100_000},
	} {
		if *one.limit < 0 {
			return l, fmt.Errorf("cannot run with %s %d: it must not be negative", one.name, *one.limit)
		}
		if *one.limit == 0 {
			*one.limit = one.usual
		}
	}
	if l.ToolTimeout == 0 {
		l.ToolTimeout = time.Minute
	}
	return l, nil
}
