package svc

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// sendableBlocks are kinds of blocks that can be sent, with the text fields that each must have.
var sendableBlocks = map[string][]string{
	"text": {"text"}, "image": nil, "document": nil, "search_result": {"source", "title"},
	"thinking": {"thinking"}, "redacted_thinking": {"data"}, "tool_use": {"id", "name"},
	"tool_result": {"tool_use_id"},
}

// sendableSources are kinds of sources that can be sent, with the text fields that each must have.
var sendableSources = map[string][]string{
	"base64": {"media_type", "data"}, "text": {"data"}, "content": nil, "url": {"url"},
}

// knownBlocks returns the blocks of a content. It is an error to send another kind.
func knownBlocks(content json.RawMessage, path string) ([]object, error) {
	var list []json.RawMessage
	if !isA(content, '[') || json.Unmarshal(content, &list) != nil {
		return nil, configurationError(
			"cannot send what is without content (%s): write text or a list of blocks", path)
	}
	blocks := make([]object, 0, len(list))
	for at, raw := range list {
		here := fmt.Sprintf("%s.%d", path, at)
		block, _ := fields.Object(raw)
		kind := textOf(block["type"])
		needed, ok := sendableBlocks[kind]
		if !ok {
			return nil, unsendable(fmt.Sprintf("a block of the type %q", kind), here)
		}
		if err := refuseGaps(block, needed, here); err != nil {
			return nil, err
		}
		blocks = append(blocks, block)
	}
	return blocks, nil
}

func refuseGaps(whole object, needed []string, path string) error {
	for _, name := range needed {
		if !isA(whole[name], '"') {
			return configurationError(
				"cannot send what is of the type %q without its %s (%s)", textOf(whole["type"]), name, path)
		}
	}
	return nil
}

// unsendable returns the error for content that Chat cannot express, with its path.
func unsendable(what, path string) error {
	return configurationError(
		"cannot send %s (%s): Chat Completions, to which it is converted, has no field for it", what, path)
}

// textPart converts a text; its further fields, such as cache_control, are kept.
func textPart(block object) object {
	part := without(block, "citations")
	var citations []json.RawMessage
	if json.Unmarshal(block["citations"], &citations) == nil && len(citations) > 0 {
		part["citations"] = block["citations"]
	}
	return part
}

func newText(text string) object { return object{"type": must("text"), "text": must(text)} }

// contentOf returns parts in Chat's simplest form: a single plain text becomes a string.
func contentOf(parts []object) json.RawMessage {
	if len(parts) == 1 && isPlain(parts[0]) {
		return parts[0]["text"]
	}
	if parts == nil {
		parts = []object{}
	}
	return must(parts)
}

// isPlain reports a part with a text and no other field.
func isPlain(part object) bool { return textOf(part["type"]) == "text" && len(part) == 2 }

// contentParts returns the content that a user or a tool shows the model.
func contentParts(block object, path string) ([]object, error) {
	switch kind := textOf(block["type"]); kind {
	case "text":
		return []object{textPart(block)}, nil
	case "image":
		source, err := knownSource(block["source"], path)
		if err != nil {
			return nil, err
		}
		if from := textOf(source["type"]); from != "base64" && from != "url" {
			return nil, unsendable(fmt.Sprintf("an image from a source of the type %q", from), path)
		}
		image := with(without(block, "source"), "type", must("image_url"))
		image["image_url"] = must(map[string]string{"url": addressOf(source)})
		return []object{image}, nil
	case "document":
		return documentParts(block, path)
	case "search_result":
		return searchParts(block, path)
	default:
		return nil, unsendable(fmt.Sprintf("a block of the type %q here", kind), path)
	}
}

func searchParts(block object, path string) ([]object, error) {
	if err := refuseCitations(block, path); err != nil {
		return nil, err
	}
	blocks, err := knownBlocks(block["content"], path+".content")
	if err != nil {
		return nil, err
	}
	texts := []string{textOf(block["title"]), textOf(block["source"])}
	for _, one := range blocks {
		if kind := textOf(one["type"]); kind != "text" {
			return nil, unsendable(fmt.Sprintf("a block of the type %q here", kind), path+".content")
		}
		texts = append(texts, textOf(one["text"]))
	}
	rest := without(block, "type", "source", "title", "content", "citations")
	part := with(with(rest, "type", must("text")), "text", must(strings.Join(texts, "\n\n")))
	return []object{part}, nil
}

// documentParts converts a document: a PDF becomes a file, text stays text, under its title.
func documentParts(block object, path string) ([]object, error) {
	if err := refuseCitations(block, path); err != nil {
		return nil, err
	}
	source, err := knownSource(block["source"], path)
	if err != nil {
		return nil, err
	}
	title, notes := textOf(block["title"]), textOf(block["context"])
	rest := without(block, "type", "source", "title", "context", "citations")
	var parts []object
	heads := slices.DeleteFunc([]string{title, notes}, func(head string) bool { return head == "" })
	if len(heads) > 0 {
		parts = append(parts, newText(strings.Join(heads, "\n")))
	}
	switch textOf(source["type"]) {
	case "text":
		return append(parts, with(with(rest, "type", must("text")), "text", source["data"])), nil
	case "content":
		inner, err := innerParts(source["content"], path+".source.content")
		if err != nil || len(inner) == 0 {
			return parts, err
		}
		last := inner[len(inner)-1]
		for name, value := range rest {
			if _, ok := last[name]; !ok {
				last[name] = value
			}
		}
		return append(parts, inner...), nil
	}
	if parts = nil; notes != "" {
		parts = append(parts, newText(notes))
	}
	if title == "" {
		title = "document.pdf"
	}
	file := must(map[string]string{"filename": title, "file_data": addressOf(source)})
	return append(parts, with(with(rest, "type", must("file")), "file", file)), nil
}

// innerParts converts a content that is a text or blocks.
func innerParts(content json.RawMessage, path string) ([]object, error) {
	if isA(content, '"') {
		return []object{{"type": must("text"), "text": content}}, nil
	}
	blocks, err := knownBlocks(content, path)
	if err != nil {
		return nil, err
	}
	return partsOf(blocks, func(int) string { return path })
}

func partsOf(blocks []object, pathOf func(int) string) ([]object, error) {
	var parts []object
	for at, block := range blocks {
		converted, err := contentParts(block, pathOf(at))
		if err != nil {
			return nil, err
		}
		parts = append(parts, converted...)
	}
	return parts, nil
}

func knownSource(raw json.RawMessage, path string) (object, error) {
	source, _ := fields.Object(raw)
	kind := textOf(source["type"])
	needed, ok := sendableSources[kind]
	if !ok {
		return nil, unsendable(fmt.Sprintf("a source of the type %q", kind), path+".source")
	}
	return source, refuseGaps(source, needed, path+".source")
}

func addressOf(source object) string {
	if textOf(source["type"]) == "url" {
		return textOf(source["url"])
	}
	return "data:" + textOf(source["media_type"]) + ";base64," + textOf(source["data"])
}

func refuseCitations(block object, path string) error {
	citations, _ := fields.Object(block["citations"])
	if string(citations["enabled"]) == "true" {
		return unsendable("citations", path+".citations")
	}
	return nil
}
