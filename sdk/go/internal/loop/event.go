// Package loop is the one agent loop: a model, its tools, and the steps from turn to turn.
//
// It knows no wire shape and no network: a surface provides a [Model] and a [Conversation].
package loop

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

// Kind tells which members an event has.
type Kind int

// The kinds of events of a model's turn.
const (
	// TextDelta has the next piece of the answer in Text.
	TextDelta Kind = iota
	// ReasoningDelta has the next piece of the reasoning in Text.
	ReasoningDelta
	// ToolCallDelta tells that a tool call has begun.
	ToolCallDelta
	// ToolCall has a complete Call. It runs once the turn is complete.
	ToolCall
	// TurnUsage has the Usage of the turn; a later one replaces it.
	TurnUsage
	// Chunk has a chunk as received.
	Chunk
	// Finish has the FinishReason and the Turn. A turn without it was cut.
	Finish
)

// Event is an event of a model's turn.
type Event[T, K, E any] struct {
	Kind         Kind
	Text         string
	Call         Call[K]
	Usage        Usage
	Chunk        *E
	FinishReason FinishReason
	Turn         *T
}
