package sandbox

import (
	"context"
	"sync"
)

type turn struct {
	free    chan struct{}
	waiting int
}

var (
	turnsMutex sync.Mutex
	turns      = map[string]*turn{}
)

// InSequence runs calls with the same key one after the other: concurrent calls of a model would
// otherwise read a file at the same time, and the last write would undo the others. It fails
// without running when the context ends first.
func InSequence(ctx context.Context, key string, run func() error) error {
	turnsMutex.Lock()
	own, isKnown := turns[key]
	if !isKnown {
		own = &turn{free: make(chan struct{}, 1)}
		own.free <- struct{}{}
		turns[key] = own
	}
	own.waiting++
	turnsMutex.Unlock()
	defer func() {
		turnsMutex.Lock()
		defer turnsMutex.Unlock()
		if own.waiting--; own.waiting == 0 {
			delete(turns, key)
		}
	}()
	select {
	case <-own.free:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	defer func() { own.free <- struct{}{} }()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return run()
}
