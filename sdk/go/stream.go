package svc

import (
	"context"
	"errors"
	"io"
	"iter"
	"sync"
)

// ErrStreamClosed is returned by a stream that was closed before its end.
var ErrStreamClosed = errors.New("the stream was closed before it was complete")

// Stream is one streamed answer: its events, then its final value.
//
// Read it to its end, or Close it: only then is its connection released. It is safe for concurrent
// use; each event goes to one reader, and Close also ends a Recv that waits.
type Stream[Event, Final any] struct {
	cancel context.CancelFunc
	mutex  sync.Mutex
	next   func() (*Event, error, bool)
	stop   func()
	ahead  *Event
	final  *Final
	// ended is what Recv returns from now on.
	ended error
}

// openStream opens a stream and waits for its first event, which stays to be read. It returns the
// error of a call that is refused before that.
func openStream[Event, Final any](
	ctx context.Context, run func(context.Context, func(*Event) error) (*Final, error),
) (*Stream[Event, Final], error) {
	inner, cancel := context.WithCancel(ctx)
	stream := &Stream[Event, Final]{cancel: cancel}
	stream.next, stream.stop = iter.Pull2(func(yield func(*Event, error) bool) {
		final, err := run(inner, func(event *Event) error {
			if !yield(event, nil) {
				return ErrStreamClosed
			}
			return nil
		})
		stream.final = final
		if err != nil && !errors.Is(err, ErrStreamClosed) {
			yield(nil, err)
		}
	})
	first, err := stream.Recv()
	if err != nil && err != io.EOF {
		return nil, err
	}
	stream.ahead = first
	return stream, nil
}

// Recv returns the next event; io.EOF at the end of a complete stream. The first event waits from
// the opening on.
func (s *Stream[Event, Final]) Recv() (*Event, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ahead != nil {
		event := s.ahead
		s.ahead = nil
		return event, nil
	}
	if s.ended != nil {
		return nil, s.ended
	}
	event, err, ok := s.next()
	if ok && err == nil {
		return event, nil
	}
	if !ok {
		err = io.EOF
	}
	s.end(err)
	return nil, err
}

func (s *Stream[Event, Final]) end(err error) {
	s.ended = err
	s.stop()
	s.cancel()
}

// All returns the events for a range loop. A failure comes last, as an error with a nil event. An
// early end of the loop closes the stream.
func (s *Stream[Event, Final]) All() iter.Seq2[*Event, error] {
	return func(yield func(*Event, error) bool) {
		defer func() { _ = s.Close() }()
		for {
			event, err := s.Recv()
			if err == io.EOF || !yield(event, err) || err != nil {
				return
			}
		}
	}
}

// Final reads the rest of the stream and returns its final value. With an error, the value is what
// was complete by then, or nil.
func (s *Stream[Event, Final]) Final() (*Final, error) {
	for {
		if _, err := s.Recv(); err == io.EOF {
			return s.final, nil
		} else if err != nil {
			return s.final, err
		}
	}
}

// Close ends the call. It does nothing after the end of the stream, and always returns nil.
func (s *Stream[Event, Final]) Close() error {
	s.cancel()
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ended == nil {
		s.ahead = nil
		s.end(ErrStreamClosed)
	}
	return nil
}
