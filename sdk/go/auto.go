package svc

import (
	"math"
	"strconv"
	"strings"
)

// AutoOptions chooses the model of calls, sent as the header X-Auto. The key's policy may refuse it.
type AutoOptions struct {
	// Quality is the position of the dial between cost and quality: a number from 0 to 1 as text,
	// or economy (0), balanced (0.5) or best (1). Empty: as the key's policy, the tier or the
	// catalog states. [Quality] writes a number.
	Quality string
	// Verify compares the answers of two cheap models, and asks a better one only where they differ.
	Verify bool
}

// Quality returns a position of the dial, from 0 to 1.
func Quality(dial float64) string {
	return strconv.FormatFloat(math.Round(dial*1e6)/1e6, 'f', -1, 64)
}

// header returns the value of the header; empty where nothing is chosen.
func (o AutoOptions) header() (string, error) {
	var items []string
	switch o.Quality {
	case "":
	case "economy", "balanced", "best":
		items = append(items, "quality="+o.Quality)
	default:
		dial, err := strconv.ParseFloat(o.Quality, 64)
		if err != nil || !(dial >= 0 && dial <= 1) {
			return "", configurationError(
				"cannot use Quality: it is not a number from 0 to 1, economy, balanced or best")
		}
		items = append(items, "quality="+Quality(dial))
	}
	if o.Verify {
		items = append(items, "verify")
	}
	return strings.Join(items, ", "), nil
}
