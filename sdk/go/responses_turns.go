package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"slices"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/loop"
)

const responsePath = "/responses"

type (
	responseModel = loop.Model[ResponseRequest, Response, ResponseItem, ResponseEvent]
	responseTurn  = loop.Event[Response, ResponseItem, ResponseEvent]
)

// responseTurns returns the source of turns of Responses.
func responseTurns(t *transport, options turnOptions) responseModel {
	return func(ctx context.Context, request ResponseRequest, _ int, yield func(responseTurn) error) error {
		request.Extra = streaming(request.Extra, options.isStream)
		sent, err := post(responsePath, request, options.settings)
		if err != nil {
			return err
		}
		if options.isStream {
			return streamResponse(ctx, t, sent, options, yield)
		}
		got, data, err := t.json(ctx, sent)
		if err != nil {
			return err
		}
		turn := &Response{}
		if err := fields.Decode(data, turn); err != nil {
			return got.failure(data, "the service answered with something else than a response")
		}
		if err := turn.complete(got, data); err != nil {
			return err
		}
		return endResponse(turn, &eventDeltas{}, yield)
	}
}

func streamResponse(ctx context.Context, t *transport, sent call, options turnOptions, yield func(responseTurn) error) error {
	stream, err := t.events(ctx, sent)
	if err != nil {
		return err
	}
	defer stream.close()
	merger, deltas := eventMerger{}, &eventDeltas{}
	for {
		data, err := stream.next()
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		event := &ResponseEvent{}
		if err := fields.DecodeValid(bytes.Clone(data), event); err != nil {
			return stream.failure(data, "the service answered with something else than an event")
		}
		isOver, err := merger.take(event, stream, options, deltas, yield)
		if err != nil {
			return err
		}
		if isOver {
			stream.drain()
			break
		}
	}
	turn := merger.resource()
	if turn == nil {
		return &ConnectionError{Message: "the stream ended before the response was complete"}
	}
	if err := turn.complete(stream.answer, nil); err != nil {
		return err
	}
	return endResponse(turn, deltas, yield)
}

// take passes on an event. It returns true for the last one.
func (m *eventMerger) take(
	event *ResponseEvent, stream *events, options turnOptions, deltas *eventDeltas, yield func(responseTurn) error,
) (bool, error) {
	if options.onTask != nil {
		if progress, ok := taskProgress(event.Orchestration, event.Delta); ok {
			options.onTask(progress)
		}
	}
	isLast := event.IsReply() && slices.Contains(lastEvents, event.Type)
	stream.isOver = stream.isOver || isLast
	if err := yield(responseTurn{Kind: loop.Chunk, Chunk: event}); err != nil || !event.IsReply() {
		return false, err
	}
	m.add(event)
	if err := deltas.of(event, yield); err != nil {
		return false, err
	}
	if event.Type == "error" {
		failure := &ResponseFailure{Code: event.Code, Message: event.Message, Param: event.Param}
		return false, failure.of(stream.answer, m.resource())
	}
	// A failure is followed by an error event with the reason from the error table.
	return isLast && event.Type != "response.failed", nil
}

// lastEvents end a response; its stream may end right after them.
var lastEvents = []string{"response.completed", "response.incomplete", "response.failed", "error"}

// endResponse passes on the rest of a complete turn that no event has carried, its calls, its usage
// and its end.
func endResponse(turn *Response, deltas *eventDeltas, yield func(responseTurn) error) error {
	if err := deltas.rest(turn, yield); err != nil {
		return err
	}
	for _, item := range turn.Output {
		if !item.isCall() {
			continue
		}
		call := loop.Call[ResponseItem]{ID: item.CallID, Name: item.Name, Arguments: item.argumentsText(turn.Status), Raw: item}
		if err := yield(responseTurn{Kind: loop.ToolCall, Call: call}); err != nil {
			return err
		}
	}
	if turn.Usage != nil {
		if err := yield(responseTurn{Kind: loop.TurnUsage, Usage: turn.Usage.tokens()}); err != nil {
			return err
		}
	}
	return yield(responseTurn{Kind: loop.Finish, FinishReason: turn.finishReason(), Turn: turn})
}

// complete checks a response that was received as data, or nil for a merged one, makes its calls answerable, and adds the usage from the bill where it
// has none, and the request's id.
func (r *Response) complete(got *answer, data []byte) error {
	if r.Status == "failed" {
		failure := r.Error
		if failure == nil {
			failure = &ResponseFailure{}
		}
		return failure.of(got, r)
	}
	isList := r.Output != nil && !slices.ContainsFunc(r.Output, func(item ResponseItem) bool { return item.Type == "" })
	if !isList {
		if data == nil {
			encoded, err := fields.JSON(r)
			if err != nil {
				return err
			}
			data = encoded
		}
		return got.failure(data, "the service answered with an output that is no list of items")
	}
	ids := map[string]bool{}
	for at := range r.Output {
		r.Output[at].makeAnswerable(ids)
	}
	if bill := r.Metadata.billing(); r.Usage == nil && bill != nil {
		r.Usage = &ResponseUsage{
			InputTokens: bill.InputTokens, OutputTokens: bill.OutputTokens, TotalTokens: bill.TotalTokens,
			InputTokensDetails: &InputTokensDetails{
				CachedTokens: bill.CachedInputTokens, CacheWriteTokens: bill.CacheWriteInputTokens},
			OutputTokensDetails: &OutputTokensDetails{},
		}
	}
	if r.RequestID = got.response.Header.Get("x-request-id"); r.Metadata != nil && r.Metadata.RequestID != "" {
		r.RequestID = r.Metadata.RequestID
	}
	return nil
}

// of returns the error of a failed response; its body is the service's error object as far as known.
func (f *ResponseFailure) of(got *answer, response *Response) *APIError {
	object := ErrorObject{Message: f.Message, Code: f.Code, Param: f.Param, Type: errorType(f.Code)}
	if object.Message == "" {
		object.Message = "The response failed"
	}
	object.RequestID = got.response.Header.Get("x-request-id")
	if response != nil && response.Metadata != nil && response.Metadata.RequestID != "" {
		object.RequestID = response.Metadata.RequestID
	}
	data, err := fields.JSON(map[string]any{"error": map[string]any{
		"message": object.Message, "type": object.Type, "code": orNull(object.Code),
		"param": orNull(object.Param), "request_id": object.RequestID,
	}})
	if err != nil {
		data = nil
	}
	return got.failure(data, "")
}

func orNull(text string) any {
	if text == "" {
		return nil
	}
	return text
}

// errorType returns OpenAI's type of a code of the service.
func errorType(code string) string {
	switch code {
	case "invalid_request", "model_not_allowed", "unsupported_tool", "conflicting_tools",
		"context_length_exceeded", "not_found", "method_not_allowed", "conflict", "body_too_large",
		"unsupported_media_type":
		return "invalid_request_error"
	case "missing_api_key", "invalid_api_key":
		return "authentication_error"
	case "insufficient_balance", "key_budget_exceeded":
		return "insufficient_quota"
	case "policy_denied", "wallet_closed":
		return "permission_error"
	case "rate_limit_exceeded":
		return "rate_limit_error"
	case "no_model_available", "store_unavailable", "shutting_down":
		return "overloaded_error"
	}
	return "api_error"
}

func (r *Response) finishReason() loop.FinishReason {
	switch r.Status {
	case "completed":
		if slices.ContainsFunc(r.Output, func(item ResponseItem) bool { return item.isCall() }) {
			return loop.ToolCalls
		}
		return loop.Stop
	case "incomplete":
		if r.IncompleteDetails == nil {
			return loop.Other
		}
		switch r.IncompleteDetails.Reason {
		case "max_output_tokens":
			return loop.Length
		case "content_filter":
			return loop.ContentFilter
		}
	}
	return loop.Other
}

func (u *ResponseUsage) tokens() loop.Usage {
	usage := loop.Usage{InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.TotalTokens}
	if u.InputTokensDetails != nil {
		usage.CachedInputTokens = u.InputTokensDetails.CachedTokens
	}
	if u.OutputTokensDetails != nil {
		usage.ReasoningTokens = u.OutputTokensDetails.ReasoningTokens
	}
	if usage.TotalTokens == 0 {
		usage.TotalTokens = usage.InputTokens + usage.OutputTokens
	}
	return usage
}

// isCall reports a call that this side has to answer.
func (i *ResponseItem) isCall() bool {
	return i.Type == "function_call" || i.Type == "custom_tool_call"
}

// makeAnswerable makes a call one that can be answered and sent back: its id differs from those
// before, its arguments are text.
func (i *ResponseItem) makeAnswerable(ids map[string]bool) {
	if !i.isCall() {
		return
	}
	written := i.CallID
	if written == "" {
		written = i.ID
	}
	i.CallID = distinctID(written, ids)
	if i.Type != "function_call" {
		return
	}
	if raw, ok := oddArguments(i.Extra); ok {
		i.Arguments = raw
		i.Extra = without(i.Extra, "arguments")
	} else if i.Arguments == "" {
		i.Extra = with(i.Extra, "arguments", json.RawMessage(`""`))
	}
}

// argumentsText returns the input as JSON text. The text input of a custom tool becomes JSON as well:
// a handler of its name receives a string. A cut input does not parse, so that it cannot pass for a
// complete one.
func (i *ResponseItem) argumentsText(status string) string {
	if i.Status != "" {
		status = i.Status
	}
	isCut := status == "incomplete"
	if i.Type == "custom_tool_call" {
		text, err := fields.JSON(i.Input)
		if err != nil || isCut {
			return string(text[:max(0, len(text)-1)])
		}
		return string(text)
	}
	if i.Arguments == "" && isCut {
		return "{"
	}
	return i.Arguments
}
