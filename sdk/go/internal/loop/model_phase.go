package loop

import (
	"context"
	"fmt"
)

// modelPhase runs one turn of the model and writes its events into the draft of the step.
func (r *run[C, T, K, E]) modelPhase(ctx context.Context) error {
	turn, end := context.WithCancel(ctx)
	defer end()
	mayCall := r.Surface.MayCallTools == nil || r.Surface.MayCallTools(r.conversation)
	text := turnText{final: r.OnTextDelta, intermediate: r.OnIntermediateText}
	if !mayCall {
		text.tell = r.OnTextDelta
		text.isKnown = true
	}
	err := r.Model(turn, r.conversation, r.draft.Index, func(event Event[T, K, E]) error {
		r.record(event)
		text.add(event.Kind, event.Text)
		switch {
		case event.Kind == ReasoningDelta && r.OnReasoningDelta != nil:
			r.OnReasoningDelta(event.Text)
		case event.Kind == Chunk && r.OnChunk != nil:
			if err := r.OnChunk(event.Chunk); err != nil {
				return err
			}
		}
		if event.Kind == Finish {
			// A complete turn counts, also when the context ended with its last event.
			return nil
		}
		return turn.Err()
	})
	if err != nil {
		return err
	}
	if r.draft.Turn == nil {
		return fmt.Errorf("cannot use the turn of step %d: it ended without a finish event", r.draft.Index)
	}
	// Some providers report "stop" beside tool calls. A turn that was cut keeps its reason.
	if len(r.draft.Calls) > 0 && (r.draft.FinishReason == Stop || r.draft.FinishReason == Other) {
		r.draft.FinishReason = ToolCalls
	}
	return nil
}

func (r *run[C, T, K, E]) record(event Event[T, K, E]) {
	switch event.Kind {
	case TextDelta:
		r.draft.Text += event.Text
	case ReasoningDelta:
		r.draft.Reasoning += event.Text
	case ToolCall:
		r.draft.Calls = append(r.draft.Calls, event.Call)
	case TurnUsage:
		r.draft.Usage = &event.Usage
	case Finish:
		r.draft.FinishReason, r.draft.Turn = event.FinishReason, event.Turn
	}
}

// turnText passes the text of one turn to one of two callbacks: that of the final answer, or that of
// text beside tool calls. Text is held until one of the two is certain: the first call, or the
// turn's end. A turn that cannot call tools holds nothing.
type turnText struct {
	final, intermediate, tell func(string)
	isKnown                   bool
	held                      []string
}

func (t *turnText) add(kind Kind, text string) {
	switch kind {
	case TextDelta:
		t.held = append(t.held, text)
	case ToolCallDelta, ToolCall:
		t.isKnown, t.tell = true, t.intermediate
	case Finish:
		if !t.isKnown {
			t.isKnown, t.tell = true, t.final
		}
	}
	if !t.isKnown {
		return
	}
	for _, piece := range t.held {
		if t.tell != nil {
			t.tell(piece)
		}
	}
	t.held = nil
}
