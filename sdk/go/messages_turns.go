package svc

import (
	"context"

	"svc.example/sdk/go/internal/loop"
)

type (
	messageModel = loop.Model[MessageRequest, Message, Block, MessageEvent]
	messageTurn  = loop.Event[Message, Block, MessageEvent]
)

// messageTurns returns the source of turns of Messages: turns of Chat Completions, converted in both
// directions.
func messageTurns(t *transport, options turnOptions) messageModel {
	chat := chatTurns(t, options)
	return func(ctx context.Context, request MessageRequest, step int, yield func(messageTurn) error) error {
		model, err := checkModel(request.Model, request.Extra)
		if err != nil {
			return err
		}
		request.Model = model
		converted, err := chatRequestOf(request)
		if err != nil {
			return err
		}
		writer := &messageWriter{request: &request}
		return chat(ctx, converted, step, func(event chatEvent) error {
			for _, one := range writer.convert(event, options.isStream) {
				if err := yield(one); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// convert returns the events of a message for an event of a chat answer.
func (w *messageWriter) convert(event chatEvent, isStream bool) []messageTurn {
	switch event.Kind {
	case loop.Chunk:
		return loopEventsOf(w.add(event.Chunk))
	case loop.ToolCallDelta:
		return []messageTurn{{Kind: loop.ToolCallDelta}}
	case loop.TurnUsage:
		return []messageTurn{{Kind: loop.TurnUsage, Usage: event.Usage}}
	case loop.Finish:
		return w.finish(event, isStream)
	}
	// The message has its own events for text and calls.
	return nil
}

func (w *messageWriter) finish(event chatEvent, isStream bool) []messageTurn {
	var turns []messageTurn
	var message *Message
	if isStream {
		events, whole := w.end(event.Turn)
		message = whole
		for at := range events {
			turns = append(turns, messageTurn{Kind: loop.Chunk, Chunk: &events[at]})
		}
	} else {
		message = messageOf(event.Turn, w.request, nil)
		for _, block := range message.Content {
			switch block.Type {
			case "text":
				turns = append(turns, messageTurn{Kind: loop.TextDelta, Text: block.Text})
			case "thinking":
				turns = append(turns, messageTurn{Kind: loop.ReasoningDelta, Text: block.Thinking})
			}
		}
	}
	for _, block := range message.Content {
		if block.Type == "tool_use" {
			_, isWritten := block.Extra["arguments"]
			text := argumentsOf(block.Input, block.Arguments, block.Arguments != "" || isWritten)
			turns = append(turns, messageTurn{Kind: loop.ToolCall, Call: loop.Call[Block]{
				ID: block.ID, Name: block.Name, Arguments: text, Raw: block}})
		}
	}
	return append(turns, messageTurn{Kind: loop.Finish, FinishReason: event.FinishReason, Turn: message})
}

func loopEventsOf(events []MessageEvent) []messageTurn {
	var turns []messageTurn
	for at := range events {
		turns = append(turns, events[at].loopEvents()...)
	}
	return turns
}
