package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// scriptedAnswer is an answer of the service as the vectors state it; see the README beside them.
type scriptedAnswer struct {
	Status      int               `json:"status"`
	Headers     map[string]string `json:"headers"`
	JSON        json.RawMessage   `json:"json"`
	Text        string            `json:"text"`
	Events      []json.RawMessage `json:"events"`
	End         ending            `json:"end"`
	Breaks      bool              `json:"breaks"`
	Hangs       bool              `json:"hangs"`
	Unreachable bool              `json:"unreachable"`
}

// ending is the data of the event that ends a stream: [DONE] where it is not given, none for null.
type ending struct {
	text  string
	given bool
}

// UnmarshalJSON reads a text, or null for no event.
func (e *ending) UnmarshalJSON(data []byte) error {
	e.given = true
	return json.Unmarshal(data, &e.text)
}

func (e ending) data() string {
	if !e.given {
		return "[DONE]"
	}
	return e.text
}

// framed returns the body of a stream of events; an empty end is none.
func framed(events []json.RawMessage, end string) []byte {
	var body bytes.Buffer
	write := func(data []byte) {
		body.WriteString("data: ")
		body.Write(data)
		body.WriteString("\n\n")
	}
	for _, event := range events {
		var line bytes.Buffer
		if json.Compact(&line, event) == nil {
			write(line.Bytes())
		}
	}
	if end != "" {
		write([]byte(end))
	}
	return body.Bytes()
}

// pieceReader is a body that arrives in pieces, and then fails, hangs or ends.
type pieceReader struct {
	pieces [][]byte
	fault  error
	// hangs ends a read that waits for bytes which do not come; nil: the body ends.
	hangs <-chan struct{}
}

// Read returns at most one piece.
func (r *pieceReader) Read(into []byte) (int, error) {
	for len(r.pieces) > 0 && len(r.pieces[0]) == 0 {
		r.pieces = r.pieces[1:]
	}
	if len(r.pieces) == 0 {
		if r.hangs != nil {
			<-r.hangs
			return 0, context.Canceled
		}
		if r.fault != nil {
			return 0, r.fault
		}
		return 0, io.EOF
	}
	count := copy(into, r.pieces[0])
	r.pieces[0] = r.pieces[0][count:]
	return count, nil
}

// Close ends the body.
func (r *pieceReader) Close() error {
	r.pieces, r.fault = nil, nil
	return nil
}

// sentRequest is a request as it arrived.
type sentRequest struct {
	method, url string
	header      http.Header
	body        map[string]any
	// form has the fields of a form, a file as its name and text.
	form map[string]any
}

// scriptedService answers requests one after the other, as an http.RoundTripper.
type scriptedService struct {
	t       *testing.T
	answers []scriptedAnswer
	mutex   sync.Mutex
	sent    []sentRequest
}

// RoundTrip answers one request.
func (s *scriptedService) RoundTrip(request *http.Request) (*http.Response, error) {
	one := sentRequest{method: request.Method, url: request.URL.String(), header: request.Header.Clone()}
	if request.Body != nil {
		one.form = formOf(s.t, request)
		data, err := io.ReadAll(request.Body)
		_ = request.Body.Close()
		if err != nil {
			return nil, err
		}
		if len(data) > 0 && one.form == nil {
			if err := json.Unmarshal(data, &one.body); err != nil {
				s.t.Errorf("the body of a request is no JSON object: %v", err)
			}
		}
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.sent = append(s.sent, one)
	if len(s.sent) > len(s.answers) {
		s.t.Errorf("the case has no answer to request %d", len(s.sent))
		return nil, errors.New("no answer")
	}
	answer := s.answers[len(s.sent)-1]
	if answer.Hangs && answer.Text == "" && answer.Events == nil {
		<-request.Context().Done()
		return nil, request.Context().Err()
	}
	return answer.response(request, one.body)
}

func (a scriptedAnswer) response(request *http.Request, body map[string]any) (*http.Response, error) {
	if a.Unreachable {
		return nil, errors.New("connection refused")
	}
	isStreamed := a.Events != nil && (a.JSON == nil && a.Text == "" || body["stream"] == true)
	content, data := "application/json", []byte(a.Text)
	switch {
	case isStreamed:
		content, data = "text/event-stream", framed(a.Events, a.End.data())
	case a.Text == "":
		data = a.JSON
	}
	header := http.Header{"Content-Type": {content}}
	for name, value := range a.Headers {
		header.Set(name, value)
	}
	status := a.Status
	if status == 0 {
		status = http.StatusOK
	}
	reader := &pieceReader{pieces: [][]byte{data}}
	if a.Breaks {
		reader.fault = errors.New("connection reset")
	}
	if a.Hangs {
		reader.hangs = request.Context().Done()
	}
	return &http.Response{
		Status: http.StatusText(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header, Body: reader, ContentLength: -1, Request: request,
	}, nil
}

// answersOf returns the answers of a case, those in place of which the case has a name included.
func answersOf(t *testing.T, given []json.RawMessage, named map[string]scriptedAnswer) []scriptedAnswer {
	t.Helper()
	answers := []scriptedAnswer{}
	for _, raw := range given {
		var answer scriptedAnswer
		if strings.HasPrefix(string(raw), `"`) {
			var name string
			strictly(t, raw, &name)
			known, ok := named[name]
			if !ok {
				t.Fatalf("the file has no answer %q", name)
			}
			answer = known
		} else {
			strictly(t, raw, &answer)
		}
		answers = append(answers, answer)
	}
	return answers
}
