package svc

import (
	"context"
	"fmt"
	"io"
)

// FileContent is the content of a file, an io.ReadCloser. It is read as it comes; the timeout and
// the context of the call hold until its end. Read it to its end, or Close it. Errors of Read are
// those of a call.
type FileContent struct {
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string
	body      io.ReadCloser
	life      *lifetime
	left      int64
}

// Read reads the next bytes.
func (f *FileContent) Read(into []byte) (int, error) {
	if f == nil || f.body == nil {
		return 0, io.EOF
	}
	count, err := f.body.Read(into)
	if f.left -= int64(count); f.left < 0 {
		err = &ConnectionError{Message: fmt.Sprintf("the answer is longer than %d bytes", LongestAnswerBytes)}
	}
	if err == nil {
		return count, nil
	}
	if err != io.EOF {
		err = f.life.explain(err)
	}
	_ = f.Close()
	return count, err
}

// Close ends the call. Repeated calls do nothing.
func (f *FileContent) Close() error {
	if f == nil || f.body == nil {
		return nil
	}
	_ = f.body.Close()
	f.life.end()
	return nil
}

// content sends a call whose answer is no JSON.
func (t *transport) content(ctx context.Context, c call) (*FileContent, error) {
	got, life, err := t.open(ctx, c)
	if err != nil {
		return nil, err
	}
	if !isJSONType(got.response.Header) {
		id := got.response.Header.Get("x-request-id")
		return &FileContent{RequestID: id, body: got.response.Body, life: life, left: LongestAnswerBytes}, nil
	}
	defer life.end()
	defer func() { _ = got.response.Body.Close() }()
	data, err := got.whole()
	if err == nil {
		// Usually an error.
		err = got.check(data)
	}
	if err == nil {
		err = got.failure(data, "the service answered with JSON in place of a file")
	}
	return nil, life.explain(err)
}
