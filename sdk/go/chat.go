package svc

import (
	"context"
	"encoding/json"
	"slices"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/loop"
)

// ChatRunResult is the result of a run of Chat Completions.
type ChatRunResult struct {
	RunResult[ChatCompletion, ToolCall]
	// Messages are all messages so far, to be sent again unchanged.
	Messages []ChatMessage
}

// CreateChatCompletion makes one completion. It runs no tool but the client's defaults, and those
// only where neither the request nor the client brings tools; the completion is then that of the last
// turn, with the usage and the bill of all turns. Where a later turn fails, the last complete turn is
// returned together with the error.
func (c *Client) CreateChatCompletion(ctx context.Context, request ChatRequest, options ...CallOption) (*ChatCompletion, error) {
	return c.parts().chat().create(ctx, request, options)
}

// StreamChatCompletion streams one completion, and returns when its first chunk has arrived. Tools
// run as with [Client.CreateChatCompletion]; the chunks of every turn come through, in order.
func (c *Client) StreamChatCompletion(ctx context.Context, request ChatRequest, options ...CallOption) (*Stream[ChatChunk, ChatCompletion], error) {
	return c.parts().chat().stream(ctx, request, options)
}

// RunChatCompletion runs the model with tools until it is done or something stops it. When a later
// turn fails, the partial result is returned together with the error.
func (c *Client) RunChatCompletion(ctx context.Context, request ChatRequest, options RunChatOptions) (*ChatRunResult, error) {
	return c.parts().runChat(ctx, request, options, false)
}

// RunChatCompletionStream is RunChatCompletion with streamed turns: its callbacks receive text,
// results and events while they arrive. It returns the collected result.
func (c *Client) RunChatCompletionStream(ctx context.Context, request ChatRequest, options RunChatOptions) (*ChatRunResult, error) {
	return c.parts().runChat(ctx, request, options, true)
}

func (c *core) chat() runner[ChatRequest, ChatCompletion, ToolCall, ChatChunk] {
	return runner[ChatRequest, ChatCompletion, ToolCall, ChatChunk]{&chatSurface, c.transport, c.toolbox}
}

func (c *core) runChat(ctx context.Context, request ChatRequest, options RunChatOptions, isStream bool) (*ChatRunResult, error) {
	result, conversation, err := c.chat().runTo(ctx, request, options, isStream)
	if result == nil {
		return nil, err
	}
	return &ChatRunResult{*result, conversation.Messages}, err
}

var chatSurface = surface[ChatRequest, ChatCompletion, ToolCall, ChatChunk]{
	turns: chatTurns,
	begin: beginChat,
	extra: func(request ChatRequest) Extra { return request.Extra },
	hasOwnTools: func(request ChatRequest) bool {
		// functions is the older name of tools.
		return request.Tools != nil || has(request.Extra, "tools") || has(request.Extra, "functions")
	},
	withTools: func(request ChatRequest, tools declarations) ChatRequest {
		request.Tools = []ChatTool{}
		for _, one := range tools.functions {
			definition := &FunctionDefinition{Name: one.Name, Description: one.Description, Parameters: parametersOf(one)}
			request.Tools = append(request.Tools, ChatTool{Type: "function", Function: definition})
		}
		for _, hosted := range tools.hosted {
			request.Tools = append(request.Tools, ChatTool{Type: hosted})
		}
		request.Extra = without(request.Extra, "tools")
		return request
	},
	conversation: loop.Conversation[ChatRequest, ChatCompletion, ToolCall]{
		WithAssistantTurn: func(request ChatRequest, turn *ChatCompletion) ChatRequest {
			if len(turn.Choices) > 0 {
				request.Messages = append(slices.Clip(request.Messages), turn.Choices[0].Message)
			}
			return request
		},
		WithToolResults: func(request ChatRequest, results []loop.ToolResult[ToolCall]) ChatRequest {
			request.Messages = slices.Clip(request.Messages)
			for _, result := range results {
				request.Messages = append(request.Messages, chatAnswer(result))
			}
			return request
		},
		WithAutoToolChoice: relaxedChat,
		MayCallTools: func(request ChatRequest) bool {
			declares := slices.ContainsFunc(request.Tools, func(one ChatTool) bool {
				return one.Type == "function" || one.Type == "custom"
			})
			var older string
			isNone := json.Unmarshal(request.Extra["function_call"], &older) == nil && older == "none"
			return request.ToolChoice.Mode != "none" && declares || has(request.Extra, "functions") && !isNone
		},
	},
	about: func(turn *ChatCompletion) (*Billing, string) { return turn.Metadata.billing(), turn.RequestID },
	combined: func(turns []*ChatCompletion) *ChatCompletion {
		last := *turns[len(turns)-1]
		var usages []*ChatUsage
		var bills []*Billing
		for _, turn := range turns {
			usages = append(usages, turn.Usage)
			bills = append(bills, turn.Metadata.billing())
		}
		last.Usage = sumUsage(usages)
		last.Metadata = last.Metadata.withBilling(addBilling(bills))
		return &last
	},
}

func beginChat(request ChatRequest) (ChatRequest, error) {
	if request.Messages == nil {
		return request, configurationError("cannot send a chat request without messages: give a list")
	}
	model, err := checkModel(request.Model, request.Extra)
	if err != nil {
		return request, err
	}
	request.Model = model
	request.Messages = slices.Clone(request.Messages)
	return request, nil
}

// chatAnswer returns the message with a result. A call without an id is of the older kind and
// answered by its name.
func chatAnswer(result loop.ToolResult[ToolCall]) ChatMessage {
	content := TextContent[ChatPart](result.Text)
	if result.Call.ID == "" {
		return ChatMessage{Role: "function", Name: result.Call.Name, Content: content}
	}
	return ChatMessage{Role: "tool", ToolCallID: result.Call.ID, Content: content}
}

// relaxedChat returns a request whose tool choice no longer forces a call; a choice among some tools
// stays one.
func relaxedChat(request ChatRequest) ChatRequest {
	choice := request.ToolChoice
	if !choice.IsZero() && choice.Mode != "none" {
		request.ToolChoice = ChatToolChoice{Mode: "auto"}
		if members, err := fields.Object(choice.Other); err == nil && textOf(members["type"]) == "allowed_tools" {
			request.ToolChoice = ChatToolChoice{Other: relaxedIn(members, "allowed_tools")}
		}
	}
	if isA(request.Extra["function_call"], '{') {
		request.Extra = with(request.Extra, "function_call", json.RawMessage(`"auto"`))
	}
	return request
}

// relaxedIn sets the mode of a choice among some tools to auto, in the member of that name, or in the
// choice itself.
func relaxedIn(choice map[string]json.RawMessage, member string) json.RawMessage {
	inner := choice
	if member != "" {
		if inner, _ = fields.Object(choice[member]); inner == nil {
			inner = map[string]json.RawMessage{}
		}
	}
	inner["mode"] = json.RawMessage(`"auto"`)
	encoded, err := fields.JSON(inner)
	if err == nil && member != "" {
		choice[member] = encoded
		encoded, err = fields.JSON(choice)
	}
	if err != nil {
		return json.RawMessage(`"auto"`)
	}
	return encoded
}

func (m *Metadata) billing() *Billing {
	if m == nil {
		return nil
	}
	return m.Billing
}

func (m *Metadata) withBilling(bill *Billing) *Metadata {
	if bill == nil {
		return m
	}
	own := Metadata{}
	if m != nil {
		own = *m
	}
	own.Billing = bill
	return &own
}
