package svc

import (
	"context"
	"slices"

	"svc.example/sdk/go/internal/loop"
)

// MessageRunResult is the result of a run of Messages.
type MessageRunResult struct {
	RunResult[Message, Block]
	// Messages are all messages so far, to be sent again unchanged.
	Messages []MessageParam
}

// CreateMessage makes one message, in Anthropic's shapes. They are converted here, to and from Chat
// Completions; nothing else is ever sent. Nothing is dropped silently: a field is translated, passed
// on unchanged, or refused before sending, with a [ConfigurationError]. Default tools run as with
// [Client.CreateChatCompletion].
func (c *Client) CreateMessage(ctx context.Context, request MessageRequest, options ...CallOption) (*Message, error) {
	return c.parts().messages().create(ctx, request, options)
}

// StreamMessage streams one message, and returns when its first event has arrived.
func (c *Client) StreamMessage(ctx context.Context, request MessageRequest, options ...CallOption) (*Stream[MessageEvent, Message], error) {
	return c.parts().messages().stream(ctx, request, options)
}

// RunMessage runs the model with tools until it is done or something stops it. When a later turn
// fails, the partial result is returned together with the error.
func (c *Client) RunMessage(ctx context.Context, request MessageRequest, options RunMessageOptions) (*MessageRunResult, error) {
	return c.parts().runMessage(ctx, request, options, false)
}

// RunMessageStream is RunMessage with streamed turns: its callbacks receive text, results and events
// while they arrive. It returns the collected result.
func (c *Client) RunMessageStream(ctx context.Context, request MessageRequest, options RunMessageOptions) (*MessageRunResult, error) {
	return c.parts().runMessage(ctx, request, options, true)
}

func (c *core) messages() runner[MessageRequest, Message, Block, MessageEvent] {
	return runner[MessageRequest, Message, Block, MessageEvent]{&messageSurface, c.transport, c.toolbox}
}

func (c *core) runMessage(ctx context.Context, request MessageRequest, options RunMessageOptions, isStream bool) (*MessageRunResult, error) {
	result, conversation, err := c.messages().runTo(ctx, request, options, isStream)
	if result == nil {
		return nil, err
	}
	return &MessageRunResult{*result, conversation.Messages}, err
}

var messageSurface = surface[MessageRequest, Message, Block, MessageEvent]{
	turns: messageTurns,
	begin: func(request MessageRequest) (MessageRequest, error) {
		if request.Messages == nil {
			return request, configurationError("cannot send a Messages request without messages: give a list")
		}
		model, err := checkModel(request.Model, request.Extra)
		if err != nil {
			return request, err
		}
		request.Model = model
		request.Messages = slices.Clone(request.Messages)
		return request, nil
	},
	extra: func(request MessageRequest) Extra { return request.Extra },
	hasOwnTools: func(request MessageRequest) bool {
		return request.Tools != nil || has(request.Extra, "tools")
	},
	withTools: func(request MessageRequest, tools declarations) MessageRequest {
		request.Tools = []MessageTool{}
		for _, one := range tools.functions {
			request.Tools = append(request.Tools, MessageTool{
				Name: one.Name, Description: one.Description, InputSchema: parametersOf(one)})
		}
		for range tools.hosted {
			request.Tools = append(request.Tools, MessageTool{Type: "web_search_20250305", Name: "web_search"})
		}
		request.Extra = without(request.Extra, "tools")
		return request
	},
	conversation: loop.Conversation[MessageRequest, Message, Block]{
		WithAssistantTurn: func(request MessageRequest, turn *Message) MessageRequest {
			request.Messages = append(slices.Clip(request.Messages), turn.Param())
			return request
		},
		WithToolResults: func(request MessageRequest, results []loop.ToolResult[Block]) MessageRequest {
			var blocks []Block
			for _, result := range results {
				blocks = append(blocks, ToolResultBlock(result.Call.ID, result.Text, result.IsError))
			}
			answer := MessageParam{Role: "user", Content: BlockContent{Parts: blocks}}
			request.Messages = append(slices.Clip(request.Messages), answer)
			return request
		},
		WithAutoToolChoice: func(request MessageRequest) MessageRequest {
			choice := request.ToolChoice
			if choice == nil || choice.Type != "any" && choice.Type != "tool" {
				return request
			}
			relaxed := *choice
			relaxed.Type, relaxed.Name = "auto", ""
			request.ToolChoice = &relaxed
			return request
		},
		MayCallTools: func(request MessageRequest) bool {
			declares := slices.ContainsFunc(request.Tools, func(one MessageTool) bool {
				return one.Type == "" || one.Type == "custom"
			})
			return declares && (request.ToolChoice == nil || request.ToolChoice.Type != "none")
		},
	},
	about: func(turn *Message) (*Billing, string) { return turn.Metadata.billing(), turn.RequestID },
	combined: func(turns []*Message) *Message {
		last := *turns[len(turns)-1]
		var usages []*MessageUsage
		var bills []*Billing
		for _, turn := range turns {
			usages = append(usages, &turn.Usage)
			bills = append(bills, turn.Metadata.billing())
		}
		if sum := sumUsage(usages); sum != nil {
			last.Usage = *sum
		}
		last.Metadata = last.Metadata.withBilling(addBilling(bills))
		return &last
	},
}
