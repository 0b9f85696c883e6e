package svc

import (
	"encoding/json"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"svc.example/sdk/go/internal/sse"
)

func runEventStreamCase(t *testing.T, given vectorCase) {
	var one struct {
		Name   string   `json:"name"`
		Text   string   `json:"text"`
		Events []string `json:"events"`
	}
	given.into(t, &one)
	check := func(pieces ...[]byte) {
		t.Helper()
		reader := sse.NewReader(&pieceReader{pieces: pieces})
		events := []string{}
		for {
			data, err := reader.Next()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, string(data))
		}
		equalJSON(t, "events", events, one.Events)
	}
	for _, end := range []string{"\n", "\r\n", "\r"} {
		bytes := []byte(strings.ReplaceAll(one.Text, "\n", end))
		for at := range len(bytes) + 1 {
			check(bytes[:at], bytes[at:])
		}
		check(split(bytes, len(bytes))...)
	}
}

func runRetryWaitCase(t *testing.T, given vectorCase) {
	one := struct {
		Name       string    `json:"name"`
		Tries      int       `json:"tries"`
		RetryAfter *string   `json:"retryAfter"`
		Random     float64   `json:"random"`
		Now        time.Time `json:"now"`
		WaitMs     *float64  `json:"waitMs"`
	}{Now: time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)}
	given.into(t, &one)
	headers := http.Header{}
	if one.RetryAfter != nil {
		headers.Set("Retry-After", *one.RetryAfter)
	}
	wait, ok := retryWait(one.Tries, headers, one.Random, one.Now)
	if ok != (one.WaitMs != nil) {
		t.Fatalf("got the wait %v, %v", wait, ok)
	}
	if ok && math.Abs(float64(wait)/float64(time.Millisecond)-*one.WaitMs) > 0.001 {
		t.Errorf("got %v, want %v ms", wait, *one.WaitMs)
	}
}

func runTransientStatusCase(t *testing.T, given vectorCase) {
	var one struct {
		Name      string `json:"name"`
		Status    int    `json:"status"`
		Transient bool   `json:"transient"`
	}
	given.into(t, &one)
	equalJSON(t, "transient", isTransient(one.Status), one.Transient)
}

func runAddressCase(t *testing.T, given vectorCase) {
	var one struct {
		Name        string            `json:"name"`
		Environment map[string]string `json:"environment"`
		Client      scriptedClient    `json:"client"`
		Expect      struct {
			Models        string  `json:"models"`
			Catalog       *string `json:"catalog"`
			Authorization *string `json:"authorization"`
			XAPIKey       *string `json:"xApiKey"`
		} `json:"expect"`
	}
	given.into(t, &one)
	for _, name := range []string{"SERVICE_API_KEY", "SERVICE_API_BASE_URL", "SERVICE_OPENAI_BASE_URL"} {
		// An empty variable counts as absent.
		t.Setenv(name, one.Environment[name])
	}
	client, err := NewClient(one.Client.options(nil, &scriptedTools{t: t})...)
	if err != nil {
		t.Fatal(err)
	}
	transport := client.core.transport
	equalJSON(t, "model calls", transport.modelBase, one.Expect.Models)
	equalJSON(t, "catalog calls", transport.apiBase, orEmpty(one.Expect.Catalog))
	equalJSON(t, "authorization", transport.headers.Get("Authorization"), orEmpty(one.Expect.Authorization))
	equalJSON(t, "x-api-key", transport.headers.Get("X-Api-Key"), orEmpty(one.Expect.XAPIKey))
}

func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

// createMessage sends a request of Messages to a service that gives this answer.
func createMessage(t *testing.T, request, answer json.RawMessage) (*scriptedService, result, error) {
	t.Helper()
	service := &scriptedService{t: t, answers: []scriptedAnswer{{JSON: answer}}}
	client, err := newVectorClient(service, scriptedClient{}.options(vectorClient, &scriptedTools{t: t})...)
	if err != nil {
		t.Fatal(err)
	}
	create := methodOf(t, "messages.create")
	got, err := create(t.Context(), methodCall{client: client, request: request})
	return service, got, err
}

func runMessagesToChatCase(t *testing.T, given vectorCase) {
	var one struct {
		Name    string          `json:"name"`
		Request json.RawMessage `json:"request"`
		Chat    map[string]any  `json:"chat"`
		Refused string          `json:"refused"`
	}
	given.into(t, &one)
	hello := json.RawMessage(`{"choices":[{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]}`)
	service, _, err := createMessage(t, one.Request, hello)
	if one.Refused != "" {
		var configuration *ConfigurationError
		if !errors.As(err, &configuration) || len(service.sent) > 0 {
			t.Fatalf("%d requests were sent, with the error %v", len(service.sent), err)
		}
		if !strings.Contains(err.Error(), one.Refused) {
			t.Errorf("the error does not say %q: %v", one.Refused, err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	body := service.sent[0].body
	equalJSON(t, "model", body["model"], ModelAuto)
	delete(body, "model")
	delete(body, "stream")
	equalJSON(t, "body", body, one.Chat)
}

func runChatToMessagesCase(t *testing.T, given vectorCase) {
	var one struct {
		Name    string                     `json:"name"`
		Request map[string]json.RawMessage `json:"request"`
		Chat    json.RawMessage            `json:"chat"`
		Message map[string]any             `json:"message"`
	}
	given.into(t, &one)
	request := map[string]json.RawMessage{"messages": json.RawMessage("[]")}
	for name, value := range one.Request {
		request[name] = value
	}
	raw, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	_, got, err := createMessage(t, raw, one.Chat)
	if err != nil {
		t.Fatal(err)
	}
	checkPointers(t, "message", asJSON(t, got.answer), one.Message, showsJSON)
}
