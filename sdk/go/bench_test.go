//go:build unix

package svc

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// benchChunks is the number of chunks of a streamed answer; tests/bench/go_chunk.ts has the same.
const benchChunks = 1000

// BenchmarkChunkOfAStream is the time for one chunk of a streamed chat answer, without a network.
func BenchmarkChunkOfAStream(b *testing.B) {
	var body strings.Builder
	for at := range benchChunks {
		fmt.Fprintf(&body, `data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"fast-mini",`+
			`"system_fingerprint":"fp_1","choices":[{"index":0,"delta":{"content":" word%d"},"logprobs":null,"finish_reason":null}],"usage":null}`+"\n\n", at)
	}
	body.WriteString("data: " + finished + "\n\ndata: [DONE]\n\n")
	text := body.String()
	client, err := NewClient(WithAPIKey("k"), WithDefaultLocalTools(false), WithHTTPClient(&http.Client{
		Transport: roundTripper(func(*http.Request) (*http.Response, error) {
			header := http.Header{"Content-Type": {"text/event-stream"}}
			return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(text))}, nil
		})}))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		chunks, err := client.StreamChatCompletion(background, say("Hi"))
		if err != nil {
			b.Fatal(err)
		}
		completion, err := chunks.Final()
		if err != nil || !strings.HasSuffix(completion.Text(), fmt.Sprintf("word%d", benchChunks-1)) {
			b.Fatal("the answer is not whole", err)
		}
	}
	b.ReportMetric(float64((cpuTime(b)-before).Nanoseconds())/1e3/float64(b.N)/benchChunks, "cpu-µs/chunk")
}

// cpuTime is the time that this process has spent on all processors.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
