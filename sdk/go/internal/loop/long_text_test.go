package loop

import (
	"context"
	"runtime"
	"testing"
)

// TestLongTextIsCopiedOnce: a turn of many pieces does not copy its text again with each of them.
func TestLongTextIsCopiedOnce(t *testing.T) {
	const pieces = 20_000
	type turn struct{}
	model := func(_ context.Context, _ int, _ int, yield func(Event[turn, int, int]) error) error {
		for range pieces {
			for _, kind := range []Kind{TextDelta, ReasoningDelta} {
				if err := yield(Event[turn, int, int]{Kind: kind, Text: "0123456789"}); err != nil {
					return err
				}
			}
		}
		return yield(Event[turn, int, int]{Kind: Finish, FinishReason: Stop, Turn: &turn{}})
	}
	surface := Conversation[int, turn, int]{WithAssistantTurn: func(conversation int, _ *turn) int { return conversation }}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := Run(context.Background(), Options[int, turn, int, int]{Model: model, Surface: surface})
	runtime.ReadMemStats(&after)
	if err != nil || len(result.FinalText) != 10*pieces || len(result.Steps[0].Reasoning) != 10*pieces {
		t.Fatal(err, result.Err)
	}
	if allocated := after.TotalAlloc - before.TotalAlloc; allocated > 100*10*pieces {
		t.Errorf("%d bytes were allocated for a text of %d", allocated, 10*pieces)
	}
}
