package svc

import (
	"context"
	"errors"
	"io"
	"time"

	"svc.example/sdk/go/internal/sse"
)

// drainTime is the longest wait for the end of a body after the end of its stream. A connection
// whose body was read to its end is used again.
const drainTime = 50 * time.Millisecond

// events is an answer as events.
type events struct {
	*answer
	life   *lifetime
	reader *sse.Reader
	// isOver is set after the last event of an answer, whose stream may then end without [DONE].
	isOver bool
}

// events sends a call, and returns its answer as events; close must be called.
func (t *transport) events(ctx context.Context, c call) (*events, error) {
	got, life, err := t.open(ctx, c)
	if err != nil {
		return nil, err
	}
	stream := &events{answer: got, life: life, reader: sse.NewReader(got.response.Body)}
	if !isJSONType(got.response.Header) {
		return stream, nil
	}
	defer stream.close()
	data, err := got.whole()
	if err == nil {
		// Usually an error: reading it gives that.
		err = got.check(data)
	}
	if err == nil {
		err = &ConnectionError{Message: "the service answered in one piece instead of a stream"}
	}
	return nil, life.explain(err)
}

// next returns the JSON object of the next event, valid until the next call; io.EOF at the end of a
// complete stream.
func (e *events) next() ([]byte, error) {
	if !e.isOver && e.life.context.Err() != nil {
		return nil, e.life.explain(e.life.context.Err())
	}
	data, err := e.reader.Next()
	switch {
	case err == nil && string(data) == "[DONE]":
		e.drain()
		return nil, io.EOF
	case err == nil:
		if err := e.check(data); err != nil {
			return nil, err
		}
		return data, nil
	case e.isOver:
		// A connection that breaks after the last event loses nothing.
		return nil, io.EOF
	case err == io.EOF:
		return nil, &ConnectionError{Message: "the stream ended before it was complete"}
	case errors.Is(err, sse.ErrTooLong):
		return nil, e.life.explain(&ConnectionError{Message: err.Error()})
	}
	return nil, e.life.explain(err)
}

// drain reads the end of the body, as far as it is there.
func (e *events) drain() {
	timer := time.AfterFunc(drainTime, e.life.end)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, e.response.Body, 4<<10)
}

// close ends the call.
func (e *events) close() {
	e.life.end()
	_ = e.response.Body.Close()
}
