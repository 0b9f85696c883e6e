package svc

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// loud is a value that panics when it is written as JSON.
type loud struct{}

func (loud) MarshalJSON() ([]byte, error) { panic("loud") }

// lying is an error whose methods panic.
type lying struct{}

func (lying) Error() string   { panic("error text") }
func (lying) Is(error) bool   { panic("is") }
func (lying) As(any) bool     { panic("as") }
func (lying) Unwrap() []error { panic("unwrap") }

// TestHandlersThatBreak: whatever a handler returns, the process lives on and the model reads an error.
func TestHandlersThatBreak(t *testing.T) {
	for name, handler := range map[string]ToolHandler{
		"marshaler": func(context.Context, json.RawMessage) (any, error) { return loud{}, nil },
		"nil error": func(context.Context, json.RawMessage) (any, error) { var none *ToolError; return nil, none },
		"error":     func(context.Context, json.RawMessage) (any, error) { return nil, lying{} },
		"panic nil": func(context.Context, json.RawMessage) (any, error) { panic(nil) },
		"panic err": func(context.Context, json.RawMessage) (any, error) { panic(lying{}) },
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, called("look", `{}`), spokenAnswer("ok"))
			result, err := s.client(t, WithTools(Tool{Name: "look", Handler: handler})).
				RunChatCompletion(background, say("Hi"), RunChatOptions{})
			if err != nil || len(result.Steps) != 2 {
				t.Fatal(result, err)
			}
			got := result.Steps[0].Results[0]
			if !got.IsError || !strings.HasPrefix(got.Text, `{"error":{"code":"`) || strings.Contains(got.Text, "loud") {
				t.Error(got.Text)
			}
		})
	}
}

// TestIdempotencyKeySentOnce: net/http repeats a POST with such a header by itself.
func TestIdempotencyKeySentOnce(t *testing.T) {
	for _, header := range []string{"Idempotency-Key", "X-Idempotency-Key"} {
		var count atomic.Int32
		breaks := reply{handle: func(http.ResponseWriter, *http.Request) { count.Add(1); panic(http.ErrAbortHandler) }}
		s := newService(t, reply{body: catalogBody}, breaks, breaks, breaks)
		c := s.client(t, WithHeader(header, "one"))
		if _, err := c.ListModels(background); err != nil {
			t.Fatal(err)
		}
		if _, err := c.CreateChatCompletion(background, say("Hi")); err == nil {
			t.Error("it succeeded")
		}
		equal(t, count.Load(), 1)
	}
}

// panicky is a round tripper that panics.
type panicky struct{ http.RoundTripper }

func (panicky) RoundTrip(*http.Request) (*http.Response, error) { panic("trip") }

// TestPanicsOfCallbacks: they reach the caller, and leave nothing behind.
func TestPanicsOfCallbacks(t *testing.T) {
	caught := func(f func()) (value any) {
		defer func() { value = recover() }()
		f()
		return nil
	}
	for name, options := range map[string]RunChatOptions{
		"text":   {OnTextDelta: func(string) { panic("stop") }},
		"result": {OnToolResult: func(ToolResult[ToolCall]) { panic("stop") }},
		"event":  {OnEvent: func(*ChatChunk) error { panic("stop") }},
		"step":   {OnStep: func(Step[ChatCompletion, ToolCall]) { panic("stop") }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newService(t, stream(`{"id":"c","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"look","arguments":"{}"}},`+
				`{"index":1,"id":"b","function":{"name":"look","arguments":"{}"}}]}}]}`,
				`{"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, done), stream(delta("a"), finished, done))
			c := s.client(t, WithTools(echo("look")))
			equal(t, caught(func() { _, _ = c.RunChatCompletionStream(background, say("Hi"), options) }), any("stop"))
		})
	}
	c := mustClient(t, WithAPIKey("k"), WithAPIBaseURL("http://127.0.0.1:9"),
		WithHTTPClient(&http.Client{Transport: panicky{}}), WithDefaultLocalTools(false))
	equal(t, caught(func() { _, _ = c.StreamChatCompletion(background, say("Hi")) }), any("trip"))
}

// breaking panics while its body is read.
type breaking struct{ reads int }

func (b *breaking) Read(p []byte) (int, error) {
	if b.reads++; b.reads > 1 {
		panic("body")
	}
	return copy(p, "data: "+delta("a")+"\n\n"), nil
}
func (*breaking) Close() error { return nil }

// breakingTrip answers with a body that breaks.
type breakingTrip struct{}

func (breakingTrip) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 200, Header: http.Header{"Content-Type": {eventType}}, Body: &breaking{}, Request: r}, nil
}

// TestStreamAfterAPanicIsNotComplete: nobody takes what came before for the answer.
func TestStreamAfterAPanicIsNotComplete(t *testing.T) {
	c := mustClient(t, WithAPIKey("k"), WithAPIBaseURL("http://127.0.0.1:9"),
		WithHTTPClient(&http.Client{Transport: breakingTrip{}}), WithDefaultLocalTools(false))
	chunks, err := c.StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	_, _ = chunks.Recv()
	func() {
		defer func() { equal(t, recover(), any("body")) }()
		_, _ = chunks.Recv()
	}()
	if final, err := chunks.Final(); err == nil {
		t.Error("a broken stream is complete:", final)
	}
}

// TestCancelledAtAnyMoment: a call that is left at any moment is complete, or says why it ended.
func TestCancelledAtAnyMoment(t *testing.T) {
	for wait := time.Duration(0); wait < 6*time.Millisecond; wait += 60 * time.Microsecond {
		s := newService(t, called("look", `{}`, "look", `{}`), spokenAnswer("ok"))
		c := s.client(t, WithTools(echo("look")))
		ctx, cancel := context.WithCancelCause(background)
		reason := errors.New("left")
		timer := time.AfterFunc(wait, func() { cancel(reason) })
		result, err := c.RunChatCompletion(ctx, say("Hi"), RunChatOptions{})
		timer.Stop()
		cancel(nil)
		switch {
		case err == nil && result.FinalText == "ok":
		case errors.Is(err, context.Canceled) && errors.Is(err, reason):
		default:
			t.Error(wait, result, err)
		}
	}
}
