package svc

import (
	"encoding/json"
	"slices"

	"svc.example/sdk/go/internal/fields"
)

// spoken is thinking or text: a whole block, or a piece of one.
type spoken struct {
	isThinking bool
	text       string
}

func (s spoken) block() Block {
	if s.isThinking {
		return Block{Type: "thinking", Thinking: s.text, Extra: emptied(s.text, "thinking", `""`, "signature", `""`)}
	}
	return Block{Type: "text", Text: s.text, Extra: emptied(s.text, "text", `""`, "citations", "null")}
}

// emptied returns the fields of a block that are written although they are empty: the first where
// the text is, the second always.
func emptied(text, first, firstValue, second, secondValue string) Extra {
	extra := Extra{second: json.RawMessage(secondValue)}
	if text == "" {
		extra[first] = json.RawMessage(firstValue)
	}
	return extra
}

// spokenIn returns the thinking and the text of a message, or of a piece of one; thinking first.
func spokenIn(reasoning string, content ChatContent, refusal string, extra Extra) []spoken {
	if reasoning == "" && !has(extra, "reasoning_content") {
		reasoning = textOf(extra["reasoning"])
	}
	said := []spoken{{true, reasoning}, {false, content.String() + refusal}}
	return slices.DeleteFunc(said, func(one spoken) bool { return one.text == "" })
}

// messageOf converts a chat answer to a message: thinking, then text, then tool calls. Unknown
// fields are kept, those of the answer beside those of its message. said is what a stream has merged
// already, or nil.
func messageOf(turn *ChatCompletion, request *MessageRequest, said []spoken) *Message {
	message := &Message{ID: turn.ID, Type: "message", Role: "assistant", Model: turn.Model,
		Metadata: turn.Metadata, Orchestration: turn.Orchestration, RequestID: turn.RequestID,
		Content: []Block{}, Usage: messageUsage(turn.Usage, turn.Metadata)}
	extra := Extra{"stop_reason": null, "stop_sequence": null, "stop_details": null,
		"container": null, "diagnostics": null}
	for name, value := range turn.Extra {
		extra[name] = value
	}
	delete(extra, "usage")
	delete(extra, "object")
	delete(extra, "created")
	message.Extra = extra
	if len(turn.Choices) == 0 {
		return message
	}
	choice := &turn.Choices[0]
	for name, value := range choice.Message.Extra {
		if !isNull(value) && !slices.Contains(chatMessageFields, name) {
			extra[name] = value
		}
	}
	replace(&message.Model, turn.Model)
	if raw, ok := extra["extra_content"]; ok {
		message.ExtraContent = raw
		delete(extra, "extra_content")
	}
	if said == nil {
		answer := &choice.Message
		said = spokenIn(answer.ReasoningContent, answer.Content, answer.Refusal, answer.Extra)
	}
	message.Content = contentBlocks(choice.Message.ToolCalls, request, said)
	message.stop(choice, request)
	return message
}

var (
	null = json.RawMessage("null")
	// chatMessageFields have a place in a message of their own.
	chatMessageFields = []string{"role", "content", "refusal", "tool_calls", "reasoning_content", "reasoning"}
)

func contentBlocks(calls []ToolCall, request *MessageRequest, said []spoken) []Block {
	blocks := []Block{}
	for _, one := range said {
		blocks = append(blocks, one.block())
	}
	nameOf := namesBack(request.Tools)
	for at := range calls {
		thoughts := thoughtsOn(&calls[at])
		if last := len(blocks) - 1; at == 0 && last >= 0 && blocks[last].Type == "thinking" {
			sign(&blocks[last], thoughts)
		}
		for _, one := range thoughts {
			if textOf(one["type"]) == "redacted_thinking" && isA(one["data"], '"') {
				blocks = append(blocks, Block{Type: "redacted_thinking", Data: textOf(one["data"])})
			}
		}
		blocks = append(blocks, toolUseBlock(&calls[at], nameOf))
	}
	return blocks
}

// sign adds the signature of the tool call that directly follows the thinking.
func sign(block *Block, thoughts []object) {
	var only []object
	for _, one := range thoughts {
		if textOf(one["type"]) == "thinking" {
			only = append(only, one)
		}
	}
	if len(only) == 1 && textOf(only[0]["thinking"]) == block.Thinking {
		block.Signature = textOf(only[0]["signature"])
	}
}

// thoughtsOn returns the blocks of Claude's thinking that a call carries.
func thoughtsOn(call *ToolCall) []object {
	extensions, _ := fields.Object(call.ExtraContent)
	anthropic, _ := fields.Object(extensions["anthropic"])
	var list []json.RawMessage
	if json.Unmarshal(anthropic["thinking"], &list) != nil {
		return nil
	}
	thoughts := make([]object, 0, len(list))
	for _, raw := range list {
		one, _ := fields.Object(raw)
		thoughts = append(thoughts, one)
	}
	return thoughts
}

// toolUseBlock converts a tool call of Chat to a block. Opaque fields of its provider are kept
// unchanged.
func toolUseBlock(call *ToolCall, nameOf func(string) string) Block {
	function := call.Function
	if custom, err := fields.Object(call.Extra["custom"]); function.IsZero() && err == nil && custom != nil {
		// The call of a custom tool, which no request of Messages declares.
		function.Name = textOf(custom["name"])
		function.Arguments = string(must(object{"input": custom["input"]}))
	}
	block := Block{Type: "tool_use", ID: call.ID, Name: nameOf(function.Name),
		ExtraContent: call.ExtraContent, ThoughtSignature: call.ThoughtSignature}
	text := function.Arguments
	if _, isEmpty := function.Extra["arguments"]; text == "" && !isEmpty {
		text = "{}"
	}
	block.Input = json.RawMessage("{}")
	isObject := isObjectText(text)
	if isObject {
		block.Input = json.RawMessage(text)
	}
	extra := without(call.Extra, "type", "index", "function", "custom", "id")
	if !isObject || !isCanonical(text) {
		block.Arguments = text
		if text == "" {
			extra = with(extra, "arguments", json.RawMessage(`""`))
		}
	}
	block.Extra = with(extra, "caller", json.RawMessage(`{"type":"direct"}`))
	if more := without(function.Extra, "name", "arguments"); more != nil {
		block.Extra["function"] = must(more)
	}
	return block
}

// stop sets the end of an answer.
func (m *Message) stop(choice *ChatChoice, request *MessageRequest) {
	refusal := choice.Message.Refusal
	switch {
	case choice.FinishReason == "length":
		m.StopReason = "max_tokens"
	// Some providers report "stop" beside tool calls.
	case choice.FinishReason != "content_filter" && len(choice.Message.ToolCalls) > 0:
		m.StopReason = "tool_use"
	case choice.FinishReason == "content_filter" || refusal != "":
		m.StopReason = "refusal"
		details := Extra{"category": null}
		if refusal == "" {
			details["explanation"] = null
		}
		m.StopDetails = &StopDetails{Type: "refusal", Explanation: refusal, Extra: details}
	default:
		m.StopReason = "end_turn"
		for _, sequence := range request.StopSequences {
			if sequence != "" && (sequence == textOf(choice.Extra["stop_reason"]) || sequence == textOf(choice.Extra["matched_stop"])) {
				m.StopReason, m.StopSequence = "stop_sequence", sequence
				return
			}
		}
	}
}

// messageUsage converts Chat's counts to Anthropic's: its input excludes tokens read from and written
// to the cache.
func messageUsage(usage *ChatUsage, metadata *Metadata) MessageUsage {
	counted := noUsage()
	if bill := metadata.billing(); bill != nil {
		counted.CacheCreationInputTokens = bill.CacheWriteInputTokens
	}
	if usage != nil {
		if details := usage.PromptTokensDetails; details != nil {
			counted.CacheReadInputTokens = details.CachedTokens
			_, isZero := details.Extra["cache_write_tokens"]
			if details.CacheWriteTokens != 0 || isZero && !isNull(details.Extra["cache_write_tokens"]) {
				counted.CacheCreationInputTokens = details.CacheWriteTokens
			}
		}
		cached := counted.CacheReadInputTokens + counted.CacheCreationInputTokens
		counted.InputTokens = max(0, usage.PromptTokens-cached)
		counted.OutputTokens = usage.CompletionTokens
		if details := usage.CompletionTokensDetails; details != nil {
			if raw, ok := details.Extra["reasoning_tokens"]; details.ReasoningTokens != 0 || ok && !isNull(raw) {
				counted.OutputTokensDetails = &ThinkingTokens{ThinkingTokens: details.ReasoningTokens}
			}
		}
	}
	if searches := searchesIn(metadata); searches > 0 {
		counted.ServerToolUse = &ServerToolUse{WebSearchRequests: searches}
	}
	return counted
}

func searchesIn(metadata *Metadata) int64 {
	if metadata == nil {
		return 0
	}
	var hosted []json.RawMessage
	if json.Unmarshal(metadata.Extra["hosted_tools"], &hosted) != nil {
		return 0
	}
	count := int64(0)
	for _, raw := range hosted {
		one, _ := fields.Object(raw)
		if textOf(one["type"]) == "web_search_call" {
			count++
		}
	}
	return count
}

// noUsage returns zero usage, with every field of the shape.
func noUsage() MessageUsage {
	extra := Extra{}
	for _, name := range []string{"cache_creation", "output_tokens_details", "server_tool_use",
		"service_tier", "inference_geo", "speed"} {
		extra[name] = null
	}
	return MessageUsage{Extra: extra}
}
