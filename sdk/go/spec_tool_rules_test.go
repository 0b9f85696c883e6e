package svc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestSpec_4_1_Rule_01_RequestToolsAreSentUnchanged(t *testing.T) {
	for _, tools := range [][]ChatTool{{}, {{Type: "function", Function: &FunctionDefinition{Name: "own"}}}} {
		s := newService(t, spokenAnswer("a"))
		request := say("Hi")
		request.Tools = tools
		c := mustClient(t, WithAPIKey("k"), WithAPIBaseURL(s.URL), WithTools(echo("look")))
		if _, err := c.CreateChatCompletion(background, request); err != nil {
			t.Fatal(err)
		}
		want, err := json.Marshal(tools)
		if err != nil {
			t.Fatal(err)
		}
		if raw := s.requests()[0].Raw; !strings.Contains(raw, `"tools":`+string(want)) {
			t.Error(raw)
		}
	}
}

func TestSpec_4_1_Rule_02_RegisteredToolsReplaceDefaults(t *testing.T) {
	equal(t, names(declaredNames(t, WithTools(echo("look")), WithDefaultBuiltinTools(true))...), "look")
}

func TestSpec_4_1_Rule_03_FallbackToolsRun(t *testing.T) {
	s := newService(t, called("calculator", `{"expression":"17 * 23"}`), spokenAnswer("391"))
	c := mustClient(t, WithAPIKey("k"), WithAPIBaseURL(s.URL))
	result, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if text := result.Steps[0].Results[0].Text; !strings.Contains(text, "391") {
		t.Error(text)
	}
}

func TestSpec_4_1_Rule_04_CreateRunsTheFallbackOnly(t *testing.T) {
	calls := called("calculator", `{"expression":"17 * 23"}`)
	// The defaults run, and the last turn has the bill of both.
	s := newService(t, calls, spokenAnswer("391"))
	completion, err := mustClient(t, WithAPIKey("k"), WithAPIBaseURL(s.URL)).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Text()+" "+completion.Metadata.Billing.Charged, "391 0.300000")
	equal(t, completion.Usage.TotalTokens, 7)
	// A registered tool of the same name does not.
	isRun := false
	own := Tool{Name: "calculator", Handler: func(context.Context, json.RawMessage) (any, error) { isRun = true; return 1, nil }}
	s = newService(t, calls, spokenAnswer("391"))
	completion, err = s.client(t, WithTools(own)).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, isRun, false)
	equal(t, completion.Choices[0].Message.ToolCalls[0].Function.Name, "calculator")
}

func TestSpec_4_1_Rule_04_StreamRunsTheFallbackOnly(t *testing.T) {
	call := `{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"calculator","arguments":"{\"expression\":\"2+2\"}"}}]}}]}`
	end := `{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`
	s := newService(t, stream(call, end, done), stream(delta("4"), finished, done))
	chunks, err := mustClient(t, WithAPIKey("k"), WithAPIBaseURL(s.URL)).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for _, err := range chunks.All() {
		if err != nil {
			t.Fatal(err)
		}
		count++
	}
	completion, err := chunks.Final()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Text(), "4")
	equal(t, count, 4)
	equal(t, len(s.requests()), 2)
}

func TestSpec_4_1_Rule_05_OnlyRegisteredHandlersRun(t *testing.T) {
	s := newService(t, called("calculator", `{"expression":"1+1"}`), spokenAnswer("a"))
	c := mustClient(t, WithAPIKey("k"), WithAPIBaseURL(s.URL), WithTools(echo("look")))
	result, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.Steps[0].Results[0].Code, "tool_handler_not_found")
	if raw := s.requests()[1].Raw; !strings.Contains(raw, "tool_handler_not_found") {
		t.Error("the model does not learn it:", raw)
	}
}

func TestSpec_4_1_Rule_07_DeclarationsStayAndChoiceIsRelaxed(t *testing.T) {
	s := newService(t, called("look", `{}`), called("look", `{}`), spokenAnswer("a"))
	request := say("Hi")
	request.ToolChoice = ChatToolChoice{Function: "look"}
	if _, err := s.client(t, WithTools(echo("look"))).RunChatCompletion(background, request, RunChatOptions{}); err != nil {
		t.Fatal(err)
	}
	for at, want := range []string{`{"function":{"name":"look"},"type":"function"}`, `"auto"`, `"auto"`} {
		raw := s.requests()[at].Raw
		if !strings.Contains(raw, `"tool_choice":`+want) || !strings.Contains(raw, `"name":"look","parameters"`) {
			t.Error(at, raw)
		}
		equal(t, strings.Count(raw, `"role":"tool"`), at)
	}
}

func TestSpec_4_1_Rule_08_PartialResultWithTheError(t *testing.T) {
	for _, isStream := range []bool{false, true} {
		s := newService(t, called("look", `{}`), reply{status: 500, body: `{"error":{"message":"broken"}}`})
		run := s.client(t, WithTools(echo("look"))).RunChatCompletion
		if isStream {
			s = newService(t, stream(`{"choices":[{"index":0,"delta":{"tool_calls":[{"id":"call_1","function":{"name":"look"}}]},"finish_reason":"tool_calls"}]}`, done),
				reply{status: 500, body: `{"error":{"message":"broken"}}`})
			run = s.client(t, WithTools(echo("look"))).RunChatCompletionStream
		}
		result, err := run(background, say("Hi"), RunChatOptions{})
		var failure *APIError
		if !errors.As(err, &failure) || result == nil {
			t.Fatalf("got %v and %v", result, err)
		}
		equal(t, len(result.Steps), 1)
		equal(t, len(result.Messages), 3)
		equal(t, result.StoppedBy, StoppedByError)
	}
}

func TestSpec_4_1_Rule_09_CallsAreReusedWhole(t *testing.T) {
	item := `{"type":"function_call","id":"fc_1","call_id":"call_1","name":"look","arguments":"{\"a\": 1}",` +
		`"extra_content":{"google":{"x":1.50}},"thought_signature":"s=","vendor":"v"}`
	s := newService(t, reply{body: `{"status":"completed","output":[` + item + `]}`}, reply{body: completedResponse})
	c := s.client(t)
	response, err := c.CreateResponse(background, ResponseRequest{Input: TextInput("Hi"), Tools: []ResponseTool{}})
	if err != nil {
		t.Fatal(err)
	}
	input := append([]ResponseItem{UserItem("Hi")}, response.Output...)
	input = append(input, FunctionCallOutput("call_1", "done"))
	if _, err := c.CreateResponse(background, ResponseRequest{Input: ResponseInput{Items: input}}); err != nil {
		t.Fatal(err)
	}
	if raw := s.requests()[1].Raw; !strings.Contains(raw, item) {
		t.Error("the item came back changed:", raw)
	}
}

func TestSpec_4_1_Rule_09_ToolUseIsReusedWhole(t *testing.T) {
	s := newService(t, reply{body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` + signedCall +
		`]},"finish_reason":"tool_calls"}]}`}, spokenAnswer("ok"))
	c := s.client(t)
	messages := []MessageParam{UserParam("Hi")}
	message, err := c.CreateMessage(background, MessageRequest{Messages: messages, Tools: []MessageTool{}})
	if err != nil {
		t.Fatal(err)
	}
	answer := MessageParam{Role: "user", Content: BlockContent{Parts: []Block{ToolResultBlock("call_1", "done", false)}}}
	messages = append(messages, message.Param(), answer)
	if _, err := c.CreateMessage(background, MessageRequest{Messages: messages, Tools: []MessageTool{}}); err != nil {
		t.Fatal(err)
	}
	raw := s.requests()[1].Raw
	for _, part := range []string{`"arguments":"{\"a\": 1}"`, `"extra_content":{"google":{"thought_signature":"a<b>&\u00e9/+="},"n":1.50}`,
		`"thought_signature":"sig/+="`, `"vendor":{"z":1,"a":2}`} {
		if !strings.Contains(raw, part) {
			t.Errorf("%s is missing in %s", part, raw)
		}
	}
}

func TestSpec_4_1_Rule_10_CallbacksOfStreams(t *testing.T) {
	call := `{"choices":[{"index":0,"delta":{"content":"Looking. ","tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"look","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`
	s := newService(t, stream(call, done), stream(delta("He"), delta("llo"), finished, billed, done))
	var texts, between, results []string
	result, err := s.client(t, WithTools(echo("look"))).RunChatCompletionStream(background, say("Hi"), RunChatOptions{
		OnTextDelta:        func(text string) { texts = append(texts, text) },
		OnIntermediateText: func(text string) { between = append(between, text) },
		OnToolResult:       func(result ToolResult[ToolCall]) { results = append(results, result.Text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, strings.Join(texts, "|"), "He|llo")
	equal(t, strings.Join(between, "|")+strings.Join(results, "|"), "Looking. {}")
	equal(t, result.FinalText+result.Response.Text(), "HelloHello")
}

func TestSpec_4_1_Rule_11_FinalTaskOnly(t *testing.T) {
	s := newService(t, stream(
		`{"choices":[{"index":0,"delta":{"content":"Notes"}}],"orchestration":{"task_id":"tea"}}`,
		`{"choices":[{"index":0,"delta":{"content":"Tea"}}],"orchestration":{"task_id":"final"}}`,
		finished, done))
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	text, all := "", ""
	for chunk, err := range chunks.All() {
		if err != nil {
			t.Fatal(err)
		}
		all += chunk.Text()
		if chunk.IsReply() {
			text += chunk.Text()
		}
	}
	equal(t, all+" "+text+" "+OrchestrationFinalTaskID, "NotesTea Tea final")
}

func TestSpec_4_1_Rule_12_ChunksWithoutChoicesAreKept(t *testing.T) {
	s := newService(t, stream(delta("a"), finished,
		`{"metadata":{"billing":{"charged":"1","input_tokens":4,"output_tokens":1,"total_tokens":5}}}`, done))
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	last := &ChatChunk{}
	for chunk, err := range chunks.All() {
		if err != nil {
			t.Fatal(err)
		}
		last = chunk
	}
	if last.Choices == nil || len(last.Choices) != 0 {
		t.Error("the choices are", last.Choices)
	}
	completion, err := chunks.Final()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Usage.PromptTokens, 4)
}

func TestSpec_4_1_Rule_13_ToolChoiceOfMessages(t *testing.T) {
	for _, one := range []struct {
		choice MessageToolChoice
		want   string
	}{
		{MessageToolChoice{Type: "auto"}, `"tool_choice":"auto"`},
		{MessageToolChoice{Type: "any"}, `"tool_choice":"required"`},
		{MessageToolChoice{Type: "none"}, `"tool_choice":"none"`},
		{MessageToolChoice{Type: "tool", Name: "look"}, `"tool_choice":{"function":{"name":"look"},"type":"function"}`},
		{MessageToolChoice{Type: "auto", DisableParallelToolUse: true}, `"parallel_tool_calls":false`},
	} {
		s := newService(t, spokenAnswer("a"))
		request := MessageRequest{Messages: []MessageParam{UserParam("Hi")}, ToolChoice: &one.choice,
			Tools: []MessageTool{{Name: "look", InputSchema: json.RawMessage(`{"type":"object"}`)}}}
		if _, err := s.client(t).CreateMessage(background, request); err != nil {
			t.Fatal(err)
		}
		if raw := s.requests()[0].Raw; !strings.Contains(raw, one.want) {
			t.Errorf("%s is missing in %s", one.want, raw)
		}
	}
}

func TestParallelCallsAnswerInCallOrder(t *testing.T) {
	second := make(chan struct{})
	slow := Tool{Name: "slow", Handler: func(ctx context.Context, _ json.RawMessage) (any, error) {
		select {
		case <-second:
		case <-ctx.Done():
		}
		return "slow " + ToolCallID(ctx), ctx.Err()
	}}
	fast := Tool{Name: "fast", Handler: func(ctx context.Context, _ json.RawMessage) (any, error) {
		close(second)
		return "fast " + ToolCallID(ctx), nil
	}}
	s := newService(t, called("slow", "{}", "fast", "{}"), spokenAnswer("a"))
	result, err := s.client(t, WithTools(slow, fast)).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.Steps[0].Results[0].Text+", "+result.Steps[0].Results[1].Text, "slow call_1, fast call_2")
}

func TestFailuresOfToolsAreNewsForTheModel(t *testing.T) {
	handlers := map[string]ToolHandler{
		"panics": func(context.Context, json.RawMessage) (any, error) { panic("secret") },
		"fails":  func(context.Context, json.RawMessage) (any, error) { return nil, errors.New("secret") },
		"tells": func(context.Context, json.RawMessage) (any, error) {
			return nil, fmt.Errorf("x: %w", &ToolError{Code: "gone", Message: "Not there"})
		},
		"channel": func(context.Context, json.RawMessage) (any, error) { return make(chan int), nil },
		"bytes":   func(context.Context, json.RawMessage) (any, error) { return []byte("a"), nil },
		"waits":   func(ctx context.Context, _ json.RawMessage) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
	}
	for name, want := range map[string]string{"panics": "tool_failed", "fails": "tool_failed", "tells": "gone",
		"channel": "invalid_tool_result", "bytes": "invalid_tool_result", "waits": "tool_timeout"} {
		s := newService(t, called(name, "{}"), spokenAnswer("a"))
		result, err := s.client(t, WithToolHandler(name, handlers[name])).RunChatCompletion(background, say("Hi"),
			RunChatOptions{ToolTimeout: 10 * time.Millisecond})
		if err != nil {
			t.Fatal(err)
		}
		got := result.Steps[0].Results[0]
		equal(t, got.Code, want)
		if strings.Contains(got.Text, "secret") {
			t.Error(got.Text)
		}
		var panicked *PanicError
		equal(t, errors.As(got.Cause, &panicked), name == "panics")
	}
}

func TestTypedTool(t *testing.T) {
	type place struct {
		City string `json:"city" jsonschema:"Name of the city"`
		Days int    `json:"days,omitempty"`
	}
	weather, err := NewTool("weather", "The weather of a city", func(_ context.Context, input place) (string, error) {
		return fmt.Sprintf("Rain in %s for %d days", input.City, input.Days), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s := newService(t, called("weather", `{"city":"Oslo","days":2}`, "weather", `{"days":2}`, "weather", `{"city":7}`, "weather", `{"city":`), spokenAnswer("a"))
	result, err := s.client(t, WithTools(weather)).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	results := result.Steps[0].Results
	equal(t, results[0].Text, "Rain in Oslo for 2 days")
	for _, wrong := range results[1:] {
		equal(t, wrong.Code, "invalid_tool_arguments")
	}
	if raw := s.requests()[0].Raw; !strings.Contains(raw, `"required":["city"]`) || !strings.Contains(raw, "Name of the city") {
		t.Error(raw)
	}
	if _, err := NewTool("list", "", func(context.Context, []string) (string, error) { return "", nil }); err == nil {
		t.Error("an input that is no struct was taken")
	}
}
