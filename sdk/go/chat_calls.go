package svc

import (
	"bytes"
	"crypto/rand"
	"encoding/json"

	"svc.example/sdk/go/internal/loop"
)

// isSound reports that messages and tool calls of a completion can be read. Upstreams vary: a
// missing member counts as empty, and a member of another shape makes the answer invalid.
func (c *ChatCompletion) isSound() bool {
	if c.Choices == nil {
		return false
	}
	for at := range c.Choices {
		message := &c.Choices[at].Message
		raw, isExtra := c.Choices[at].Extra["message"]
		isMissing := message.Role == "" && message.Content.IsZero() && message.ToolCalls == nil && message.Extra == nil
		if isExtra && !isA(raw, '{') || isMissing && !isExtra || !isSoundMessage(message) {
			return false
		}
	}
	return true
}

// isSound reports that the deltas of a chunk can be read. It may carry usage and metadata alone.
func (c *ChatChunk) isSound() bool {
	if isA(c.Extra["choices"], '[') {
		return false
	}
	for at := range c.Choices {
		choice := &c.Choices[at]
		if has(choice.Extra, "delta") && !isA(choice.Extra["delta"], '{') || has(choice.Delta.Extra, "tool_calls") {
			return false
		}
		for _, call := range choice.Delta.ToolCalls {
			if !isSoundFunction(call.Extra, call.Function.Extra) {
				return false
			}
		}
	}
	return true
}

func isSoundMessage(message *ChatMessage) bool {
	if has(message.Extra, "tool_calls") || has(message.Extra, "function_call") {
		return false
	}
	if older := message.FunctionCall; older != nil && !isSoundFunction(nil, older.Extra) {
		return false
	}
	for at := range message.ToolCalls {
		if call := &message.ToolCalls[at]; !isSoundFunction(call.Extra, call.Function.Extra) {
			return false
		}
	}
	return true
}

func isSoundFunction(call, function Extra) bool {
	isFunction := !has(call, "function") || isA(call["function"], '{')
	return isFunction && (!has(function, "name") || isA(function["name"], '"'))
}

// readable makes a chunk one that can be iterated: with a list of choices, and the pieces of
// arguments as text.
func (c *ChatChunk) readable() {
	if c.Choices == nil {
		c.Choices = []ChunkChoice{}
		c.Extra = without(c.Extra, "choices")
	}
	for at := range c.Choices {
		for position := range c.Choices[at].Delta.ToolCalls {
			function := &c.Choices[at].Delta.ToolCalls[position].Function
			if raw, ok := oddArguments(function.Extra); ok {
				function.Arguments, function.Extra = raw, without(function.Extra, "arguments")
			}
		}
	}
}

// oddArguments returns arguments that some upstreams write as the object itself.
func oddArguments(extra Extra) (string, bool) {
	raw, ok := extra["arguments"]
	if !ok || isNull(raw) || isA(raw, '"') {
		return "", false
	}
	var text bytes.Buffer
	if json.Compact(&text, raw) != nil {
		return "", false
	}
	return text.String(), true
}

// answerable makes the calls of a message ones that can be answered and sent back: their ids differ,
// their arguments are text.
func answerable(message *ChatMessage) {
	ids := map[string]bool{}
	for at := range message.ToolCalls {
		called := &message.ToolCalls[at]
		called.ID = distinctID(called.ID, ids)
		called.Extra = without(called.Extra, "id")
		withText(&called.Function)
	}
	if message.FunctionCall != nil {
		withText(message.FunctionCall)
	}
}

func withText(function *ToolCallFunction) {
	if raw, ok := oddArguments(function.Extra); ok {
		function.Arguments, function.Extra = raw, without(function.Extra, "arguments")
	}
}

// distinctID returns an id that no call before has: the one as written, or a new one.
func distinctID(written string, ids map[string]bool) string {
	if written == "" || ids[written] {
		written = "call_" + rand.Text()
	}
	ids[written] = true
	return written
}

// callsOf returns the calls of the first choice. A call of the older kind is the only one, without
// an id.
func (c *ChatCompletion) callsOf() []loop.Call[ToolCall] {
	if len(c.Choices) == 0 {
		return nil
	}
	message := &c.Choices[0].Message
	raws := message.ToolCalls
	if len(raws) == 0 && message.FunctionCall != nil {
		raws = []ToolCall{{Type: "function", Function: *message.FunctionCall}}
	}
	var calls []loop.Call[ToolCall]
	for _, raw := range raws {
		// The call of a custom tool names no function: no tool runs it, and the model reads that.
		calls = append(calls, loop.Call[ToolCall]{
			ID: raw.ID, Name: raw.Function.Name, Arguments: raw.Function.Arguments, Raw: raw})
	}
	return calls
}
