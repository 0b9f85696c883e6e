package svc

import (
	"encoding/json"

	"svc.example/sdk/go/internal/loop"
)

// messageWriter writes the chunks of one streamed chat answer as the events of a message.
//
// Thinking and text are passed on as they arrive. Tool calls are when they are complete: pieces of
// several may come mixed, some providers sign a call in its last piece, and a block's signatures
// belong in its first event.
type messageWriter struct {
	request *MessageRequest
	// said are the blocks so far; the last one is open.
	said      []spoken
	id, model string
	isBegun   bool
}

// add returns the events of the next chunk: none for tasks that prepare the reply.
func (w *messageWriter) add(chunk *ChatChunk) []MessageEvent {
	if !chunk.IsReply() {
		return nil
	}
	for at := range chunk.Choices {
		if chunk.Choices[at].Index != 0 {
			continue
		}
		delta := &chunk.Choices[at].Delta
		events := w.begin(chunk.ID, chunk.Model)
		for _, piece := range spokenIn(delta.ReasoningContent, delta.Content, delta.Refusal, delta.Extra) {
			events = append(events, w.say(piece)...)
		}
		return events
	}
	return nil
}

// end returns the last events of a complete answer, and its message.
func (w *messageWriter) end(turn *ChatCompletion) ([]MessageEvent, *Message) {
	events := w.begin(turn.ID, turn.Model)
	said := w.said
	if said == nil {
		said = []spoken{}
	}
	message := messageOf(turn, w.request, said)
	message.ID, message.Model = w.id, w.model
	if last := len(said) - 1; last >= 0 && message.Content[last].Signature != "" {
		events = append(events, w.delta(MessageDelta{Type: "signature_delta", Signature: message.Content[last].Signature}))
	}
	events = append(events, w.close()...)
	for at := len(said); at < len(message.Content); at++ {
		events = append(events, wholeBlock(&message.Content[at], at)...)
	}
	delta := &MessageDelta{StopReason: message.StopReason, StopSequence: message.StopSequence, StopDetails: message.StopDetails,
		Extra: Extra{"stop_reason": null, "stop_sequence": null, "stop_details": null, "container": null}}
	usage := message.Usage
	return append(events,
		MessageEvent{Type: "message_delta", Delta: delta, Usage: &usage, Metadata: message.Metadata},
		MessageEvent{Type: "message_stop"}), message
}

func (w *messageWriter) begin(id, model string) []MessageEvent {
	if w.isBegun {
		return nil
	}
	w.id, w.model, w.isBegun = id, model, true
	extra := Extra{"stop_reason": null, "stop_sequence": null, "stop_details": null, "container": null, "diagnostics": null}
	return []MessageEvent{{Type: "message_start", Message: &Message{ID: id, Model: model, Type: "message",
		Role: "assistant", Content: []Block{}, Usage: noUsage(), Extra: extra}}}
}

// say continues the open block when the piece is of its kind; else opens another one.
func (w *messageWriter) say(piece spoken) []MessageEvent {
	delta := MessageDelta{Type: "text_delta", Text: piece.text}
	if piece.isThinking {
		delta = MessageDelta{Type: "thinking_delta", Thinking: piece.text}
	}
	if last := len(w.said) - 1; last >= 0 && w.said[last].isThinking == piece.isThinking {
		w.said[last].text += piece.text
		return []MessageEvent{w.delta(delta)}
	}
	events := w.close()
	w.said = append(w.said, piece)
	block := spoken{isThinking: piece.isThinking}.block()
	index := len(w.said) - 1
	return append(events, MessageEvent{Type: "content_block_start", Index: &index, ContentBlock: &block}, w.delta(delta))
}

func (w *messageWriter) delta(delta MessageDelta) MessageEvent {
	index := len(w.said) - 1
	return MessageEvent{Type: "content_block_delta", Index: &index, Delta: &delta}
}

func (w *messageWriter) close() []MessageEvent {
	index := len(w.said) - 1
	if index < 0 {
		return nil
	}
	return []MessageEvent{{Type: "content_block_stop", Index: &index}}
}

// wholeBlock returns the events of a block that is complete when it begins.
func wholeBlock(block *Block, index int) []MessageEvent {
	begun := *block
	var events []MessageEvent
	if block.Type == "tool_use" {
		begun.Input = json.RawMessage("{}")
		if !isEqualJSON(block.Input, begun.Input) {
			text := argumentsOf(block.Input, block.Arguments, block.Arguments != "")
			events = append(events, MessageEvent{Type: "content_block_delta", Index: &index,
				Delta: &MessageDelta{Type: "input_json_delta", PartialJSON: text}})
		}
	}
	start := MessageEvent{Type: "content_block_start", Index: &index, ContentBlock: &begun}
	stop := MessageEvent{Type: "content_block_stop", Index: &index}
	return append(append([]MessageEvent{start}, events...), stop)
}

// loopEvents returns the loop's events in an event of the surface.
func (e *MessageEvent) loopEvents() []messageTurn {
	events := []messageTurn{{Kind: loop.Chunk, Chunk: e}}
	if e.Type != "content_block_delta" || e.Delta == nil {
		return events
	}
	switch e.Delta.Type {
	case "text_delta":
		events = append(events, messageTurn{Kind: loop.TextDelta, Text: e.Delta.Text})
	case "thinking_delta":
		events = append(events, messageTurn{Kind: loop.ReasoningDelta, Text: e.Delta.Thinking})
	}
	return events
}
