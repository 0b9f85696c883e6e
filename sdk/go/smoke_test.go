package svc

import (
	"context"
	"io"
	"testing"
)

func TestSmoke(t *testing.T) {
	s := newService(t, spokenAnswer("Hello"), stream(delta("Hel"), delta("lo"), finished, billed, done), called("double", `{"n":1}`), spokenAnswer("ok"))
	c := s.client(t)
	ctx := context.Background()
	got, err := c.CreateChatCompletion(ctx, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, got.Text(), "Hello")
	st, err := c.StreamChatCompletion(ctx, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for {
		_, err := st.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	equal(t, n, 4)
	f, err := st.Final()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, f.Text(), "Hello")
	r, err := c.RunChatCompletion(ctx, say("x"), RunChatOptions{Tools: []Tool{echo("double")}})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, r.FinalText, "ok")
	equal(t, r.Billing.Charged, "0.300000")
	for _, q := range s.requests() {
		t.Log(q.Raw)
	}
}
