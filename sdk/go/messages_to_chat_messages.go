package svc

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// chatMessages converts a message; tool results become separate messages.
func chatMessages(message object, path string) ([]object, error) {
	role := textOf(message["role"])
	if role != "user" && role != "assistant" && role != "system" {
		return nil, configurationError(
			"cannot send a message of the role %q (%s): there are user, assistant and system", role, path)
	}
	rest := without(message, "role", "content")
	content := message["content"]
	if isA(content, '"') {
		return []object{with(with(rest, "role", must(role)), "content", content)}, nil
	}
	blocks, err := knownBlocks(content, path+".content")
	if err != nil {
		return nil, err
	}
	switch role {
	case "assistant":
		converted, err := assistantObject(blocks, path, rest)
		return []object{converted}, err
	case "user":
		return userObjects(blocks, path, rest)
	}
	parts, err := partsOf(blocks, func(int) string { return path })
	if err != nil {
		return nil, err
	}
	return []object{with(with(rest, "role", must(role)), "content", contentOf(parts))}, nil
}

// userObjects returns the tool results, each as a message, and then the content that they show
// besides text.
func userObjects(blocks []object, path string, rest object) ([]object, error) {
	var results, shown, content []object
	for at, block := range blocks {
		here := fmt.Sprintf("%s.content.%d", path, at)
		if textOf(block["type"]) != "tool_result" {
			parts, err := contentParts(block, here)
			if err != nil {
				return nil, err
			}
			content = append(content, parts...)
			continue
		}
		message, attachments, err := toolObject(block, here)
		if err != nil {
			return nil, err
		}
		results = append(results, message)
		shown = append(shown, attachments...)
	}
	parts := append(shown, content...)
	if len(parts) == 0 && len(results) > 0 {
		return results, nil
	}
	return append(results, with(with(rest, "role", must("user")), "content", contentOf(parts))), nil
}

const attachedText = "The result is attached to the next message."

var saysError = regexp.MustCompile(`(?i)^\s*(?:error\b|\{\s*"error")`)

// toolObject converts a tool result. Chat's results are text: its images and files are attached to
// the next message of the user.
func toolObject(block object, path string) (message object, attachments []object, err error) {
	var parts []object
	if content := block["content"]; content != nil && !isNull(content) {
		if isA(content, '"') {
			parts = []object{{"type": must("text"), "text": content}}
		} else {
			blocks, err := knownBlocks(content, path+".content")
			if err != nil {
				return nil, nil, err
			}
			if parts, err = partsOf(blocks, func(int) string { return path }); err != nil {
				return nil, nil, err
			}
		}
	}
	var texts, files []object
	for _, part := range parts {
		if textOf(part["type"]) == "text" {
			texts = append(texts, part)
		} else {
			files = append(files, part)
		}
	}
	if len(texts) == 0 {
		text := ""
		if len(files) > 0 {
			text = attachedText
		}
		texts = []object{newText(text)}
	}
	isError := string(block["is_error"]) == "true"
	// Not every provider passes the error flag to its model.
	if text := textOf(texts[0]["text"]); isError && !saysError.MatchString(text) {
		texts[0] = with(texts[0], "text", must("Error: "+text))
	}
	message = object{}
	maps.Copy(message, without(block, "type", "tool_use_id", "content", "is_error"))
	message["role"], message["tool_call_id"] = must("tool"), block["tool_use_id"]
	message["content"] = contentOf(texts)
	if isError {
		message["is_error"] = must(true)
	}
	if len(files) > 0 {
		heading := newText(fmt.Sprintf("Attached to the result of %s:", textOf(block["tool_use_id"])))
		attachments = append([]object{heading}, files...)
	}
	return message, attachments, nil
}

func assistantObject(blocks []object, path string, rest object) (object, error) {
	message := object{}
	var texts, calls, thoughts []object
	for at, block := range blocks {
		switch kind := textOf(block["type"]); kind {
		case "text":
			texts = append(texts, textPart(block))
		case "thinking", "redacted_thinking":
			thoughts = append(thoughts, block)
		case "tool_use":
			calls = append(calls, toolCallObject(block))
			// Providers ignore the mark on a call.
			if has(block, "cache_control") {
				message["cache_control"] = block["cache_control"]
			}
		default:
			return nil, unsendable(fmt.Sprintf("an assistant's %q block", kind), fmt.Sprintf("%s.content.%d", path, at))
		}
	}
	maps.Copy(message, rest)
	message["role"] = must("assistant")
	message["content"] = assistantText(texts)
	if len(texts) == 0 && len(calls) > 0 {
		message["content"] = json.RawMessage("null")
	}
	addThoughts(message, thoughts, calls, rest)
	if len(calls) > 0 {
		message["tool_calls"] = must(calls)
	}
	return message, nil
}

// assistantText returns an assistant's text: its blocks continue each other without a break.
func assistantText(texts []object) json.RawMessage {
	var text strings.Builder
	for _, part := range texts {
		if !isPlain(part) {
			return must(texts)
		}
		text.WriteString(textOf(part["text"]))
	}
	return must(text.String())
}

// addThoughts adds thinking as Chat's extension. Its signature is already on the tool calls where
// the service wrote it; else it goes along with the message.
func addThoughts(message object, thoughts, calls []object, rest object) {
	var text strings.Builder
	var signed []object
	for _, one := range thoughts {
		isThinking := textOf(one["type"]) == "thinking"
		if isThinking {
			text.WriteString(textOf(one["thinking"]))
		}
		if !isThinking || string(one["signature"]) != `""` {
			signed = append(signed, one)
		}
	}
	_, isSigned := rest["extra_content"]
	for _, call := range calls {
		_, ok := call["extra_content"]
		isSigned = isSigned || ok
	}
	if text.Len() > 0 {
		message["reasoning_content"] = must(text.String())
	}
	if len(signed) > 0 && !isSigned {
		message["extra_content"] = must(map[string]any{"anthropic": map[string]any{"thinking": signed}})
	}
}

// toolCallObject converts a block to a tool call of Chat; the result equals the call that it came
// from.
func toolCallObject(block object) object {
	call := without(block, "type", "id", "name", "input", "arguments", "caller", "function")
	caller, _ := fields.Object(block["caller"])
	if has(block, "caller") && textOf(caller["type"]) != "direct" {
		call = with(call, "caller", block["caller"])
	}
	function := object{}
	if more, err := fields.Object(block["function"]); err == nil {
		maps.Copy(function, more)
	}
	function["name"] = must(chatName(textOf(block["name"])))
	function["arguments"] = must(argumentsOf(block["input"], textOf(block["arguments"]), block["arguments"] != nil))
	call = with(call, "id", block["id"])
	call["type"], call["function"] = must("function"), must(function)
	return call
}
