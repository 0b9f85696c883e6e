package svc

import (
	"context"
	"encoding/json"
	"io"
	"reflect"
	"strings"
	"testing"
	"time"
)

// methodCall is a call as a case states it.
type methodCall struct {
	client  *Client
	request json.RawMessage
	options scriptedOptions
	tools   *scriptedTools
	onText  func(string)
	onEvent func(any)
}

// scriptedOptions are options of a call or of a run.
type scriptedOptions struct {
	RequestID           *string              `json:"requestId"`
	Locale              string               `json:"locale"`
	Auto                *scriptedAuto        `json:"auto"`
	Tags                *Tags                `json:"tags"`
	MaxSteps            int                  `json:"maxSteps"`
	MaxToolCallsPerStep int                  `json:"maxToolCallsPerStep"`
	MaxResultChars      int                  `json:"maxResultChars"`
	ToolTimeoutMs       float64              `json:"toolTimeoutMs"`
	Tools               []scriptedTool       `json:"tools"`
	ToolHandlers        map[string]behaviour `json:"toolHandlers"`
	ManualTools         manualTools          `json:"manualTools"`
}

// manualTools are names, or true for all.
type manualTools struct {
	names []string
	all   bool
}

// UnmarshalJSON reads a list of names, or true.
func (m *manualTools) UnmarshalJSON(data []byte) error {
	if string(data) == "true" {
		m.all = true
		return nil
	}
	return json.Unmarshal(data, &m.names)
}

func (o scriptedOptions) callOptions() []CallOption {
	var options []CallOption
	if o.RequestID != nil {
		options = append(options, CallRequestID(*o.RequestID))
	}
	if o.Locale != "" {
		options = append(options, CallLocale(o.Locale))
	}
	if o.Auto != nil {
		options = append(options, CallAuto(o.Auto.options()))
	}
	if o.Tags != nil {
		options = append(options, CallTags(*o.Tags))
	}
	return options
}

// scriptedAuto is the choice of models of a case.
type scriptedAuto struct {
	Quality any  `json:"quality"`
	Verify  bool `json:"verify"`
}

func (a scriptedAuto) options() AutoOptions {
	auto := AutoOptions{Verify: a.Verify}
	switch quality := a.Quality.(type) {
	case string:
		auto.Quality = quality
	case float64:
		auto.Quality = Quality(quality)
	}
	return auto
}

// result is what a method returned, whatever its surface.
type result struct {
	// answer is the answer of one request, or the last one of a run; nil without one.
	answer     any
	outputText string
	requestID  string
	run        *runView
}

// runView is the result of a run, whatever its surface.
type runView struct {
	finalText, stoppedBy, finishReason, charged string
	totalTokens                                 int64
	finishReasons, reasoning, pending           []string
	results                                     [][]toolView
	// history is the conversation so far.
	history any
}

// toolView is the result of a tool: its text, or the code of its error.
type toolView struct {
	Tool  string  `json:"tool"`
	Text  *string `json:"text,omitempty"`
	Error string  `json:"error,omitempty"`
}

type clientMethod func(context.Context, methodCall) (result, error)

func methodOf(t *testing.T, name string) clientMethod {
	t.Helper()
	method := clientMethods[name]
	if method == nil {
		t.Fatalf("there is no method %s", name)
	}
	return method
}

// requestOf reads a request. One that its type cannot hold cannot be sent either.
func requestOf[Request any](raw json.RawMessage) (Request, error) {
	var request Request
	if raw == nil {
		return request, nil
	}
	if err := json.Unmarshal(raw, &request); err != nil {
		return request, &ConfigurationError{Message: err.Error()}
	}
	return request, nil
}

// answerView returns a view of an answer; a nil pointer gives none.
func answerView[Answer any](answer *Answer) result {
	if answer == nil {
		return result{}
	}
	view := result{answer: answer}
	if field := reflect.ValueOf(answer).Elem().FieldByName("RequestID"); field.IsValid() {
		view.requestID = field.String()
	}
	if response, ok := any(answer).(*Response); ok {
		view.outputText = response.OutputText()
	}
	return view
}

func oneRequest[Request, Answer any](
	send func(*Client, context.Context, Request, ...CallOption) (*Answer, error),
) clientMethod {
	return func(ctx context.Context, call methodCall) (result, error) {
		request, err := requestOf[Request](call.request)
		if err != nil {
			return result{}, err
		}
		answer, err := send(call.client, ctx, request, call.options.callOptions()...)
		return answerView(answer), err
	}
}

func withoutRequest[Answer any](
	send func(*Client, context.Context, ...CallOption) (*Answer, error),
) clientMethod {
	return func(ctx context.Context, call methodCall) (result, error) {
		answer, err := send(call.client, ctx, call.options.callOptions()...)
		return answerView(answer), err
	}
}

func rawStream[Request, Event, Answer any](
	open func(*Client, context.Context, Request, ...CallOption) (*Stream[Event, Answer], error),
) clientMethod {
	return func(ctx context.Context, call methodCall) (result, error) {
		request, err := requestOf[Request](call.request)
		if err != nil {
			return result{}, err
		}
		stream, err := open(call.client, ctx, request, call.options.callOptions()...)
		if err != nil {
			return result{}, err
		}
		defer func() { _ = stream.Close() }()
		for {
			event, err := stream.Recv()
			if err == io.EOF {
				break
			}
			if err != nil {
				answer, _ := stream.Final()
				return answerView(answer), err
			}
			call.onEvent(event)
		}
		answer, err := stream.Final()
		return answerView(answer), err
	}
}

func toolRun[Request, Turn, Call, Event, Result any](
	run func(*Client, context.Context, Request, RunOptions[Request, Turn, Call, Event]) (*Result, error),
	resultOf func(*Result) (RunResult[Turn, Call], any),
) clientMethod {
	return func(ctx context.Context, call methodCall) (result, error) {
		request, err := requestOf[Request](call.request)
		if err != nil {
			return result{}, err
		}
		given := call.options
		options := RunOptions[Request, Turn, Call, Event]{
			MaxSteps: given.MaxSteps, MaxToolCallsPerStep: given.MaxToolCallsPerStep,
			MaxResultChars: given.MaxResultChars,
			ToolTimeout:    time.Duration(given.ToolTimeoutMs * float64(time.Millisecond)),
			Tools:          call.tools.tools(given.Tools), ToolHandlers: call.tools.handlers(given.ToolHandlers),
			ManualTools: given.ManualTools.names, AllManual: given.ManualTools.all,
			OnTextDelta: call.onText, Call: given.callOptions(),
		}
		outcome, err := run(call.client, ctx, request, options)
		if outcome == nil {
			return result{}, err
		}
		inner, history := resultOf(outcome)
		view := runViewOf(inner)
		view.run.history = history
		return view, err
	}
}

func runViewOf[Turn, Call any](outcome RunResult[Turn, Call]) result {
	view := answerView(outcome.Response)
	view.requestID = outcome.RequestID
	view.run = &runView{
		finalText: outcome.FinalText, stoppedBy: string(outcome.StoppedBy),
		finishReason: string(outcome.FinishReason), totalTokens: outcome.Usage.TotalTokens,
		finishReasons: []string{}, reasoning: []string{}, pending: []string{}, results: [][]toolView{},
	}
	if outcome.Billing != nil {
		view.run.charged = outcome.Billing.Charged
	}
	for _, call := range outcome.PendingCalls {
		view.run.pending = append(view.run.pending, call.Name)
	}
	for _, step := range outcome.Steps {
		view.run.finishReasons = append(view.run.finishReasons, string(step.FinishReason))
		view.run.reasoning = append(view.run.reasoning, step.Reasoning)
		results := []toolView{}
		for _, one := range step.Results {
			shown := toolView{Tool: one.Call.Name, Error: one.Code}
			if !one.IsError {
				shown.Text = &one.Text
			}
			results = append(results, shown)
		}
		view.run.results = append(view.run.results, results)
	}
	return view
}

// isStreaming reports a method whose request asks for a stream.
func isStreaming(method string) bool {
	return strings.HasSuffix(method, ".stream") || strings.HasSuffix(method, ".runStream")
}

func isRun(method string) bool { return strings.Contains(method, ".run") }
