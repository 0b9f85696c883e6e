package svc

import (
	"bytes"
	"context"
	"io"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/loop"
)

const chatPath = "/chat/completions"

type (
	chatModel = loop.Model[ChatRequest, ChatCompletion, ToolCall, ChatChunk]
	chatEvent = loop.Event[ChatCompletion, ToolCall, ChatChunk]
)

// chatTurns returns the source of turns of Chat Completions.
func chatTurns(t *transport, options turnOptions) chatModel {
	return func(ctx context.Context, request ChatRequest, _ int, yield func(chatEvent) error) error {
		request.Extra = streaming(request.Extra, options.isStream)
		sent, err := post(chatPath, request, options.settings)
		if err != nil {
			return err
		}
		if options.isStream {
			return streamChat(ctx, t, sent, options, yield)
		}
		got, data, err := t.json(ctx, sent)
		if err != nil {
			return err
		}
		turn := &ChatCompletion{}
		if fields.Decode(data, turn) != nil || !turn.isSound() {
			return got.failure(data, "the service answered with something else than Chat Completions")
		}
		turn.complete(got.requestID(data))
		if text := turn.Text(); text != "" {
			if err := yield(chatEvent{Kind: loop.TextDelta, Text: text}); err != nil {
				return err
			}
		}
		return endChat(turn, yield)
	}
}

func streamChat(ctx context.Context, t *transport, sent call, options turnOptions, yield func(chatEvent) error) error {
	stream, err := t.events(ctx, sent)
	if err != nil {
		return err
	}
	defer stream.close()
	merger := chunkMerger{}
	for {
		data, err := stream.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		chunk := &ChatChunk{}
		if fields.DecodeValid(bytes.Clone(data), chunk) != nil || !chunk.isSound() {
			return stream.failure(data, "the service answered with something else than Chat Completions")
		}
		chunk.readable()
		merger.add(chunk)
		isBill := len(chunk.Choices) == 0 && (chunk.Metadata != nil || chunk.Usage != nil)
		stream.isOver = stream.isOver || isBill && merger.isComplete()
		if err := tellChat(chunk, options, yield); err != nil {
			return err
		}
	}
	completion, ok := merger.completion()
	if !ok {
		return &ConnectionError{Message: "the stream ended without a finish reason"}
	}
	id := ""
	if completion.Metadata != nil {
		id = completion.Metadata.RequestID
	}
	if id == "" {
		id = stream.response.Header.Get("x-request-id")
	}
	completion.complete(id)
	return endChat(completion, yield)
}

// tellChat passes on a chunk and the events in its first choice, the one that a loop continues with.
func tellChat(chunk *ChatChunk, options turnOptions, yield func(chatEvent) error) error {
	if options.onTask != nil {
		if progress, ok := taskProgress(chunk.Orchestration, chunk.Text()); ok {
			options.onTask(progress)
		}
	}
	if err := yield(chatEvent{Kind: loop.Chunk, Chunk: chunk}); err != nil || options.chunksOnly || !chunk.IsReply() {
		return err
	}
	for at := range chunk.Choices {
		if chunk.Choices[at].Index != 0 {
			continue
		}
		delta := &chunk.Choices[at].Delta
		for _, event := range []chatEvent{
			{Kind: loop.ReasoningDelta, Text: delta.ReasoningContent},
			{Kind: loop.TextDelta, Text: delta.Content.String()},
		} {
			if event.Text == "" {
				continue
			}
			if err := yield(event); err != nil {
				return err
			}
		}
		if len(delta.ToolCalls) > 0 {
			return yield(chatEvent{Kind: loop.ToolCallDelta})
		}
		return nil
	}
	return nil
}

// endChat passes on the events of a complete turn: its calls, its usage and its end.
func endChat(turn *ChatCompletion, yield func(chatEvent) error) error {
	for _, call := range turn.callsOf() {
		if err := yield(chatEvent{Kind: loop.ToolCall, Call: call}); err != nil {
			return err
		}
	}
	if turn.Usage != nil {
		if err := yield(chatEvent{Kind: loop.TurnUsage, Usage: turn.Usage.tokens()}); err != nil {
			return err
		}
	}
	return yield(chatEvent{Kind: loop.Finish, FinishReason: turn.finishReason(), Turn: turn})
}

// complete adds the usage from the bill where the completion has none, and the request's id.
func (c *ChatCompletion) complete(requestID string) {
	for at := range c.Choices {
		answerable(&c.Choices[at].Message)
	}
	if c.Usage == nil && c.Metadata != nil {
		if bill := addBilling([]*Billing{c.Metadata.Billing}); bill != nil {
			c.Usage = &ChatUsage{
				PromptTokens: bill.InputTokens, CompletionTokens: bill.OutputTokens,
				TotalTokens:         bill.TotalTokens,
				PromptTokensDetails: &PromptTokensDetails{CachedTokens: bill.CachedInputTokens},
			}
		}
	}
	c.RequestID = requestID
}

func (c *ChatCompletion) finishReason() loop.FinishReason {
	if len(c.Choices) == 0 {
		return loop.Other
	}
	switch reason := c.Choices[0].FinishReason; reason {
	case "stop", "length", "content_filter", "tool_calls":
		return loop.FinishReason(reason)
	case "function_call":
		return loop.ToolCalls
	}
	return loop.Other
}

func (u *ChatUsage) tokens() loop.Usage {
	usage := loop.Usage{InputTokens: u.PromptTokens, OutputTokens: u.CompletionTokens, TotalTokens: u.TotalTokens}
	if u.PromptTokensDetails != nil {
		usage.CachedInputTokens = u.PromptTokensDetails.CachedTokens
	}
	if u.CompletionTokensDetails != nil {
		usage.ReasoningTokens = u.CompletionTokensDetails.ReasoningTokens
	}
	if usage.TotalTokens == 0 {
		usage.TotalTokens = usage.InputTokens + usage.OutputTokens
	}
	return usage
}
