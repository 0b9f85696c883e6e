package svc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
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

// streamReader reads a recorded stream again and again, in other pieces each time.
type streamReader struct {
	streamCase
	t      *testing.T
	client *Client
	pieces [][]byte
	// events are those of the stream in one piece.
	events []any
}

func newStreamReader(t *testing.T, one streamCase) *streamReader {
	t.Helper()
	reader := &streamReader{streamCase: one, t: t}
	client, err := newVectorClient(roundTripFunc(func(request *http.Request) (*http.Response, error) {
		_ = request.Body.Close()
		header := http.Header{"Content-Type": {"text/event-stream"}}
		return &http.Response{StatusCode: http.StatusOK, Header: header, Request: request,
			Body: &pieceReader{pieces: reader.pieces}, ContentLength: -1}, nil
	}), scriptedClient{}.options(vectorClient, &scriptedTools{t: t})...)
	if err != nil {
		t.Fatal(err)
	}
	reader.client = client
	return reader
}

// read returns the result and the events of the stream when its bytes arrive in these pieces.
func (r *streamReader) read(pieces ...[]byte) (result, []any, error) {
	r.t.Helper()
	r.pieces = pieces
	events := []any{}
	got, err := methodOf(r.t, r.Method)(r.t.Context(), methodCall{
		client: r.client, request: r.Request,
		onEvent: func(event any) { events = append(events, event) },
	})
	return got, events, err
}

// checkWhole reads the stream, and ends the test where it is not as the case says.
func (r *streamReader) checkWhole(about string, pieces ...[]byte) {
	r.t.Helper()
	got, events, err := r.read(pieces...)
	if err != nil {
		r.t.Fatalf("%s: %v", about, err)
	}
	if r.events == nil {
		want := asJSON(r.t, r.Events)
		if r.Expect.Events != nil {
			want = *r.Expect.Events
		}
		showsJSON(r.t, about+": events", events, want)
		r.events = events
	} else if !reflect.DeepEqual(events, r.events) {
		r.t.Errorf("%s: the events differ:\n %s\n %s", about, jsonText(events), jsonText(r.events))
	}
	same(r.t, about+": output text", got.outputText, r.Expect.OutputText)
	if r.Expect.Answer != nil {
		checkPointers(r.t, about+": answer", asJSON(r.t, got.answer), r.Expect.Answer, showsJSON)
	}
	if r.t.Failed() {
		r.t.FailNow()
	}
}

// runStreamCase reads a stream in one piece, byte by byte, in two pieces cut at every byte, and cut
// short after every event.
func runStreamCase(t *testing.T, given vectorCase) {
	var one streamCase
	given.into(t, &one)
	reader := newStreamReader(t, one)
	bytes := framed(one.Events, one.End.data())
	reader.checkWhole("in one piece", bytes)
	reader.checkWhole("byte by byte", split(bytes, len(bytes))...)
	for at := 1; at < len(bytes); at++ {
		reader.checkWhole(fmt.Sprintf("cut at %d", at), bytes[:at], bytes[at:])
	}
	for count := range len(one.Events) + 1 {
		reader.checkCutShort(count, "[DONE]", one.CompleteFrom.WithEnd)
		reader.checkCutShort(count, "", one.CompleteFrom.WithoutEnd)
	}
}

func split(bytes []byte, count int) [][]byte {
	pieces := [][]byte{}
	for at := range count {
		pieces = append(pieces, bytes[at:at+1])
	}
	return pieces
}

// checkCutShort ends the stream after some events.
func (r *streamReader) checkCutShort(count int, end string, from *int) {
	r.t.Helper()
	got, _, err := r.read(framed(r.Events[:count], end))
	about := fmt.Sprintf("%d events, then %q", count, end)
	if from != nil && count >= *from {
		if err != nil {
			r.t.Errorf("%s: %v", about, err)
		}
		return
	}
	var connection *ConnectionError
	if !errors.As(err, &connection) || errors.Is(err, context.DeadlineExceeded) {
		r.t.Errorf("%s: got %v with the error %v, want a connection error", about, jsonText(got.answer), err)
	}
}
