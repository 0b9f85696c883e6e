package svc

import (
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
)

const (
	firstWait         = 500 * time.Millisecond
	longestWait       = 8 * time.Second
	longestRetryAfter = 60 * time.Second
)

// isTransient reports a status after which the same request may succeed later.
func isTransient(status int) bool { return status == http.StatusTooManyRequests || status >= 500 }

// retryWait returns the wait before the next attempt; false for none, also when the service sends
// x-should-retry: false, because the call was charged or cannot succeed later. The wait is
// Retry-After if it is present and at most a minute; else it doubles with each try, up to 8 s, less
// up to a quarter. random is from 0 to 1.
func retryWait(tries int, headers http.Header, random float64, now time.Time) (time.Duration, bool) {
	if headers.Get("x-should-retry") == "false" {
		return 0, false
	}
	if asked, ok := retryAfter(headers, now); ok {
		return asked, asked <= longestRetryAfter
	}
	wait := math.Min(float64(firstWait)*math.Pow(2, float64(tries-1)), float64(longestWait))
	return time.Duration(wait * (1 - random/4)), true
}

var seconds = regexp.MustCompile(`^\d+(\.\d+)?$`)

// retryAfter parses Retry-After as seconds or a date; any other value counts as absent.
func retryAfter(headers http.Header, now time.Time) (time.Duration, bool) {
	text := strings.TrimSpace(headers.Get("retry-after"))
	if seconds.MatchString(text) {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil || value > 1e9 {
			return math.MaxInt64, true
		}
		return time.Duration(value * float64(time.Second)), true
	}
	date, err := http.ParseTime(text)
	if err != nil {
		return 0, false
	}
	return max(0, date.Sub(now)), true
}
