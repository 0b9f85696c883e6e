package localtools

import (
	"testing"

	"go.uber.org/goleak"
)

// No call leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
