package svc

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"
)

func TestSpec_5_2_KeyHeaders(t *testing.T) {
	for _, option := range []Option{WithAPIKey("svc_live_1"), WithHeader("Authorization", "Bearer svc_live_1"), WithHeader("X-API-Key", "svc_live_1")} {
		s := newService(t, spokenAnswer("a"))
		if _, err := mustClient(t, WithAPIBaseURL(s.URL), option).CreateChatCompletion(background, say("Hi")); err != nil {
			t.Fatal(err)
		}
		headers := s.requests()[0].Headers
		equal(t, strings.TrimPrefix(headers.Get("Authorization"), "Bearer ")+headers.Get("X-API-Key"), "svc_live_1")
	}
}

func TestSpec_5_3_NeverTwoKeys(t *testing.T) {
	for _, options := range [][]Option{
		{WithAPIKey("svc_live_1"), WithHeader("X-API-Key", "svc_live_2")},
		{WithHeader("Authorization", "Bearer a"), WithHeader("X-API-Key", "b")},
	} {
		if _, err := NewClient(options...); err == nil {
			t.Error("two keys were taken")
		}
	}
	// The environment's key stands back.
	t.Setenv("SERVICE_API_KEY", "svc_live_environment")
	s := newService(t, spokenAnswer("a"))
	if _, err := mustClient(t, WithAPIBaseURL(s.URL), WithHeader("X-API-Key", "svc_live_2")).CreateChatCompletion(background, say("Hi")); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Headers.Get("Authorization"), "")
}

func TestSpec_5_5_ErrMissingAPIKey(t *testing.T) {
	t.Setenv("SERVICE_API_KEY", "")
	s := newService(t, reply{body: catalogBody})
	c := mustClient(t, WithAPIBaseURL(s.URL))
	for _, m := range methods() {
		if _, err := m.call(c); !errors.Is(err, ErrMissingAPIKey) {
			t.Error(m.name, err)
		}
	}
	_, meta := c.GetModelMeta(background)
	_, pricing := c.GetPricing(background)
	_, image := c.GenerateImage(background, ImageRequest{Prompt: "A"})
	_, edit := c.EditImage(background, ImageEditRequest{Prompt: "A"})
	_, vote := c.Feedback(background, Vote{RequestID: "req_1"})
	for _, err := range []error{meta, pricing, image, edit, vote} {
		if !errors.Is(err, ErrMissingAPIKey) {
			t.Error(err)
		}
	}
	equal(t, len(s.requests()), 0)
	if _, err := c.ListModels(background); err != nil {
		t.Error("the public list fails without a key:", err)
	}
}

func TestSpec_5_7_NothingSecretIsShown(t *testing.T) {
	const key = "svc_live_super_secret_key"
	s := newService(t, reply{status: 401, body: `{"error":{"message":"The key svc_live_super_secret_key is wrong in: Tell me about my illness","code":"invalid_api_key"}}`})
	var log bytes.Buffer
	logger := slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	c := s.client(t, WithAPIKey(key), WithLogger(logger))
	_, err := c.CreateChatCompletion(background, say("Tell me about my illness"))
	logger.Info("client", "client", c, "error", err)
	shown := log.String()
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d", "%x"} {
		shown += fmt.Sprintf(verb+verb+verb, c, *c, err) + fmt.Sprintf(verb, struct{ C *Client }{c})
	}
	for _, secret := range []string{key, "super_secret", "my illness"} {
		if strings.Contains(shown, secret) {
			t.Errorf("%q is in %s", secret, shown)
		}
	}
	if !strings.Contains(log.String(), "/chat/completions") || !strings.Contains(log.String(), "status=401") {
		t.Error("the log does not tell the call:", log.String())
	}
}

func TestSpec_5_7_KeyIsNotSentAcrossARedirect(t *testing.T) {
	other := newService(t, spokenAnswer("stolen"))
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := newService(t, reply{status: status, headers: map[string]string{"location": other.URL}})
		_, err := s.client(t).CreateChatCompletion(background, say("Hi"))
		var failure *APIError
		if !errors.As(err, &failure) || failure.StatusCode != status {
			t.Error(status, err)
		}
	}
	equal(t, len(other.requests()), 0)
}

func TestSpec_6_EOF(t *testing.T) {
	s := newService(t, stream(delta("a"), finished, done))
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := chunks.Recv(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := chunks.Recv(); err != io.EOF {
			t.Errorf("got %v, want io.EOF", err)
		}
	}
}

func TestSpec_7_1_APIError(t *testing.T) {
	s := newService(t, reply{status: 402, headers: map[string]string{"x-request-id": "req_header", "retry-after": "7"},
		body: `{"error":{"message":"Add credits","type":"insufficient_quota","code":"insufficient_balance","param":null,"request_id":"req_1"}}`})
	_, err := s.client(t).CreateChatCompletion(background, say("Hi"))
	var failure *APIError
	if !errors.As(fmt.Errorf("wrapped: %w", err), &failure) {
		t.Fatal(err)
	}
	equal(t, failure.StatusCode, 402)
	equal(t, failure.RequestID, "req_1")
	equal(t, failure.ResponseHeaders.Get("retry-after"), "7")
	equal(t, string(failure.Body), `{"message":"Add credits","type":"insufficient_quota","code":"insufficient_balance","param":null,"request_id":"req_1"}`)
	equal(t, failure.Code+" "+failure.Error(), "insufficient_balance Add credits")
	object, ok := failure.ErrorObject()
	equal(t, ok && object.Type == "insufficient_quota", true)
}

func TestSpec_7_2_MissingKeyBeforeSending(t *testing.T) {
	t.Setenv("SERVICE_API_KEY", "")
	s := newService(t)
	_, err := mustClient(t, WithAPIBaseURL(s.URL)).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	equal(t, errors.Is(err, ErrMissingAPIKey), true)
	refusedUnsent(t, s, err)
}

func TestSpec_7_3_ErrorInA200(t *testing.T) {
	envelope := `{"error":{"message":"The planned tasks failed","code":"orchestration_failed","request_id":"req_1"},"choices":[]}`
	for _, m := range methods() {
		answers := []reply{{body: envelope}}
		if m.isStream {
			answers = []reply{{body: envelope}, stream(envelope), stream(delta("a"), envelope)}
		}
		if m.path == responsePath && m.isStream {
			answers = answers[:2]
		}
		for _, answer := range answers {
			s := newService(t, answer)
			_, err := m.call(s.client(t))
			var failure *APIError
			if !errors.As(err, &failure) {
				t.Fatal(m.name, err)
			}
			equal(t, fmt.Sprint(failure.StatusCode, failure.Code, failure.RequestID), "200orchestration_failedreq_1")
		}
	}
}

func TestSpec_7_4_UnknownToolIsNoError(t *testing.T) {
	s := newService(t, called("invented", "{}"), spokenAnswer("a"))
	result, err := s.client(t, WithTools(echo("look"))).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.FinalText, "a")
	equal(t, result.Steps[0].Results[0].Code, "tool_handler_not_found")
}

func TestSpec_8_TimeoutDefault(t *testing.T) {
	equal(t, mustClient(t).core.transport.timeout, time.Minute)
}

func TestSpec_8_TimeoutCoversAStream(t *testing.T) {
	s := newService(t, reply{handle: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+delta("a")+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}})
	chunks, err := s.client(t, WithTimeout(50*time.Millisecond)).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = chunks.Final()
	var late *TimeoutError
	if !errors.As(err, &late) {
		t.Errorf("got %v, want a TimeoutError", err)
	}
}

func TestSpec_8_NonPositiveTimeoutDisables(t *testing.T) {
	for _, limit := range []time.Duration{0, -time.Second} {
		c := mustClient(t, WithAPIKey("k"), WithTimeout(limit), WithHTTPClient(&http.Client{Transport: roundTripper(
			func(request *http.Request) (*http.Response, error) {
				if _, hasDeadline := request.Context().Deadline(); hasDeadline {
					t.Error("there is a deadline")
				}
				return nil, errors.New("no network")
			})}))
		_, _ = c.CreateChatCompletion(background, say("Hi"))
	}
}

func TestSpec_8_NoRetriesByDefault(t *testing.T) {
	s := newService(t, reply{status: 503}, spokenAnswer("a"))
	if _, err := s.client(t).CreateChatCompletion(background, say("Hi")); err == nil {
		t.Error("it was sent again")
	}
	equal(t, len(s.requests()), 1)
}

func TestSpec_8_Retries(t *testing.T) {
	cut := reply{handle: func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }}
	for _, one := range []struct {
		first   reply
		retries bool
	}{
		{reply{status: 429}, true}, {reply{status: 500}, true}, {reply{status: 599}, true}, {cut, true},
		{reply{status: 400}, false}, {reply{status: 404}, false},
		{reply{status: 503, headers: map[string]string{"x-should-retry": "false"}}, false},
		{reply{status: 503, headers: map[string]string{"retry-after": "61"}}, false},
	} {
		s := newService(t, one.first, spokenAnswer("a"))
		c := s.client(t, WithMaxRetries(1))
		c.core.transport.wait = func(context.Context, time.Duration) error { return nil }
		_, err := c.CreateChatCompletion(background, say("Hi"))
		equal(t, err == nil, one.retries)
		want := 1
		if one.retries {
			want = 2
		}
		equal(t, len(s.requests()), want)
	}
}

func TestSpec_8_BackoffJitterAndRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, one := range []struct {
		tries   int
		random  float64
		headers map[string]string
		want    time.Duration
		retries bool
	}{
		{1, 0, nil, 500 * time.Millisecond, true},
		{2, 0, nil, time.Second, true},
		{3, 1, nil, 1500 * time.Millisecond, true},
		{90, 0, nil, 8 * time.Second, true},
		{1, 0, map[string]string{"retry-after": "2.5"}, 2500 * time.Millisecond, true},
		{1, 0, map[string]string{"retry-after": "Thu, 01 Jan 2026 00:00:09 GMT"}, 9 * time.Second, true},
		{1, 0, map[string]string{"retry-after": "Wed, 31 Dec 2025 00:00:00 GMT"}, 0, true},
		{1, 0, map[string]string{"retry-after": "-5"}, 500 * time.Millisecond, true},
		{1, 0, map[string]string{"retry-after": "61"}, 61 * time.Second, false},
		{1, 0, map[string]string{"x-should-retry": "false"}, 0, false},
	} {
		headers := http.Header{}
		for name, value := range one.headers {
			headers.Set(name, value)
		}
		wait, retries := retryWait(one.tries, headers, one.random, now)
		equal(t, retries, one.retries)
		equal(t, wait, one.want)
	}
}

func TestSpec_8_MaxSteps(t *testing.T) {
	var answers []reply
	for range 12 {
		answers = append(answers, called("look", "{}"))
	}
	for _, one := range []struct{ maxSteps, want int }{{0, 8}, {3, 3}, {12, 12}} {
		s := newService(t, answers...)
		result, err := s.client(t, WithTools(echo("look"))).RunChatCompletion(background, say("Hi"), RunChatOptions{MaxSteps: one.maxSteps})
		if err != nil {
			t.Fatal(err)
		}
		equal(t, len(result.Steps), one.want)
		equal(t, result.StoppedBy, StoppedByMaxSteps)
		equal(t, result.FinalText, "")
	}
	_, err := mustClient(t, WithAPIKey("k")).RunChatCompletion(background, say("Hi"), RunChatOptions{MaxSteps: -1})
	var configuration *ConfigurationError
	equal(t, errors.As(err, &configuration), true)
}

func TestSpec_9_2_NoAnthropicVersion(t *testing.T) {
	s := newService(t, spokenAnswer("a"))
	if _, err := s.client(t, WithAnthropicVersion("2023-06-01")).CreateMessage(background, MessageRequest{Messages: []MessageParam{UserParam("Hi")}}); err != nil {
		t.Fatal(err)
	}
	for name := range s.requests()[0].Headers {
		if strings.HasPrefix(strings.ToLower(name), "anthropic") {
			t.Error(name)
		}
	}
}
