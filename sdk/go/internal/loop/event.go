// Package loop is the one agent loop: a model, its tools, and the steps from turn to turn.
//
// It knows no wire shape and no network: a surface provides a [Model] and a [Conversation].
package loop

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
