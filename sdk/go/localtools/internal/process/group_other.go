//go:build !unix

package process

import (
	"context"
	"errors"
)

// RunInGroup always fails: there are no process groups here.
func RunInGroup(context.Context, Command, Limits) (Result, error) {
	return Result{}, errors.ErrUnsupported
}
