package svc

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/sse"
)

const (
	// LongestAnswerBytes is the longest answer, whole or as a stream over its whole life. A longer
	// one is a [ConnectionError].
	LongestAnswerBytes = sse.LongestBody
	// LongestEventBytes is the longest event of a stream. A longer one is a [ConnectionError].
	LongestEventBytes = sse.LongestEvent
	// LongestErrorBytes is the longest body of an error that is read. A longer one gives status,
	// headers and request id; its Body is nil.
	LongestErrorBytes = 1 << 20
	longestMessage    = 500
	longestName       = 128
)

// answer is an answer of the service, with the request that it belongs to.
type answer struct {
	response *http.Response
	headers  http.Header
	body     []byte
}

func (a *answer) isOK() bool { return a.response.StatusCode >= 200 && a.response.StatusCode < 300 }

// json sends a call and returns the fields of the JSON object that answers it.
func (t *transport) json(ctx context.Context, c call) (*answer, []byte, error) {
	got, life, err := t.open(ctx, c)
	if err != nil {
		return nil, nil, err
	}
	defer life.end()
	defer func() { _ = got.response.Body.Close() }()
	data, err := got.whole()
	if err == nil {
		err = got.check(data)
	}
	if err != nil {
		return nil, nil, life.explain(err)
	}
	return got, data, nil
}

// whole reads the body.
func (a *answer) whole() ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(a.response.Body, LongestAnswerBytes+1))
	if err != nil {
		return nil, err
	}
	if len(data) > LongestAnswerBytes {
		return nil, &ConnectionError{Message: fmt.Sprintf("the answer is longer than %d bytes", LongestAnswerBytes)}
	}
	return data, nil
}

// check returns an [APIError] for JSON that is no object, or an object with an error.
func (a *answer) check(data []byte) error {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(trimmed) {
		return a.failure(data, "the service answered with something else than a JSON object")
	}
	if !bytes.Contains(data, []byte(`error`)) && !bytes.Contains(data, []byte(`\u00`)) {
		return nil
	}
	object, err := fields.Object(data)
	if err != nil {
		return err
	}
	if failure, ok := object["error"]; ok && string(failure) != "null" {
		return a.failure(data, "")
	}
	return nil
}

// refusal reads the error of an answer whose status is an error.
func (a *answer) refusal() error {
	defer func() { _ = a.response.Body.Close() }()
	data, err := io.ReadAll(io.LimitReader(a.response.Body, LongestErrorBytes+1))
	if err != nil {
		return err
	}
	if len(data) > LongestErrorBytes {
		data = nil
	}
	return a.failure(data, "")
}

// failure returns the error in a body: its member error, or the whole body. Without a message, it is
// the service's own.
func (a *answer) failure(data []byte, message string) *APIError {
	failure := &APIError{StatusCode: a.response.StatusCode, ResponseHeaders: a.response.Header}
	object, _ := fields.Object(data)
	body := bytes.Clone(data)
	if inner, ok := object["error"]; ok && string(inner) != "null" {
		body = inner
	}
	if data != nil {
		failure.Body = body
	}
	members, _ := fields.Object(body)
	failure.Code = name(textOf(members["code"]))
	failure.RequestID = name(requestID(object, a.response.Header))
	if message == "" {
		message = a.message(textOf(members["message"]))
	}
	failure.Message = printable(message)
	return failure
}

// message returns the service's message. A page or another shape is never quoted: it may echo
// anything.
func (a *answer) message(written string) string {
	if written == "" {
		return fmt.Sprintf("the service answered with HTTP %d", a.response.StatusCode)
	}
	return firstUnits(redacted(written, a.headers, a.body), longestMessage)
}

// requestID returns the id of an answer: that of its error, else of its metadata, else of its
// header.
func requestID(object map[string]json.RawMessage, headers http.Header) string {
	for _, name := range []string{"error", "metadata"} {
		members, err := fields.Object(object[name])
		if err != nil {
			continue
		}
		if id, ok := members["request_id"]; ok && string(id) != "null" {
			if text := textOf(id); text != "" {
				return text
			}
			break
		}
	}
	return headers.Get("x-request-id")
}

func (a *answer) requestID(data []byte) string {
	object, _ := fields.Object(data)
	return requestID(object, a.response.Header)
}

func textOf(raw json.RawMessage) string {
	var text string
	if json.Unmarshal(raw, &text) != nil {
		return ""
	}
	return text
}

func name(text string) string { return printable(firstUnits(text, longestName)) }

func isJSONType(headers http.Header) bool {
	return strings.HasPrefix(strings.ToLower(headers.Get("content-type")), "application/json")
}
