package svc

import (
	"context"
	"slices"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/loop"
)

// ResponseRunResult is the result of a run of Responses.
type ResponseRunResult struct {
	RunResult[Response, ResponseItem]
	// Input are all items so far, to be sent again unchanged.
	Input []ResponseItem
	// OutputText is the text of the last response.
	OutputText string
}

// CreateResponse makes one response. It runs no tool but the client's defaults, and those only where
// neither the request nor the client brings tools; the response is then that of the last turn, with
// the usage and the bill of all turns. Where a later turn fails, the last complete turn is returned
// together with the error.
func (c *Client) CreateResponse(ctx context.Context, request ResponseRequest, options ...CallOption) (*Response, error) {
	return c.parts().responses().create(ctx, request, options)
}

// StreamResponse streams one response, and returns when its first event has arrived. Tools run as
// with [Client.CreateResponse]; the events of every turn come through, in order.
func (c *Client) StreamResponse(ctx context.Context, request ResponseRequest, options ...CallOption) (*Stream[ResponseEvent, Response], error) {
	return c.parts().responses().stream(ctx, request, options)
}

// RunResponse runs the model with tools until it is done or something stops it. The output of each
// turn is appended to the input. For a custom tool that the request declares, the handler of its name
// receives the text that the model wrote, as a JSON string. When a later turn fails, the partial
// result is returned together with the error.
func (c *Client) RunResponse(ctx context.Context, request ResponseRequest, options RunResponseOptions) (*ResponseRunResult, error) {
	return c.parts().runResponse(ctx, request, options, false)
}

// RunResponseStream is RunResponse with streamed turns: its callbacks receive text, results and
// events while they arrive. It returns the collected result.
func (c *Client) RunResponseStream(ctx context.Context, request ResponseRequest, options RunResponseOptions) (*ResponseRunResult, error) {
	return c.parts().runResponse(ctx, request, options, true)
}

func (c *core) responses() runner[ResponseRequest, Response, ResponseItem, ResponseEvent] {
	return runner[ResponseRequest, Response, ResponseItem, ResponseEvent]{&responseSurface, c.transport, c.toolbox}
}

func (c *core) runResponse(ctx context.Context, request ResponseRequest, options RunResponseOptions, isStream bool) (*ResponseRunResult, error) {
	result, conversation, err := c.responses().runTo(ctx, request, options, isStream)
	if result == nil {
		return nil, err
	}
	outcome := &ResponseRunResult{RunResult: *result, Input: itemsOf(conversation.Input)}
	if result.Response != nil {
		outcome.OutputText = result.Response.OutputText()
	}
	return outcome, err
}

var responseSurface = surface[ResponseRequest, Response, ResponseItem, ResponseEvent]{
	turns: responseTurns,
	begin: func(request ResponseRequest) (ResponseRequest, error) {
		if has(request.Extra, "input") && !isA(request.Extra["input"], '[') && !isA(request.Extra["input"], '"') {
			return request, configurationError("cannot send this input: give a text or a list of items")
		}
		model, err := checkModel(request.Model, request.Extra)
		if err != nil {
			return request, err
		}
		request.Model = model
		request.Input.Items = slices.Clone(request.Input.Items)
		return request, nil
	},
	extra: func(request ResponseRequest) Extra { return request.Extra },
	hasOwnTools: func(request ResponseRequest) bool {
		return request.Tools != nil || has(request.Extra, "tools")
	},
	withTools: func(request ResponseRequest, tools declarations) ResponseRequest {
		// Not strict: in strict mode some upstreams require every optional argument.
		strict := false
		request.Tools = []ResponseTool{}
		for _, one := range tools.functions {
			request.Tools = append(request.Tools, ResponseTool{Type: "function", Name: one.Name,
				Description: one.Description, Parameters: parametersOf(one), Strict: &strict})
		}
		for _, hosted := range tools.hosted {
			request.Tools = append(request.Tools, ResponseTool{Type: hosted})
		}
		request.Extra = without(request.Extra, "tools")
		return request
	},
	conversation: loop.Conversation[ResponseRequest, Response, ResponseItem]{
		// Complete: only the provider can read its encrypted reasoning and its signed calls.
		WithAssistantTurn: func(request ResponseRequest, turn *Response) ResponseRequest {
			request.Input = ResponseInput{Items: slices.Concat(itemsOf(request.Input), turn.Output)}
			return request
		},
		WithToolResults: func(request ResponseRequest, results []loop.ToolResult[ResponseItem]) ResponseRequest {
			items := slices.Clip(itemsOf(request.Input))
			for _, result := range results {
				items = append(items, ResponseItem{Type: result.Call.Raw.Type + "_output",
					CallID: result.Call.ID, Output: TextContent[ResponsePart](result.Text)})
			}
			request.Input = ResponseInput{Items: items}
			return request
		},
		WithAutoToolChoice: relaxedResponse,
		MayCallTools: func(request ResponseRequest) bool {
			declares := slices.ContainsFunc(request.Tools, func(one ResponseTool) bool {
				return one.Type == "function" || one.Type == "custom"
			})
			return request.ToolChoice.Mode != "none" && declares
		},
	},
	about: func(turn *Response) (*Billing, string) { return turn.Metadata.billing(), turn.RequestID },
	combined: func(turns []*Response) *Response {
		last := *turns[len(turns)-1]
		var usages []*ResponseUsage
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

// itemsOf returns an input as a list of items.
func itemsOf(input ResponseInput) []ResponseItem {
	if input.Items != nil || input.IsZero() {
		return input.Items
	}
	return []ResponseItem{UserItem(input.Text)}
}

// relaxedResponse returns a request whose tool choice no longer forces a call; a choice among some
// tools stays one.
func relaxedResponse(request ResponseRequest) ResponseRequest {
	choice := request.ToolChoice
	if choice.IsZero() || choice.Mode == "none" {
		return request
	}
	request.ToolChoice = ResponseToolChoice{Mode: "auto"}
	if members, err := fields.Object(choice.Other); err == nil && textOf(members["type"]) == "allowed_tools" {
		request.ToolChoice = ResponseToolChoice{Other: relaxedIn(members, "")}
	}
	return request
}
