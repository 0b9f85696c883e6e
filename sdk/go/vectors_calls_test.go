package svc

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// callCase is a case of the kind calls.
type callCase struct {
	Name    string            `json:"name"`
	Methods []string          `json:"methods"`
	Client  scriptedClient    `json:"client"`
	Request json.RawMessage   `json:"request"`
	Options scriptedOptions   `json:"options"`
	Answers []json.RawMessage `json:"answers"`
	Expect  expectation       `json:"expect"`
}

// scriptedClient are options of a client; null stands for one that is not given.
type scriptedClient struct {
	APIKey              optional             `json:"apiKey"`
	APIBaseURL          optional             `json:"apiBaseUrl"`
	OpenAIBaseURL       string               `json:"openAIBaseUrl"`
	Headers             map[string]string    `json:"headers"`
	MaxRetries          int                  `json:"maxRetries"`
	TimeoutMs           float64              `json:"timeoutMs"`
	Auto                *scriptedAuto        `json:"auto"`
	Tags                *Tags                `json:"tags"`
	Tools               []scriptedTool       `json:"tools"`
	ToolHandlers        map[string]behaviour `json:"toolHandlers"`
	DefaultLocalTools   bool                 `json:"defaultLocalTools"`
	DefaultBuiltinTools bool                 `json:"defaultBuiltinTools"`
	WithoutDefaultTools []string             `json:"withoutDefaultTools"`
}

// options returns the options of a client; a text that the case does not give is the runner's own.
func (c scriptedClient) options(own map[string]string, tools *scriptedTools) []Option {
	options := []Option{
		WithTimeout(time.Duration(c.TimeoutMs * float64(time.Millisecond))), WithMaxRetries(c.MaxRetries), WithTools(tools.tools(c.Tools)...),
		WithDefaultLocalTools(c.DefaultLocalTools), WithDefaultBuiltinTools(c.DefaultBuiltinTools),
		WithoutDefaultTools(c.WithoutDefaultTools...),
	}
	texts := []struct {
		given  optional
		name   string
		option func(string) Option
	}{{c.APIKey, "apiKey", WithAPIKey}, {c.APIBaseURL, "apiBaseUrl", WithAPIBaseURL}}
	for _, one := range texts {
		text, ok := one.given.value.(string)
		if !one.given.given {
			text, ok = own[one.name]
		}
		if ok {
			options = append(options, one.option(text))
		}
	}
	if c.OpenAIBaseURL != "" {
		options = append(options, WithOpenAIBaseURL(c.OpenAIBaseURL))
	}
	for name, value := range c.Headers {
		options = append(options, WithHeader(name, value))
	}
	if c.Auto != nil {
		options = append(options, WithAuto(c.Auto.options()))
	}
	if c.Tags != nil {
		options = append(options, WithTags(*c.Tags))
	}
	for name, handler := range tools.handlers(c.ToolHandlers) {
		options = append(options, WithToolHandler(name, handler))
	}
	return options
}

// vectorClient are the options of a client that a case does not state.
var vectorClient = map[string]string{"apiKey": "svc_live_key", "apiBaseUrl": "http://svc.test"}

// newVectorClient returns a client of a scripted service; it waits for nothing between attempts.
func newVectorClient(service http.RoundTripper, options ...Option) (*Client, error) {
	client, err := NewClient(append(options, WithHTTPClient(&http.Client{Transport: service}))...)
	if err == nil {
		client.core.transport.wait = func(context.Context, time.Duration) error { return nil }
	}
	return client, err
}

func runCallCase(t *testing.T, given vectorCase) {
	var one callCase
	given.into(t, &one)
	for _, method := range one.Methods {
		t.Run(method, func(t *testing.T) { runCall(t, given, one, method, false) })
		if strings.Contains(string(given.raw), `"throws"`) {
			t.Run(method+" with a panic", func(t *testing.T) { runCall(t, given, one, method, true) })
		}
	}
}

func runCall(t *testing.T, given vectorCase, one callCase, method string, panics bool) {
	run := methodOf(t, method)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	tools := &scriptedTools{t: t, panics: panics, ends: map[string]chan struct{}{}}
	service := &scriptedService{t: t, answers: answersOf(t, one.Answers, given.answers)}
	got := outcome{service: service, tools: tools, events: []any{}}
	client, err := newVectorClient(service, one.Client.options(vectorClient, tools)...)
	if err == nil {
		got.result, err = run(ctx, methodCall{
			client: client, request: one.Request, options: one.Options, tools: tools,
			onText:  func(text string) { got.text += text },
			onEvent: func(event any) { got.events = append(got.events, event) },
		})
	}
	got.err = err
	one.Expect.check(t, got, method)
}
