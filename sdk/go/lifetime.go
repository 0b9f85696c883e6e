package svc

import (
	"context"
	"errors"
	"fmt"
	"time"
)

var errTimeLimit = errors.New("the time limit of the call is over")

// lifetime is the time that one call has. It ends by its caller, by its time limit, or when the call
// is over.
type lifetime struct {
	context context.Context
	parent  context.Context
	limit   time.Duration
	cancel  context.CancelFunc
}

// newLifetime starts the time limit; 0 or less: none.
func newLifetime(parent context.Context, limit time.Duration) *lifetime {
	life := &lifetime{parent: parent, limit: limit}
	if limit > 0 {
		life.context, life.cancel = context.WithTimeoutCause(parent, limit, errTimeLimit)
	} else {
		life.context, life.cancel = context.WithCancel(parent)
	}
	return life
}

// end closes the connection. Repeated calls do nothing.
func (l *lifetime) end() { l.cancel() }

// hasLeft reports that more than this much time remains.
func (l *lifetime) hasLeft(wait time.Duration) bool {
	deadline, ok := l.context.Deadline()
	return !ok || time.Until(deadline) > wait
}

// explain returns the error for the caller in place of one of the platform: the cause that ended the
// call.
func (l *lifetime) explain(err error) error {
	switch {
	case l.parent.Err() != nil:
		return stopped(l.parent)
	case context.Cause(l.context) == errTimeLimit:
		var api *APIError
		if errors.As(err, &api) {
			return err
		}
		return &TimeoutError{Limit: l.limit}
	case isOwn(err):
		return err
	}
	return &ConnectionError{Message: "the connection to the service failed", Err: err}
}

// stopped returns the error of a context that has ended.
func stopped(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != ctx.Err() {
		return fmt.Errorf("the call was stopped: %w: %w", ctx.Err(), cause)
	}
	return fmt.Errorf("the call was stopped: %w", ctx.Err())
}
