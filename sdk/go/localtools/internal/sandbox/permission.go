package sandbox

import (
	"context"
	"time"
)

// IsGranted asks the application whether a call may run. Only true without an error, in time, is a
// grant: an error, a panic, silence and an ended context are refusals. The callback's context ends
// when the answer is no longer needed; a callback that does not heed it goes on by itself.
func IsGranted(ctx context.Context, timeout time.Duration, ask func(context.Context) (bool, error)) bool {
	if ctx.Err() != nil {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	answers := make(chan bool, 1)
	go func() {
		isGranted := false
		// A failure of the application is no grant.
		defer func() {
			if recover() != nil {
				isGranted = false
			}
			answers <- isGranted
		}()
		answer, err := ask(waiting)
		isGranted = answer && err == nil
	}()
	select {
	case isGranted := <-answers:
		return isGranted && ctx.Err() == nil
	case <-waiting.Done():
		return false
	}
}
