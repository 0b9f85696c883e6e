package svc

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"unicode/utf16"

	"svc.example/sdk/go/internal/fields"
)

// anthropicSearch is Anthropic's hosted search, in any version.
var anthropicSearch = regexp.MustCompile(`^web_search_\d{8}$`)

// hostedTypes are hosted tools by Chat's names.
var hostedTypes = []string{"web_search_preview", "file_search"}

func toolObjects(raw json.RawMessage) ([]object, error) {
	var list []json.RawMessage
	err := json.Unmarshal(raw, &list)
	tools := make([]object, 0, len(list))
	for _, one := range list {
		tool, problem := fields.Object(one)
		if problem != nil || tool == nil {
			err = fields.ErrNotObject
		}
		tools = append(tools, tool)
	}
	if err != nil {
		return nil, configurationError("cannot declare tools that are no list of tools: give a list")
	}
	return tools, nil
}

// chatTool converts a declaration; further fields are kept.
func chatTool(tool object) (object, error) {
	if isCustom(tool) {
		return functionTool(tool)
	}
	kind := textOf(tool["type"])
	if slices.Contains(hostedTypes, kind) {
		return tool, nil
	}
	if !anthropicSearch.MatchString(kind) {
		return nil, configurationError("cannot declare a tool of the type %q: give an input_schema and "+
			`run it yourself, or declare "web_search_20250305"`, kind)
	}
	rest := without(tool, "type", "name", "allowed_domains")
	var domains []json.RawMessage
	if json.Unmarshal(tool["allowed_domains"], &domains) == nil && len(domains) > 0 {
		rest = with(rest, "filters", must(object{"allowed_domains": tool["allowed_domains"]}))
	}
	return with(rest, "type", must("web_search_preview")), nil
}

func functionTool(tool object) (object, error) {
	if !isA(tool["name"], '"') {
		return nil, configurationError("cannot declare a tool without a name: give one")
	}
	function := object{"name": must(chatName(textOf(tool["name"])))}
	for name, as := range map[string]string{"description": "description", "input_schema": "parameters", "strict": "strict"} {
		if value, ok := tool[name]; ok {
			function[as] = value
		}
	}
	rest := without(tool, "type", "name", "description", "input_schema", "strict")
	return with(with(rest, "type", must("function")), "function", must(function)), nil
}

func isCustom(tool object) bool {
	return !has(tool, "type") || textOf(tool["type"]) == "custom"
}

// chatToolChoice converts a tool choice.
func chatToolChoice(choice object, tools []object) (json.RawMessage, error) {
	switch kind := textOf(choice["type"]); kind {
	case "auto", "none":
		return must(kind), nil
	case "any":
		return must("required"), nil
	case "tool":
		if !isA(choice["name"], '"') {
			return nil, configurationError(`cannot send a tool_choice of the type "tool" without a name`)
		}
		name := textOf(choice["name"])
		for _, one := range tools {
			if textOf(one["name"]) == name && !isCustom(one) {
				hosted, err := chatTool(one)
				if err != nil {
					return nil, err
				}
				return must(object{"type": hosted["type"]}), nil
			}
		}
		return must(map[string]any{"type": "function", "function": map[string]string{"name": chatName(name)}}), nil
	default:
		return nil, configurationError(
			"cannot send a tool_choice of the type %q: there are auto, any, tool and none", kind)
	}
}

const (
	// longestChatName is the longest name of a function in Chat Completions, in UTF-16 code units;
	// Messages allows twice as much.
	longestChatName = 64
	// keptOfName are kept of a long name's beginning; an underscore and eight digits of its checksum
	// follow.
	keptOfName = longestChatName - 9
)

// chatName returns the name for Chat: deterministic, and distinct for names that are shortened.
func chatName(name string) string {
	if units(name) <= longestChatName {
		return name
	}
	return fmt.Sprintf("%s_%08x", firstUnits(name, keptOfName), checksum(name))
}

// namesBack returns the mapping back, for calls of these tools; names that were not shortened stay.
func namesBack(tools []MessageTool) func(string) string {
	long := map[string]string{}
	for _, one := range tools {
		if units(one.Name) > longestChatName {
			long[chatName(one.Name)] = one.Name
		}
	}
	return func(name string) string {
		if whole, ok := long[name]; ok {
			return whole
		}
		return name
	}
}

// checksum is FNV-1a in 32 bits over UTF-16 code units: it keeps names with an equal beginning apart.
func checksum(text string) uint32 {
	hash := uint32(0x811c9dc5)
	for _, unit := range utf16.Encode([]rune(text)) {
		hash = (hash ^ uint32(unit)) * 0x01000193
	}
	return hash
}
