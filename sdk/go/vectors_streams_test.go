package svc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"testing"
)

// streamCase is a case of the kind streams.
type streamCase struct {
	Name         string            `json:"name"`
	Method       string            `json:"method"`
	Request      json.RawMessage   `json:"request"`
	Events       []json.RawMessage `json:"events"`
	End          ending            `json:"end"`
	CompleteFrom struct {
		WithEnd    *int `json:"withEnd"`
		WithoutEnd *int `json:"withoutEnd"`
	} `json:"completeFrom"`
	Expect struct {
		Events     *[]any         `json:"events"`
		Answer     map[string]any `json:"answer"`
		OutputText *string        `json:"outputText"`
	} `json:"expect"`
}

type roundTripFunc func(*http.Request) (*http.Response, error)

// RoundTrip calls the function.
func (f roundTripFunc) RoundTrip(request *http.Request) (*http.Response, error) { return f(request) }

// read returns the result and the events of a stream whose bytes arrive in these pieces.
func (c streamCase) read(t *testing.T, pieces ...[]byte) (result, []any, error) {
	t.Helper()
	client, err := newVectorClient(roundTripFunc(func(request *http.Request) (*http.Response, error) {
		_ = request.Body.Close()
		header := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, Request: request,
			Body: &pieceReader{pieces: pieces}, ContentLength: -1}, nil
	}), WithAPIKey("svc_live_key"), WithAPIBaseURL("http://svc.test"), WithTimeout(0), WithDefaultLocalTools(false))
	if err != nil {
		t.Fatal(err)
	}
	events := []any{}
	got, err := methodOf(t, c.Method)(t.Context(), methodCall{
		client: client, request: c.Request,
		onEvent: func(event any) { events = append(events, event) },
	})
	return got, events, err
}

func (c streamCase) checkWhole(t *testing.T, about string, pieces ...[]byte) {
	t.Helper()
	got, events, err := c.read(t, pieces...)
	if err != nil {
		t.Fatalf("%s: %v", about, err)
	}
	if c.Expect.Events != nil {
		showsJSON(t, about+": events", events, *c.Expect.Events)
	} else {
		showsJSON(t, about+": events", events, c.Events)
	}
	same(t, about+": output text", got.outputText, c.Expect.OutputText)
	checkPointers(t, about+": answer", asJSON(t, got.answer), c.Expect.Answer, showsJSON)
	if t.Failed() {
		t.FailNow()
	}
}

// runStreamCase reads a stream in one piece, byte by byte, in two pieces cut at every byte, and cut
// short after every event.
func runStreamCase(t *testing.T, given vectorCase) {
	var one streamCase
	given.into(t, &one)
	bytes := framed(one.Events, one.End.data())
	one.checkWhole(t, "in one piece", bytes)
	one.checkWhole(t, "byte by byte", split(bytes, len(bytes))...)
	for at := 1; at < len(bytes); at++ {
		one.checkWhole(t, fmt.Sprintf("cut at %d", at), bytes[:at], bytes[at:])
	}
	for count := range len(one.Events) + 1 {
		one.checkCutShort(t, count, "[DONE]", one.CompleteFrom.WithEnd)
		one.checkCutShort(t, count, "", one.CompleteFrom.WithoutEnd)
	}
}

func split(bytes []byte, count int) [][]byte {
	pieces := [][]byte{}
	for at := range count {
		pieces = append(pieces, bytes[at:at+1])
	}
	return pieces
}

func (c streamCase) checkCutShort(t *testing.T, count int, end string, from *int) {
	t.Helper()
	got, _, err := c.read(t, framed(c.Events[:count], end))
	about := fmt.Sprintf("%d events, then %q", count, end)
	if from != nil && count >= *from {
		if err != nil {
			t.Errorf("%s: %v", about, err)
		}
		return
	}
	var connection *ConnectionError
	if !errors.As(err, &connection) || errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%s: got %v with the error %v, want a connection error", about, jsonText(got.answer), err)
	}
}
