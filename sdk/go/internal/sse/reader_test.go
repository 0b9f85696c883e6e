package sse

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// all returns the data of all events, one a line.
func all(body io.Reader) (string, error) {
	reader := NewReader(body)
	var out []string
	for {
		data, err := reader.Next()
		if err == io.EOF {
			return strings.Join(out, "\n"), nil
		}
		if err != nil {
			return strings.Join(out, "\n"), err
		}
		out = append(out, string(data))
	}
}

func TestEvents(t *testing.T) {
	for _, one := range []struct{ body, want string }{
		{"data: a\n\n", "a"},
		{"data:a\r\n\r\ndata:  b\r\r", "a\n b"},
		{"\uFEFFdata: a\n\n", "a"},
		{": comment\nevent: x\nid: 1\ndata: a\ndata: b\n\n", "a\nb"},
		{"data\n\n", ""},
		{"data: a", ""},
		{"data: {\"a\":1}", `{"a":1}`},
		{"data: {\"a\":", ""},
		{"data: [DONE]", "[DONE]"},
		{"data: a\xff\n\n", "a\uFFFD"},
		{"\n\n\ndata: a\n\n", "a"},
	} {
		for name, body := range map[string]io.Reader{
			"whole": strings.NewReader(one.body), "bytes": iotest.OneByteReader(strings.NewReader(one.body)),
		} {
			got, err := all(body)
			if err != nil || got != one.want {
				t.Errorf("%s %q: got %q, %v, want %q", name, one.body, got, err, one.want)
			}
		}
	}
}

func TestLimits(t *testing.T) {
	for _, body := range []string{"data: " + strings.Repeat("a", 100), strings.Repeat("data: aaaaaaaaa\n", 20), strings.Repeat(":\n", 300)} {
		reader := NewLimitedReader(strings.NewReader(body), 50, 400)
		_, err := reader.Next()
		if !errors.Is(err, ErrTooLong) {
			t.Errorf("%.20q: %v", body, err)
		}
		if _, again := reader.Next(); !errors.Is(again, ErrTooLong) {
			t.Errorf("%.20q again: %v", body, again)
		}
	}
}

func TestFailureOfTheBody(t *testing.T) {
	broken := errors.New("broken")
	_, err := all(io.MultiReader(strings.NewReader("data: a\n\ndata: {}"), iotest.ErrReader(broken)))
	if !errors.Is(err, broken) {
		t.Error(err)
	}
}

// FuzzReader: the split of the bytes makes no difference, and no data has a line end of its own.
func FuzzReader(f *testing.F) {
	for _, seed := range []string{"data: a\n\n", "data: {}\r\n\r\n:\n", "\uFEFFdata\rdata: b\r\r", "data: [DONE]", "event: x\ndata:\n\n"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		whole, err := all(bytes.NewReader(body))
		split, other := all(iotest.OneByteReader(bytes.NewReader(body)))
		if whole != split || (err == nil) != (other == nil) {
			t.Fatalf("%q: whole %q, split %q", body, whole, split)
		}
		half, _ := all(iotest.HalfReader(bytes.NewReader(body)))
		if half != whole || strings.Contains(whole, "\r") {
			t.Fatalf("%q: whole %q, half %q", body, whole, half)
		}
	})
}
