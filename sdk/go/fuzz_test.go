package svc

import (
	"encoding/json"
	"strings"
	"testing"

	"svc.example/sdk/go/internal/fields"
)

// FuzzMessageConversion: any request is converted to JSON that the service can parse, or refused.
func FuzzMessageConversion(f *testing.F) {
	for _, seed := range []string{
		`{"messages":[{"role":"user","content":"Hi"}]}`,
		`{"messages":[{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"s"},{"type":"tool_use","id":"1","name":"n","input":{"a":1.50}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"image","source":{"type":"url","url":"u"}}],"is_error":true}]}]}`,
		`{"messages":[],"system":[{"type":"text","text":"s","cache_control":{}}],"tools":[{"name":"n","input_schema":{}}],"tool_choice":{"type":"tool","name":"n"}}`,
		`{"messages":[{"role":"user","content":[{"type":"document","source":{"type":"content","content":[{"type":"text","text":"t"}]},"title":"T"}]}],"thinking":{"type":"enabled","budget_tokens":5000}}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var request MessageRequest
		if json.Unmarshal([]byte(text), &request) != nil {
			return
		}
		chat, err := chatRequestOf(request)
		if err != nil {
			return
		}
		encoded, err := fields.JSON(chat)
		if err != nil || !json.Valid(encoded) {
			t.Fatalf("%s gives %s, %v", text, encoded, err)
		}
		again, err := chatRequestOf(request)
		if err != nil {
			t.Fatal(err)
		}
		if second, _ := fields.JSON(again); string(second) != string(encoded) {
			t.Fatal("two conversions differ")
		}
	})
}

// FuzzToolArguments: a call goes to a block and back with the very same arguments.
func FuzzToolArguments(f *testing.F) {
	for _, seed := range []string{`{"a":1}`, `{"a": 1.50}`, ``, `null`, `{"a":"\u00e9<\u2028"}`, `[1]`, `{"a":1,"a":2}`, `{`, "\xff"} {
		f.Add(seed, "name")
	}
	f.Fuzz(func(t *testing.T, arguments, name string) {
		text := strings.ToValidUTF8(arguments, "\uFFFD")
		name = strings.ToValidUTF8(name, "\uFFFD")
		call := ToolCall{ID: "1", Type: "function", Function: ToolCallFunction{Name: name, Arguments: text,
			Extra: Extra{"arguments": json.RawMessage(`""`)}}}
		block := toolUseBlock(&call, func(name string) string { return name })
		encoded, err := json.Marshal(block)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := fields.Object(encoded)
		if err != nil {
			t.Fatal(err)
		}
		var back ToolCall
		if err := json.Unmarshal(must(toolCallObject(raw)), &back); err != nil {
			t.Fatal(err)
		}
		if back.Function.Arguments != text || back.Function.Name != chatName(name) {
			t.Fatalf("%q came back as %q", text, back.Function.Arguments)
		}
	})
}

// FuzzObjects: an object that is decoded and encoded again has every field, with an equal value.
func FuzzObjects(f *testing.F) {
	f.Add(`{"id":"c","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[]}}],"usage":null}`)
	f.Add(`{"id":7,"choices":[{"message":7}],"created":"x","metadata":{"billing":{"charged":1}}}`)
	f.Fuzz(func(t *testing.T, text string) {
		var completion ChatCompletion
		if json.Unmarshal([]byte(text), &completion) != nil {
			return
		}
		first, err := fields.JSON(completion)
		if err != nil {
			t.Fatal(err)
		}
		var again ChatCompletion
		if err := json.Unmarshal(first, &again); err != nil {
			t.Fatal(err)
		}
		second, err := fields.JSON(again)
		if err != nil || string(second) != string(first) {
			t.Fatalf("%s became %s, %v", first, second, err)
		}
		before, _ := fields.Object([]byte(text))
		after, err := fields.Object(second)
		if err != nil {
			t.Fatal(err)
		}
		for name, value := range before {
			var parsed any
			if json.Unmarshal(value, &parsed) == nil && !hasAdditions(name) && !isEqualJSON(value, after[name]) {
				t.Fatalf("%q: %s became %s", name, value, after[name])
			}
		}
	})
}

// hasAdditions names members whose objects are written with fields that were missing.
func hasAdditions(name string) bool {
	return name == "choices" || name == "usage" || name == "metadata" || name == "orchestration"
}
