package svc

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// sent is a request that a scripted service received.
type sent struct {
	Method, Path string
	Headers      http.Header
	Body         map[string]any
	Raw          string
}

// reply is an answer of a scripted service.
type reply struct {
	status  int
	headers map[string]string
	body    string
	// handle answers in place of the other members.
	handle http.HandlerFunc
}

// service answers requests in turn, and keeps them.
type service struct {
	*httptest.Server
	mutex   sync.Mutex
	replies []reply
	seen    []sent
}

func newService(t *testing.T, replies ...reply) *service {
	t.Helper()
	s := &service{replies: replies}
	s.Server = httptest.NewServer(http.HandlerFunc(s.answer))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

func (s *service) answer(w http.ResponseWriter, r *http.Request) {
	raw, _ := io.ReadAll(r.Body)
	request := sent{Method: r.Method, Path: r.URL.RequestURI(), Headers: r.Header, Raw: string(raw)}
	_ = json.Unmarshal(raw, &request.Body)
	s.mutex.Lock()
	at := len(s.seen)
	s.seen = append(s.seen, request)
	next := reply{status: 500, body: `{"error":{"message":"The script has ended"}}`}
	if at < len(s.replies) {
		next = s.replies[at]
	}
	s.mutex.Unlock()
	if next.handle != nil {
		next.handle(w, r)
		return
	}
	for name, value := range next.headers {
		w.Header().Set(name, value)
	}
	if w.Header().Get("content-type") == "" {
		w.Header().Set("content-type", "application/json")
	}
	if next.status != 0 {
		w.WriteHeader(next.status)
	}
	_, _ = io.WriteString(w, next.body)
}

// requests returns what was sent so far.
func (s *service) requests() []sent {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return append([]sent{}, s.seen...)
}

// client returns a client of the service without default tools.
func (s *service) client(t *testing.T, options ...Option) *Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return mustClient(t, append([]Option{
		WithAPIKey("svc_live_key_of_the_tests"), WithAPIBaseURL(s.URL), WithDefaultLocalTools(false),
		WithHTTPClient(&http.Client{Transport: transport}),
	}, options...)...)
}

func mustClient(t *testing.T, options ...Option) *Client {
	t.Helper()
	client, err := NewClient(options...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// stream returns events as a body.
func stream(events ...string) reply {
	body := ""
	for _, event := range events {
		body += "data: " + event + "\n\n"
	}
	return reply{headers: map[string]string{"content-type": "text/event-stream"}, body: body}
}

// spokenAnswer is a chat completion of a text.
func spokenAnswer(text string) reply {
	return reply{body: fmt.Sprintf(`{"id":"c1","object":"chat.completion","created":1,"model":"m",`+
		`"choices":[{"index":0,"message":{"role":"assistant","content":%q},"finish_reason":"stop"}],`+
		`"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},`+
		`"metadata":{"request_id":"req_1","billing":{"currency":"credits","charged":"0.100000","input_tokens":3,`+
		`"output_tokens":2,"total_tokens":5}}}`, text)}
}

// called is a chat completion that calls tools, each given as name and arguments.
func called(calls ...string) reply {
	var list []string
	for at := 0; at < len(calls); at += 2 {
		list = append(list, fmt.Sprintf(`{"id":"call_%d","type":"function","function":{"name":%q,"arguments":%q}}`,
			at/2+1, calls[at], calls[at+1]))
	}
	return reply{body: `{"id":"c0","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
		strings.Join(list, ",") + `]},"finish_reason":"tool_calls"}],` +
		`"usage":{"prompt_tokens":1,"completion_tokens":1,"total_tokens":2},` +
		`"metadata":{"request_id":"req_0","billing":{"currency":"credits","charged":"0.200000"}}}`}
}

// delta is a chunk with a piece of text.
func delta(text string) string {
	return fmt.Sprintf(`{"id":"c1","choices":[{"index":0,"delta":{"content":%q},"finish_reason":null}]}`, text)
}

const (
	finished = `{"id":"c1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`
	billed   = `{"id":"c1","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5},"metadata":{"request_id":"req_1"}}`
	done     = `[DONE]`
)

func say(text string) ChatRequest { return ChatRequest{Messages: []ChatMessage{UserMessage(text)}} }

func echo(name string) Tool {
	return Tool{Name: name, Handler: func(_ context.Context, arguments json.RawMessage) (any, error) {
		return arguments, nil
	}}
}

func equal[T comparable](t *testing.T, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("got %v, want %v", got, want)
	}
}
