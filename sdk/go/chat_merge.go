package svc

import (
	"bytes"
	"encoding/json"
	"slices"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/merge"
)

// chunkMerger merges the chunks of one streamed answer into its completion.
type chunkMerger struct {
	head   ChatCompletion
	drafts []*choiceDraft
}

type choiceDraft struct {
	index        int
	message      merge.Object
	rest         merge.Object
	calls        []*callDraft
	finishReason string
}

type callDraft struct {
	index          *int
	id, name       string
	hasArguments   bool
	call, function merge.Object
}

// add adds the next chunk. Chunks of a split request's other tasks give no text.
func (m *chunkMerger) add(chunk *ChatChunk) {
	head := &m.head
	replace(&head.ID, chunk.ID)
	replace(&head.Model, chunk.Model)
	if chunk.Created != 0 {
		head.Created = chunk.Created
	}
	if chunk.Usage != nil {
		head.Usage = chunk.Usage
	}
	if chunk.Metadata != nil {
		head.Metadata = chunk.Metadata
	}
	for name, raw := range chunk.Extra {
		before, isThere := head.Extra[name]
		if bytes.Equal(before, raw) {
			continue
		}
		if name == "choices" || name == "object" || name == "orchestration" || isNull(raw) ||
			isThere && string(raw) == `""` {
			continue
		}
		head.Extra = with(head.Extra, name, raw)
	}
	m.addBreakdown(chunk.Orchestration)
	if !chunk.IsReply() {
		return
	}
	for at := range chunk.Choices {
		m.draft(chunk.Choices[at].Index).add(&chunk.Choices[at])
	}
}

func replace(text *string, by string) {
	if by != "" {
		*text = by
	}
}

func (m *chunkMerger) addBreakdown(about *ChunkOrchestration) {
	if about == nil || about.Extra["tasks"] == nil {
		return
	}
	breakdown := &Orchestration{}
	if convert(about, breakdown) == nil {
		breakdown.Extra = without(breakdown.Extra, "task_id")
		m.head.Orchestration = breakdown
	}
}

func (m *chunkMerger) draft(index int) *choiceDraft {
	at, isThere := slices.BinarySearchFunc(m.drafts, index, func(d *choiceDraft, index int) int {
		return d.index - index
	})
	if !isThere {
		m.drafts = slices.Insert(m.drafts, at, &choiceDraft{index: index})
	}
	return m.drafts[at]
}

// isComplete reports that there is a choice, and that every choice has ended.
func (m *chunkMerger) isComplete() bool {
	return len(m.drafts) > 0 && !slices.ContainsFunc(m.drafts, func(d *choiceDraft) bool {
		return d.finishReason == ""
	})
}

// completion returns the completion of all chunks; false until every choice has ended.
func (m *chunkMerger) completion() (*ChatCompletion, bool) {
	if !m.isComplete() {
		return nil, false
	}
	completion := m.head
	completion.Object = "chat.completion"
	for _, draft := range m.drafts {
		choice := ChatChoice{Index: draft.index, FinishReason: draft.finishReason}
		rest := draft.rest.Fields()
		if _, ok := rest["logprobs"]; !ok {
			rest["logprobs"] = json.RawMessage("null")
		}
		choice.Extra = rest
		choice.Message = draft.whole()
		completion.Choices = append(completion.Choices, choice)
	}
	return &completion, true
}

func (d *choiceDraft) add(choice *ChunkChoice) {
	delta := &choice.Delta
	d.message.Replace("role", delta.Role)
	if delta.Content.Parts != nil {
		if raw, err := fields.JSON(delta.Content.Parts); err == nil {
			d.message.Merge("content", raw, false)
		}
	}
	d.message.Append("content", delta.Content.Text)
	d.message.Append("refusal", delta.Refusal)
	d.message.Append("reasoning_content", delta.ReasoningContent)
	for name, raw := range delta.Extra {
		if name != "tool_calls" {
			d.message.Merge(name, raw, name == "extra_content")
		}
	}
	for name, raw := range choice.Extra {
		if name != "delta" && name != "finish_reason" && name != "index" {
			d.rest.Merge(name, raw, name == "extra_content")
		}
	}
	for position := range delta.ToolCalls {
		piece := &delta.ToolCalls[position]
		d.callOf(piece, position, len(delta.ToolCalls) == 1).add(piece)
	}
	// An empty finish reason counts as absent.
	replace(&d.finishReason, choice.FinishReason)
}

// whole returns the message of all pieces.
func (d *choiceDraft) whole() ChatMessage {
	object := d.message.Fields()
	for _, name := range []string{"content", "refusal"} {
		if _, ok := object[name]; !ok {
			object[name] = json.RawMessage("null")
		}
	}
	object["role"] = json.RawMessage(`"assistant"`)
	var message ChatMessage
	// Cannot fail: a member of another kind stands in Extra.
	_ = fields.FromObject(object, &message)
	for _, draft := range d.calls {
		message.ToolCalls = append(message.ToolCalls, draft.whole())
	}
	return message
}

// callOf returns the call that a piece belongs to: by its index, else by its id, else by its
// position in the chunk, which for a lone piece is the last call. Without index and id, a name begins
// the next call once the arguments of this one have begun.
func (d *choiceDraft) callOf(piece *ToolCallDelta, position int, isAlone bool) *callDraft {
	var match *callDraft
	switch name := piece.Function.Name; {
	case piece.Index != nil:
		// Some upstreams number every call 0: another id, or without ids another name, is another
		// call, and the last one continues.
		match = d.last(func(call *callDraft) bool {
			isIts := piece.ID == "" || call.id == "" || call.id == piece.ID
			return call.index != nil && *call.index == *piece.Index && isIts
		})
		if piece.ID == "" && match != nil && match.name != name && match.isNamedLate(name) {
			match = nil
		}
	case piece.ID != "":
		match = d.last(func(call *callDraft) bool { return call.id == piece.ID })
	default:
		if isAlone {
			position = len(d.calls) - 1
		}
		if position >= 0 && position < len(d.calls) {
			match = d.calls[position]
		}
		if match.isNamedLate(name) {
			match = nil
		}
	}
	if match == nil {
		match = &callDraft{}
		d.calls = append(d.calls, match)
	}
	return match
}

func (d *choiceDraft) last(isIts func(*callDraft) bool) *callDraft {
	for _, call := range slices.Backward(d.calls) {
		if isIts(call) {
			return call
		}
	}
	return nil
}

// isNamedLate reports a name although the arguments of the call have begun.
func (c *callDraft) isNamedLate(name string) bool { return c != nil && name != "" && c.hasArguments }

func (c *callDraft) add(piece *ToolCallDelta) {
	if piece.Index != nil {
		c.index = piece.Index
	}
	name, text := piece.Function.Name, piece.Function.Arguments
	// Some upstreams repeat the whole name on each piece of arguments.
	if name != "" && name == c.name && (c.hasArguments || text != "" || piece.ID != "") {
		name = ""
	}
	c.name += name
	c.hasArguments = c.hasArguments || text != ""
	replace(&c.id, piece.ID)
	c.call.Replace("id", piece.ID)
	c.call.Replace("type", piece.Type)
	c.call.Merge("extra_content", piece.ExtraContent, true)
	c.call.Replace("thought_signature", piece.ThoughtSignature)
	for name, raw := range piece.Extra {
		isWhole := name == "id" || name == "type" || name == "thought_signature"
		if name != "index" && name != "function" && !(isWhole && c.call.Has(name)) {
			c.call.Merge(name, raw, name == "extra_content")
		}
	}
	c.function.Append("name", name)
	c.function.Append("arguments", text)
	for name, raw := range piece.Function.Extra {
		c.function.Merge(name, raw, name == "extra_content")
	}
}

func (c *callDraft) whole() ToolCall {
	object, function := c.call.Fields(), c.function.Fields()
	if _, ok := object["type"]; !ok {
		object["type"] = json.RawMessage(`"function"`)
	}
	var call ToolCall
	_ = fields.FromObject(object, &call)
	// The call of a custom tool has no function.
	if len(function) == 0 && call.Type != "function" {
		return call
	}
	for _, name := range []string{"name", "arguments"} {
		if _, ok := function[name]; !ok {
			function[name] = json.RawMessage(`""`)
		}
	}
	_ = fields.FromObject(function, &call.Function)
	return call
}
