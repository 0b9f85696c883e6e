package svc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// raw is a service that writes bytes to each connection as they are, and then closes it. It counts
// the requests that it read.
func raw(t *testing.T, answer string, hangs bool) (string, *atomic.Int32) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var count atomic.Int32
	var group sync.WaitGroup
	stop := make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		_ = listener.Close()
		group.Wait()
	})
	group.Go(func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer func() { _ = connection.Close() }()
				buffer := make([]byte, 64<<10)
				if size, err := connection.Read(buffer); size == 0 || err != nil {
					return
				}
				count.Add(1)
				_, _ = io.WriteString(connection, answer)
				if hangs {
					<-stop
				}
			})
		}
	})
	return "http://" + listener.Addr().String(), &count
}

func hostileClient(t *testing.T, base string, options ...Option) *Client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return mustClient(t, append([]Option{WithAPIKey("k"), WithAPIBaseURL(base), WithDefaultLocalTools(false),
		WithTimeout(5 * time.Second), WithHTTPClient(&http.Client{Transport: transport})}, options...)...)
}

const (
	head      = "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s"
	chunked   = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
	eventType = "text/event-stream"
)

// TestCutAtEveryByte: an answer that is cut anywhere is an error and never a complete answer, and
// each call is sent once.
func TestCutAtEveryByte(t *testing.T) {
	for _, m := range methods() {
		answer := answerTo(m)
		kind := "application/json"
		if m.isStream {
			kind = eventType
		}
		whole := fmt.Sprintf(head, kind, len(answer.body), answer.body)
		end := len(whole)
		if m.isStream {
			// After the last event of an answer nothing can be lost.
			last := map[bool]string{true: responseEnd, false: billed}[m.path == "/responses"]
			end = strings.Index(whole, last) + len(last)
		}
		step := 7
		for at := 0; at < end; at += step {
			base, count := raw(t, whole[:at], false)
			_, err := m.call(hostileClient(t, base))
			var connection *ConnectionError
			if !errors.As(err, &connection) {
				t.Fatalf("%s, cut at %d of %d: %v", m.name, at, len(whole), err)
			}
			if sends := count.Load(); sends != 1 {
				t.Fatalf("%s was sent %d times", m.name, sends)
			}
		}
		base, _ := raw(t, whole, false)
		if text, err := m.call(hostileClient(t, base)); err != nil || text != "Hello" {
			t.Fatal(m.name, text, err)
		}
	}
}

func TestMalformedAnswers(t *testing.T) {
	for _, m := range methods() {
		kind := "application/json"
		bodies := []string{"", "null", "[]", "7", `"a"`, "{", "<html>", "{}", strings.Repeat("[", 20_000), `{"choices":7}`,
			`{"choices":[7]}`, `{"choices":[{"message":7}]}`, `{"output":7}`, `{"output":[{}]}`, "\x00\xff\xfe"}
		if m.isStream {
			kind = eventType
			for at, body := range bodies {
				bodies[at] = "data: " + body + "\n\n"
			}
			bodies = append(bodies, "data", ":\n\n:\n\n", "event: x\nid: 1\n\n", "\n\n\n", "data: [DONE]\n\n", "retry: 1\r\rdata: {\r\r")
		}
		for _, body := range bodies {
			base, count := raw(t, fmt.Sprintf(head, kind, len(body), body), false)
			text, err := m.call(hostileClient(t, base))
			if err == nil {
				t.Errorf("%s took %.40q as the answer %q", m.name, body, text)
			}
			equal(t, count.Load(), 1)
		}
	}
}

func TestMalformedProtocol(t *testing.T) {
	for _, answer := range []string{"", "HTTP/1.1", "HTTP/9.9 200 OK\r\n\r\n", "garbage\r\n\r\n", chunked + "zz\r\n",
		chunked + "5\r\nda", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\n{}", "HTTP/1.1 999\r\n\r\n"} {
		for _, m := range methods() {
			base, count := raw(t, answer, false)
			if _, err := m.call(hostileClient(t, base)); err == nil {
				t.Errorf("%s took %q", m.name, answer)
			}
			equal(t, count.Load(), 1)
		}
	}
}

// TestSilence: a service that stops in the middle ends by the time limit, and by the context.
func TestSilence(t *testing.T) {
	for _, answer := range []string{"", "HTTP/1.1 200 OK\r\n", chunked, chunked + "5\r\ndata:", fmt.Sprintf(head, eventType, 1000, "data: "+delta("a")+"\n\n"),
		fmt.Sprintf(head, "application/json", 1000, `{"choices"`), "HTTP/1.1 500 E\r\nContent-Length: 9\r\n\r\n{"} {
		for _, m := range methods() {
			base, _ := raw(t, answer, true)
			_, err := m.call(hostileClient(t, base, WithTimeout(15*time.Millisecond)))
			var late *TimeoutError
			if !errors.As(err, &late) {
				t.Errorf("%s after %.20q: %v", m.name, answer, err)
			}
		}
	}
	base, _ := raw(t, chunked, true)
	ctx, cancel := context.WithCancelCause(background)
	reason := errors.New("the user left")
	time.AfterFunc(10*time.Millisecond, func() { cancel(reason) })
	_, err := hostileClient(t, base, WithTimeout(0)).StreamChatCompletion(ctx, say("Hi"))
	if !errors.Is(err, context.Canceled) || !errors.Is(err, reason) {
		t.Error(err)
	}
}

// TestLateBytes: an answer that comes byte by byte is whole.
func TestLateBytes(t *testing.T) {
	for _, m := range methods() {
		answer := answerTo(m)
		s := newService(t, reply{handle: func(w http.ResponseWriter, _ *http.Request) {
			if m.isStream {
				w.Header().Set("content-type", eventType)
			}
			for at := range len(answer.body) {
				_, _ = io.WriteString(w, answer.body[at:at+1])
				w.(http.Flusher).Flush()
			}
		}})
		text, err := m.call(s.client(t))
		if err != nil {
			t.Fatal(m.name, err)
		}
		equal(t, text, "Hello")
	}
}

// TestLateEnd: a service that keeps the connection open after the end does not keep the caller.
func TestLateEnd(t *testing.T) {
	for _, body := range []string{"data: " + delta("Hello") + "\n\ndata: " + finished + "\n\ndata: [DONE]\n\n"} {
		base, _ := raw(t, chunked+fmt.Sprintf("%x\r\n%s\r\n", len(body), body), true)
		completion, err := finalOf(hostileClient(t, base, WithTimeout(0)).StreamChatCompletion(background, say("Hi")))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, completion.Text(), "Hello")
	}
	body := "data: " + responseDelta + "\n\ndata: " + responseEnd + "\n\n"
	base, _ := raw(t, chunked+fmt.Sprintf("%x\r\n%s\r\n", len(body), body), true)
	response, err := finalOf(hostileClient(t, base, WithTimeout(0)).StreamResponse(background, ResponseRequest{Input: TextInput("Hi")}))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, response.OutputText(), "Hello")
}

func TestSequencesOfFailures(t *testing.T) {
	for _, m := range methods() {
		for _, statuses := range [][]int{{429, 500, 200}, {503, 503, 503}, {500, 400}, {429, 200}} {
			var answers []reply
			sends, isGood := 0, false
			for at, status := range statuses {
				answers = append(answers, reply{status: status, body: `{"error":{"message":"m"}}`})
				if status == 200 {
					answers[at] = answerTo(m)
				}
				if sends == at && at < 3 {
					sends, isGood = at+1, status == 200
				}
				if !isTransient(status) {
					break
				}
			}
			s := newService(t, answers...)
			c := s.client(t, WithMaxRetries(2))
			c.core.transport.wait = func(context.Context, time.Duration) error { return nil }
			_, err := m.call(c)
			equal(t, err == nil, isGood)
			equal(t, len(s.requests()), sends)
		}
	}
}

// TestHugeEvents: an event beyond the limit ends the call, and never fills the memory.
func TestHugeEvents(t *testing.T) {
	s := newService(t, reply{handle: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", eventType)
		piece := strings.Repeat("a", 1<<20)
		_, _ = io.WriteString(w, "data: ")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, piece); err != nil {
				return
			}
		}
	}})
	_, err := finalOf(s.client(t).StreamChatCompletion(background, say("Hi")))
	var connection *ConnectionError
	if !errors.As(err, &connection) || !strings.Contains(err.Error(), "longer than") {
		t.Error(err)
	}
	large := strings.Repeat("b", 4<<20)
	s = newService(t, stream(delta(large), finished, done))
	completion, err := finalOf(s.client(t).StreamChatCompletion(background, say("Hi")))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, len(completion.Text()), len(large))
}

func TestLongErrorHasNoBody(t *testing.T) {
	s := newService(t, reply{status: 502, body: strings.Repeat("x", LongestErrorBytes+1)})
	_, err := s.client(t).CreateChatCompletion(background, say("Hi"))
	var failure *APIError
	if !errors.As(err, &failure) || failure.Body != nil {
		t.Fatal(err)
	}
	equal(t, failure.Message, "the service answered with HTTP 502")
}

// TestConnectionThatBreaksIsNotUsedTwice: net/http sends some requests again by itself when a kept
// connection breaks; no call of this client may be.
func TestConnectionThatBreaksIsNotUsedTwice(t *testing.T) {
	var count atomic.Int32
	breaks := reply{handle: func(http.ResponseWriter, *http.Request) { count.Add(1); panic(http.ErrAbortHandler) }}
	for _, second := range []func(*Client) error{
		func(c *Client) error { _, err := c.CreateChatCompletion(background, say("Hi")); return err },
		func(c *Client) error { _, err := c.ListModels(background); return err },
	} {
		count.Store(0)
		s := newService(t, reply{body: catalogBody}, breaks, breaks, breaks)
		c := s.client(t)
		if _, err := c.ListModels(background); err != nil {
			t.Fatal(err)
		}
		if err := second(c); err == nil {
			t.Error("it succeeded")
		}
		equal(t, count.Load(), 1)
	}
}

func TestClosedStream(t *testing.T) {
	left := make(chan struct{})
	s := newService(t, reply{handle: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("content-type", eventType)
		_, _ = io.WriteString(w, "data: "+delta("a")+"\n\n")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(left)
	}})
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := chunks.Recv(); err != nil {
		t.Fatal(err)
	}
	received := make(chan error)
	go func() { _, err := chunks.Recv(); received <- err }()
	time.Sleep(5 * time.Millisecond)
	if err := chunks.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-received; err == nil || err == io.EOF {
		t.Error(err)
	}
	<-left
	if _, err := chunks.Recv(); err == nil || err == io.EOF {
		t.Error(err)
	}
}

func TestEarlyEndOfTheLoopClosesTheStream(t *testing.T) {
	s := newService(t, stream(delta("a"), delta("b"), finished, done))
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	for range chunks.All() {
		break
	}
	if _, err := chunks.Recv(); !errors.Is(err, ErrStreamClosed) {
		t.Error(err)
	}
}

func TestConcurrentUse(t *testing.T) {
	var answers []reply
	for range 60 {
		answers = append(answers, called("look", `{}`, "look", `{}`))
	}
	s := newService(t)
	var turn atomic.Int32
	s.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		turn.Add(1)
		answer := answers[0]
		if strings.Contains(string(body), `"role":"tool"`) {
			answer = spokenAnswer("ok")
		}
		_, _ = io.WriteString(w, answer.body)
	})
	c := s.client(t, WithTools(echo("look")))
	var group sync.WaitGroup
	for range 30 {
		group.Go(func() {
			result, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{})
			if err != nil || result.FinalText != "ok" {
				t.Error(result, err)
			}
		})
	}
	group.Wait()
	equal(t, turn.Load(), 60)
}
