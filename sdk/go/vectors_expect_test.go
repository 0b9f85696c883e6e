package svc

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// outcome is everything that can be seen of a call.
type outcome struct {
	result
	service *scriptedService
	tools   *scriptedTools
	events  []any
	text    string
	err     error
}

// expectation is what a case expects; each member is checked where it is given.
type expectation struct {
	Sent       []sentExpectation `json:"sent"`
	Requests   *int              `json:"requests"`
	Calls      *[]receivedCall   `json:"calls"`
	Events     *[]any            `json:"events"`
	Answer     map[string]any    `json:"answer"`
	RequestID  *string           `json:"requestId"`
	OutputText *string           `json:"outputText"`
	Text       *string           `json:"text"`
	Run        *runExpectation   `json:"run"`
	Error      *errorExpectation `json:"error"`
}

func (e expectation) check(t *testing.T, got outcome, method string) {
	t.Helper()
	switch {
	case e.Error != nil:
		e.Error.check(t, got, method)
	case got.err != nil:
		t.Fatalf("the call failed: %v", got.err)
	}
	if e.Requests != nil {
		equalJSON(t, "number of requests", len(got.service.sent), *e.Requests)
	}
	if e.Sent != nil {
		checkSent(t, got.service.sent, e.Sent, method)
	}
	if e.Calls != nil {
		got.tools.checkReceived(*e.Calls)
	}
	if e.Events != nil {
		showsJSON(t, "events", got.events, *e.Events)
	}
	if e.Error == nil {
		e.checkResult(t, got, method)
	}
}

func (e expectation) checkResult(t *testing.T, got outcome, method string) {
	t.Helper()
	if e.RequestID != nil {
		equalJSON(t, "request id", got.requestID, *e.RequestID)
	}
	if e.OutputText != nil {
		equalJSON(t, "output text", got.outputText, *e.OutputText)
	}
	if e.Answer != nil {
		checkPointers(t, "answer", asJSON(t, got.answer), e.Answer, showsJSON)
	}
	if e.Run != nil {
		e.Run.check(t, got.run)
	}
	if e.Text != nil && isRun(method) {
		equalJSON(t, "text", got.text, *e.Text)
	}
}

// sentExpectation is a request that a case expects.
type sentExpectation struct {
	Method        string             `json:"method"`
	URL           string             `json:"url"`
	Headers       map[string]*string `json:"headers"`
	Body          map[string]any     `json:"body"`
	Form          map[string]any     `json:"form"`
	At            map[string]any     `json:"at"`
	Declares      *[]string          `json:"declares"`
	ErrorsAt      map[string]string  `json:"errorsAt"`
	AnsweredCalls *int               `json:"answeredCalls"`
}

func checkSent(t *testing.T, sent []sentRequest, expected []sentExpectation, method string) {
	t.Helper()
	if len(sent) != len(expected) {
		t.Fatalf("%d requests were sent, want %d", len(sent), len(expected))
	}
	for at, want := range expected {
		got := sent[at]
		if want.Method != "" {
			equalJSON(t, "method", got.method, want.Method)
		}
		if want.URL != "" {
			equalJSON(t, "url", got.url, want.URL)
		}
		for name, value := range want.Headers {
			values := got.header.Values(name)
			if value == nil && len(values) > 0 || value != nil && (len(values) != 1 || values[0] != *value) {
				t.Errorf("header %s: got %q, want %s", name, values, jsonText(value))
			}
		}
		if got.body != nil && (got.body["stream"] == true) != isStreaming(method) {
			t.Errorf("request %d of %s has stream: %v", at, method, got.body["stream"])
		}
		if want.Form != nil {
			equalJSON(t, "form", got.form, want.Form)
		}
		want.checkBody(t, got.body)
	}
}

func (e sentExpectation) checkBody(t *testing.T, sent map[string]any) {
	t.Helper()
	body := map[string]any{}
	for name, value := range sent {
		if name != "stream" {
			body[name] = value
		}
	}
	if e.Body != nil {
		equalJSON(t, "body", body, e.Body)
	}
	checkPointers(t, "body", body, e.At, equalJSON)
	if e.Declares != nil {
		names := []string{}
		for _, tool := range list(body["tools"]) {
			names = append(names, firstText(valueAt(tool, "/function/name"), valueAt(tool, "/name"), valueAt(tool, "/type")))
		}
		equalJSON(t, "declared tools", names, *e.Declares)
	}
	for pointer, code := range e.ErrorsAt {
		var content any
		text, _ := valueAt(body, pointer).(string)
		if err := json.Unmarshal([]byte(text), &content); err != nil {
			t.Errorf("%s is no error result: %q", pointer, text)
			continue
		}
		equalJSON(t, "code at "+pointer, valueAt(content, "/error/code"), code)
	}
	if e.AnsweredCalls != nil {
		checkAnsweredCalls(t, body, *e.AnsweredCalls)
	}
}

// checkAnsweredCalls compares the ids of calls with those of results, in their order; no two calls
// have one id.
func checkAnsweredCalls(t *testing.T, body map[string]any, count int) {
	t.Helper()
	called, answered := []string{}, []string{}
	distinct := map[string]bool{}
	for _, item := range append(list(body["messages"]), list(body["input"])...) {
		kind, role := valueAt(item, "/type"), valueAt(item, "/role")
		if kind == "function_call" {
			called = append(called, firstText(valueAt(item, "/call_id")))
		}
		for _, call := range list(valueAt(item, "/tool_calls")) {
			called = append(called, firstText(valueAt(call, "/id")))
		}
		if role == "tool" || kind == "function_call_output" {
			answered = append(answered, firstText(valueAt(item, "/tool_call_id"), valueAt(item, "/call_id")))
		}
	}
	for _, id := range called {
		distinct[id] = true
	}
	equalJSON(t, "results of calls", answered, called)
	equalJSON(t, "distinct ids", len(distinct), count)
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func firstText(values ...any) string {
	for _, value := range values {
		if text, ok := value.(string); ok {
			return text
		}
	}
	return ""
}

// runExpectation are members of the result of a run.
type runExpectation struct {
	FinalText     *string       `json:"finalText"`
	StoppedBy     *string       `json:"stoppedBy"`
	FinishReason  *string       `json:"finishReason"`
	FinishReasons *[]string     `json:"finishReasons"`
	Steps         *int          `json:"steps"`
	TotalTokens   *int64        `json:"totalTokens"`
	Charged       *string       `json:"charged"`
	Pending       *[]string     `json:"pending"`
	Results       *[][]toolView `json:"results"`
	Reasoning     *[]string     `json:"reasoning"`
	History       *[]any        `json:"history"`
}

func (e runExpectation) check(t *testing.T, run *runView) {
	t.Helper()
	if run == nil {
		t.Fatal("there is no result of a run")
	}
	same(t, "final text", run.finalText, e.FinalText)
	same(t, "stopped by", run.stoppedBy, e.StoppedBy)
	same(t, "finish reason", run.finishReason, e.FinishReason)
	same(t, "finish reasons", run.finishReasons, e.FinishReasons)
	same(t, "steps", len(run.results), e.Steps)
	same(t, "total tokens", run.totalTokens, e.TotalTokens)
	same(t, "charged", run.charged, e.Charged)
	same(t, "pending calls", run.pending, e.Pending)
	same(t, "results", run.results, e.Results)
	same(t, "reasoning", run.reasoning, e.Reasoning)
	if e.History != nil {
		showsJSON(t, "history", run.history, *e.History)
	}
}

// same compares a value where the case gives one.
func same[Value any](t *testing.T, about string, got Value, want *Value) {
	t.Helper()
	if want != nil {
		equalJSON(t, about, got, *want)
	}
}

// errorExpectation is an error that a case expects.
type errorExpectation struct {
	Kind      string            `json:"kind"`
	Status    *int              `json:"status"`
	Code      optional          `json:"code"`
	Message   *string           `json:"message"`
	Body      optional          `json:"body"`
	BodyAt    map[string]any    `json:"bodyAt"`
	RequestID optional          `json:"requestId"`
	Headers   map[string]string `json:"headers"`
	Partial   *runExpectation   `json:"partial"`
}

func (e errorExpectation) check(t *testing.T, got outcome, method string) {
	t.Helper()
	if got.err == nil {
		t.Fatal("the call did not fail")
	}
	var api *APIError
	var configuration *ConfigurationError
	var connection *ConnectionError
	var timeout *TimeoutError
	isKind := map[string]bool{
		"api":             errors.As(got.err, &api),
		"configuration":   errors.As(got.err, &configuration) && !errors.Is(got.err, ErrMissingAPIKey),
		"connection":      errors.As(got.err, &connection),
		"timeout":         errors.As(got.err, &timeout),
		"missing_api_key": errors.Is(got.err, ErrMissingAPIKey),
	}
	if !isKind[e.Kind] {
		t.Fatalf("the call failed with a %T, want the kind %s: %v", got.err, e.Kind, got.err)
	}
	if e.Partial != nil && isRun(method) {
		e.Partial.check(t, got.run)
	}
	if e.Partial != nil && !isRun(method) && got.answer == nil {
		t.Error("there is no answer beside the error")
	}
	if api != nil {
		e.checkAPI(t, api)
	}
}

func (e errorExpectation) checkAPI(t *testing.T, api *APIError) {
	t.Helper()
	same(t, "status", api.StatusCode, e.Status)
	if e.Message != nil && !sameMessage(api.Message, *e.Message) {
		t.Errorf("message: got %q, want %q", api.Message, *e.Message)
	}
	if e.Code.given {
		equalJSON(t, "code", api.Code, firstText(e.Code.value))
	}
	if e.RequestID.given {
		equalJSON(t, "request id", api.RequestID, firstText(e.RequestID.value))
	}
	if e.Body.given {
		equalJSON(t, "body", bodyOf(api), e.Body.value)
	}
	checkPointers(t, "body", bodyOf(api), e.BodyAt, equalJSON)
	for name, value := range e.Headers {
		equalJSON(t, "header "+name, api.ResponseHeaders.Get(name), value)
	}
}

// sameMessage compares messages; those of this library begin with a small letter.
func sameMessage(got, want string) bool {
	return got == want || got != "" && strings.EqualFold(got[:1], want[:1]) && got[1:] == want[1:]
}

// bodyOf returns the body of an error: JSON, or else its text.
func bodyOf(api *APIError) any {
	var value any
	if err := json.Unmarshal(api.Body, &value); err != nil || value == nil {
		return string(api.Body)
	}
	return value
}
