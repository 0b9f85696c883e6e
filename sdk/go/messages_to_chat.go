package svc

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"svc.example/sdk/go/internal/fields"
)

// object is a JSON object whose values are not parsed. Messages are converted on this level: every
// field that the conversion does not name passes through.
type object = map[string]json.RawMessage

// refusedFields are those that no chat request can express.
var refusedFields = []string{"billing_policy", "compaction", "container", "context_management",
	"diagnostics", "fallback_credit_token", "fallbacks", "inference_geo", "mcp_servers", "n", "speed",
	"thread", "user_profile_id", "workspace_id"}

const (
	// Thinking budgets in tokens from which the next higher effort is sent.
	mediumFrom = 4_096
	highFrom   = 16_384
)

// chatRequestOf converts a request to Chat Completions. Nothing is dropped silently: a field is
// translated, passed on unchanged, or refused before anything is sent.
func chatRequestOf(request MessageRequest) (ChatRequest, error) {
	var chat ChatRequest
	encoded, err := fields.Encode(request)
	if err != nil {
		return chat, &ConfigurationError{Message: "cannot send the request: it is not JSON", Err: err}
	}
	from, err := fields.Object(encoded)
	if err != nil {
		return chat, err
	}
	into, err := chatObjectOf(from)
	if err != nil {
		return chat, err
	}
	return chat, fields.FromObject(into, &chat)
}

func chatObjectOf(from object) (object, error) {
	into := object{}
	named := []string{"messages", "system", "max_tokens", "stop_sequences", "tools", "tool_choice",
		"thinking", "output_config", "output_format", "stream", "metadata", "service_tier", "top_k"}
	for name, value := range from {
		switch {
		case slices.Contains(named, name):
		case !slices.Contains(refusedFields, name):
			into[name] = value
		case !isNull(value):
			return nil, configurationError(
				"cannot send %s: Chat Completions, to which Messages are converted, has no field for it", name)
		}
	}
	if value, ok := from["max_tokens"]; ok {
		into["max_completion_tokens"] = value
	}
	if value, ok := from["stop_sequences"]; ok {
		into["stop"] = value
	}
	if has(from, "top_k") {
		// Chat does not have it: the service passes it to providers that accept it.
		into["extra_content"] = withTopK(from["extra_content"], from["top_k"])
	}
	for _, convert := range []func(from, into object) error{outputFields, callerFields, toolFields, messageFields} {
		if err := convert(from, into); err != nil {
			return nil, err
		}
	}
	return into, nil
}

func withTopK(extension, topK json.RawMessage) json.RawMessage {
	whole, _ := fields.Object(extension)
	anthropic, _ := fields.Object(whole["anthropic"])
	inner := object{}
	maps.Copy(inner, anthropic)
	inner["top_k"] = topK
	outer := object{}
	maps.Copy(outer, whole)
	outer["anthropic"] = must(inner)
	return must(outer)
}

// must encodes a value that consists of JSON and of texts.
func must(value any) json.RawMessage {
	encoded, err := fields.JSON(value)
	if err != nil {
		panic(fmt.Sprintf("cannot encode what is JSON already: %v", err))
	}
	return encoded
}

// outputFields converts the effort of the model and the form of its answer.
func outputFields(from, into object) error {
	output := object{}
	if has(from, "output_format") {
		output["format"] = from["output_format"]
	}
	config, _ := fields.Object(from["output_config"])
	maps.Copy(output, config)
	effort, err := effortOf(from["thinking"], output["effort"])
	if err != nil {
		return err
	}
	if effort != nil {
		into["reasoning_effort"] = effort
	}
	for _, name := range slices.Sorted(maps.Keys(output)) {
		if name != "effort" && name != "format" {
			return configurationError("cannot send output_config.%s: there are effort, format", name)
		}
	}
	if !has(output, "format") {
		return nil
	}
	format, err := fields.Object(output["format"])
	if err != nil {
		return configurationError("cannot send output_config.format: it is no object")
	}
	schema := object{"name": must("answer"), "strict": must(true)}
	for name, value := range format {
		if name != "type" {
			schema[name] = value
		}
	}
	response := object{"json_schema": must(schema)}
	if kind, ok := format["type"]; ok {
		response["type"] = kind
	}
	into["response_format"] = must(response)
	return nil
}

// effortOf returns Chat's reasoning effort; nil leaves it to the model.
func effortOf(thinking, asked json.RawMessage) (json.RawMessage, error) {
	config, _ := fields.Object(thinking)
	kind := "adaptive"
	if _, ok := config["type"]; ok {
		kind = textOf(config["type"])
	}
	if textOf(config["display"]) == "omitted" {
		return nil, configurationError(
			`cannot send thinking.display "omitted": leave it out and skip thinking blocks`)
	}
	isAsked := asked != nil && !isNull(asked)
	var budget float64
	isBudget := config["budget_tokens"] != nil && json.Unmarshal(config["budget_tokens"], &budget) == nil
	switch {
	case kind == "disabled":
		return must("none"), nil
	case isAsked && textOf(asked) == "max":
		return must("xhigh"), nil
	case isAsked:
		return asked, nil
	case kind == "adaptive":
		return nil, nil
	case kind != "enabled" || !isBudget:
		return nil, configurationError("cannot send thinking of the type %q: there are enabled, with its "+
			"budget_tokens, adaptive and disabled", kind)
	case budget < mediumFrom:
		return must("low"), nil
	case budget < highFrom:
		return must("medium"), nil
	}
	return must("high"), nil
}

// callerFields converts the metadata of the caller and the tier.
func callerFields(from, into object) error {
	about, _ := fields.Object(from["metadata"])
	if isA(about["user_id"], '"') {
		into["user"] = about["user_id"]
	}
	delete(about, "user_id")
	if len(about) > 0 {
		into["metadata"] = must(about)
	}
	if tier, ok := from["service_tier"]; ok {
		into["service_tier"] = tier
		if textOf(tier) == "standard_only" {
			into["service_tier"] = must("default")
		}
	}
	return nil
}

func toolFields(from, into object) error {
	var tools []object
	if has(from, "tools") {
		var err error
		if tools, err = toolObjects(from["tools"]); err != nil {
			return err
		}
		chat := make([]object, 0, len(tools))
		for _, one := range tools {
			converted, err := chatTool(one)
			if err != nil {
				return err
			}
			chat = append(chat, converted)
		}
		into["tools"] = must(chat)
	}
	if !has(from, "tool_choice") {
		return nil
	}
	choice, err := fields.Object(from["tool_choice"])
	if err != nil {
		return configurationError("cannot send a tool_choice that is no object")
	}
	if into["tool_choice"], err = chatToolChoice(choice, tools); err != nil {
		return err
	}
	if string(choice["disable_parallel_tool_use"]) == "true" {
		into["parallel_tool_calls"] = must(false)
	}
	return nil
}

func messageFields(from, into object) error {
	messages := []object{}
	if system := from["system"]; system != nil && !isNull(system) && string(system) != `""` && string(system) != "[]" {
		converted, err := chatMessages(object{"role": must("system"), "content": system}, "system")
		if err != nil {
			return err
		}
		messages = append(messages, converted...)
	}
	var list []json.RawMessage
	if err := json.Unmarshal(from["messages"], &list); err != nil {
		return configurationError("cannot send a Messages request without messages: give a list")
	}
	for at, raw := range list {
		message, _ := fields.Object(raw)
		converted, err := chatMessages(message, fmt.Sprintf("messages.%d", at))
		if err != nil {
			return err
		}
		messages = append(messages, converted...)
	}
	into["messages"] = must(messages)
	return nil
}
