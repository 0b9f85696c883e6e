package svc

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

const (
	completedResponse = `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}]}`
	responseDelta     = `{"type":"response.output_text.delta","output_index":0,"delta":"Hello"}`
	responseEnd       = `{"type":"response.completed","response":` + completedResponse + `}`
)

// method is one of the twelve methods of the surfaces; it returns the text of its answer.
type method struct {
	name, path string
	isStream   bool
	call       func(*Client) (string, error)
}

func textOrError[T any](value *T, err error, text func(*T) string) (string, error) {
	if err != nil {
		return "", err
	}
	return text(value), nil
}

func finalOf[E, F any](stream *Stream[E, F], err error) (*F, error) {
	if err != nil {
		return nil, err
	}
	return stream.Final()
}

func methods() []method {
	chat, response := say("Hi"), ResponseRequest{Input: TextInput("Hi")}
	message := MessageRequest{Messages: []MessageParam{UserParam("Hi")}}
	ofChat := func(result *ChatRunResult) string { return result.FinalText }
	ofResponse := func(result *ResponseRunResult) string { return result.FinalText }
	ofMessage := func(result *MessageRunResult) string { return result.FinalText }
	return []method{
		{"CreateChatCompletion", "/chat/completions", false, func(c *Client) (string, error) {
			got, err := c.CreateChatCompletion(background, chat)
			return textOrError(got, err, (*ChatCompletion).Text)
		}},
		{"RunChatCompletion", "/chat/completions", false, func(c *Client) (string, error) {
			got, err := c.RunChatCompletion(background, chat, RunChatOptions{})
			return textOrError(got, err, ofChat)
		}},
		{"StreamChatCompletion", "/chat/completions", true, func(c *Client) (string, error) {
			got, err := finalOf(c.StreamChatCompletion(background, chat))
			return textOrError(got, err, (*ChatCompletion).Text)
		}},
		{"RunChatCompletionStream", "/chat/completions", true, func(c *Client) (string, error) {
			got, err := c.RunChatCompletionStream(background, chat, RunChatOptions{})
			return textOrError(got, err, ofChat)
		}},
		{"CreateResponse", "/responses", false, func(c *Client) (string, error) {
			got, err := c.CreateResponse(background, response)
			return textOrError(got, err, (*Response).OutputText)
		}},
		{"RunResponse", "/responses", false, func(c *Client) (string, error) {
			got, err := c.RunResponse(background, response, RunResponseOptions{})
			return textOrError(got, err, ofResponse)
		}},
		{"StreamResponse", "/responses", true, func(c *Client) (string, error) {
			got, err := finalOf(c.StreamResponse(background, response))
			return textOrError(got, err, (*Response).OutputText)
		}},
		{"RunResponseStream", "/responses", true, func(c *Client) (string, error) {
			got, err := c.RunResponseStream(background, response, RunResponseOptions{})
			return textOrError(got, err, ofResponse)
		}},
		{"CreateMessage", "/chat/completions", false, func(c *Client) (string, error) {
			got, err := c.CreateMessage(background, message)
			return textOrError(got, err, (*Message).Text)
		}},
		{"RunMessage", "/chat/completions", false, func(c *Client) (string, error) {
			got, err := c.RunMessage(background, message, RunMessageOptions{})
			return textOrError(got, err, ofMessage)
		}},
		{"StreamMessage", "/chat/completions", true, func(c *Client) (string, error) {
			got, err := finalOf(c.StreamMessage(background, message))
			return textOrError(got, err, (*Message).Text)
		}},
		{"RunMessageStream", "/chat/completions", true, func(c *Client) (string, error) {
			got, err := c.RunMessageStream(background, message, RunMessageOptions{})
			return textOrError(got, err, ofMessage)
		}},
	}
}

// answerTo is an answer that says Hello on the surface and in the form of a method.
func answerTo(m method) reply {
	switch {
	case m.path == "/responses" && m.isStream:
		return stream(responseDelta, responseEnd, done)
	case m.path == "/responses":
		return reply{body: completedResponse}
	case m.isStream:
		return stream(delta("Hel"), delta("lo"), finished, billed, done)
	}
	return spokenAnswer("Hello")
}

func surfaceTest(t *testing.T, names ...string) {
	t.Helper()
	for _, m := range methods() {
		if !strings.Contains(strings.Join(names, " ")+" ", m.name+" ") {
			continue
		}
		s := newService(t, answerTo(m))
		text, err := m.call(s.client(t))
		if err != nil {
			t.Fatal(m.name, err)
		}
		equal(t, text, "Hello")
		request := s.requests()[0]
		equal(t, request.Method+" "+request.Path, "POST /openai/v1"+m.path)
		equal(t, request.Body["stream"], any(m.isStream))
		equal(t, request.Headers.Get("X-Dialect"), "service")
		names = names[1:]
	}
	equal(t, len(names), 0)
}

func TestSpec_4_1_ChatMethods(t *testing.T) {
	surfaceTest(t, "CreateChatCompletion", "RunChatCompletion", "StreamChatCompletion", "RunChatCompletionStream")
}

func TestSpec_4_1_ResponseMethods(t *testing.T) {
	surfaceTest(t, "CreateResponse", "RunResponse", "StreamResponse", "RunResponseStream")
}

func TestSpec_4_1_MessageMethods(t *testing.T) {
	surfaceTest(t, "CreateMessage", "RunMessage", "StreamMessage", "RunMessageStream")
}

func TestSpec_4_Endpoints(t *testing.T) {
	images := reply{body: `{"created":1,"data":[{"url":"https://a.example"}]}`}
	s := newService(t, images, images, reply{body: catalogBody}, reply{body: catalogBody},
		reply{body: `{"tiers":[],"skus":[],"featureTags":[],"industryPacks":[],"providers":[],"updatedAt":"u"}`},
		reply{body: `{"currency":"credits","tiers":[],"updatedAt":"u"}`},
		reply{body: `{"success":true,"data":{"request_id":"req_1","log_id":"log_1","source":"caller","score":1}}`})
	c := s.client(t)
	calls := []struct {
		endpoint string
		call     func() error
	}{
		{"POST /openai/v1/images/generations", func() error { _, err := c.GenerateImage(background, ImageRequest{Prompt: "A"}); return err }},
		{"POST /openai/v1/images/edits", func() error { _, err := c.EditImage(background, ImageEditRequest{Prompt: "A"}); return err }},
		{"GET /api/v1/models", func() error { _, err := c.ListModels(background); return err }},
		{"GET /api/v1/models", func() error { _, err := c.ListModelsWithOptions(background, ListModelsOptions{}); return err }},
		{"GET /api/v1/models/meta", func() error { _, err := c.GetModelMeta(background); return err }},
		{"GET /api/v1/pricing", func() error { _, err := c.GetPricing(background); return err }},
		{"POST /api/v1/feedback", func() error { _, err := c.Feedback(background, Vote{RequestID: "req_1", Score: 1}); return err }},
	}
	for at, one := range calls {
		if err := one.call(); err != nil {
			t.Fatal(one.endpoint, err)
		}
		request := s.requests()[at]
		equal(t, request.Method+" "+request.Path, one.endpoint)
	}
	equal(t, s.requests()[6].Raw, `{"request_id":"req_1","score":1}`)
}

func TestSpec_4_Rule_1_OneAuthenticationHeader(t *testing.T) {
	for _, m := range methods() {
		s := newService(t, answerTo(m))
		if _, err := m.call(s.client(t)); err != nil {
			t.Fatal(err)
		}
		equal(t, s.requests()[0].Headers.Get("Authorization"), "Bearer svc_live_key_of_the_tests")
	}
}

func TestSpec_4_Rule_3_ChunksWithoutChoices(t *testing.T) {
	s := newService(t, stream(delta("a"), `{"id":"c1","usage":null}`, finished, billed, done))
	chunks, err := s.client(t).StreamChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for chunk, err := range chunks.All() {
		if err != nil {
			t.Fatal(err)
		}
		if chunk.Choices == nil {
			t.Error("Choices is nil")
		}
		count++
	}
	equal(t, count, 4)
}

func TestSpec_4_Rule_4_EventsOfResponses(t *testing.T) {
	s := newService(t, stream(responseDelta, responseEnd, done))
	events, err := s.client(t).StreamResponse(background, ResponseRequest{Input: TextInput("Hi")})
	if err != nil {
		t.Fatal(err)
	}
	var types []string
	for event, err := range events.All() {
		if err != nil {
			t.Fatal(err)
		}
		types = append(types, event.Type)
	}
	equal(t, strings.Join(types, " "), "response.output_text.delta response.completed")
}

func TestSpec_4_Rule_5_RequestID(t *testing.T) {
	body := `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`
	s := newService(t, reply{body: strings.TrimSuffix(body, "}") + `,"metadata":{"request_id":"req_body"}}`,
		headers: map[string]string{"x-request-id": "req_header"}},
		reply{body: body, headers: map[string]string{"x-request-id": "req_header"}})
	c := s.client(t)
	first, err := c.CreateChatCompletion(background, say("Hi"), CallRequestID("my-id"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, first.RequestID+" "+second.RequestID, "req_body req_header")
	equal(t, s.requests()[0].Headers.Get("X-Request-ID"), "my-id")
	if _, err = c.CreateChatCompletion(background, say("Hi"), CallRequestID("my id")); err == nil {
		t.Error("an id with a space was sent")
	}
}

func TestSpec_1_4_NoAnthropicRequest(t *testing.T) {
	s := newService(t, spokenAnswer("Hello"))
	c := s.client(t, WithHeader("anthropic-version", "2023-06-01"))
	message, err := c.CreateMessage(background, MessageRequest{MaxTokens: 10, Messages: []MessageParam{UserParam("Hi")},
		System: TextContent[Block]("Be brief"), StopSequences: []string{"END"}})
	if err != nil {
		t.Fatal(err)
	}
	request := s.requests()[0]
	equal(t, request.Path, "/openai/v1/chat/completions")
	equal(t, request.Headers.Get("anthropic-version"), "")
	equal(t, request.Raw, `{"model":"auto","messages":[{"role":"system","content":"Be brief"},{"role":"user","content":"Hi"}],`+
		`"max_completion_tokens":10,"stop":["END"],"stream":false}`)
	equal(t, message.StopReason+message.Content[0].Text, "end_turnHello")
}

func TestSpec_6_FinalTaskIsTheReply(t *testing.T) {
	task := func(id, text string) string {
		return `{"id":"c1","choices":[{"index":0,"delta":{"content":"` + text + `"}}],"orchestration":{"task_id":"` + id + `","title":"T"}}`
	}
	s := newService(t, stream(task("tea", "Notes."), task("final", "Drink tea."), finished, done))
	var tasks, texts []string
	result, err := s.client(t).RunChatCompletionStream(background, say("Hi"), RunChatOptions{
		OnTask:      func(progress TaskProgress) { tasks = append(tasks, progress.TaskID+":"+progress.Text) },
		OnTextDelta: func(text string) { texts = append(texts, text) },
	})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.FinalText, "Drink tea.")
	equal(t, strings.Join(tasks, " ")+strings.Join(texts, " "), "tea:Notes.Drink tea.")
}

func TestSpec_6_MetadataOnly(t *testing.T) {
	s := newService(t, stream(delta("a"), finished, `{"metadata":{"request_id":"req_7","billing":{"charged":"1","input_tokens":2,"output_tokens":1,"total_tokens":3}}}`, done))
	completion, err := finalOf(s.client(t).StreamChatCompletion(background, say("Hi")))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.RequestID, "req_7")
	equal(t, completion.Usage.TotalTokens, 3)
}

func TestSpec_6_Delta(t *testing.T) {
	s := newService(t, stream(responseDelta, responseEnd, done))
	events, err := s.client(t).StreamResponse(background, ResponseRequest{Input: TextInput("Hi")})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = events.Close() }()
	event, err := events.Recv()
	if err != nil {
		t.Fatal(err)
	}
	equal(t, event.Delta, "Hello")
}

func TestSpec_9_3_DeprecatedOptionsDoNothing(t *testing.T) {
	s := newService(t, spokenAnswer("Hello"))
	c := s.client(t, WithAnthropicBaseURL("https://anthropic.example"), WithAnthropicVersion("2023-06-01"))
	if _, err := c.CreateMessage(background, MessageRequest{Messages: []MessageParam{UserParam("Hi")}}); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Headers.Get("anthropic-version"), "")
	equal(t, len(s.requests()), 1)
}

func TestSpec_4_1_AutoHeader(t *testing.T) {
	s := newService(t, spokenAnswer("a"), spokenAnswer("a"), reply{body: catalogBody})
	c := s.client(t, WithAuto(AutoOptions{Quality: "economy"}))
	if _, err := c.CreateChatCompletion(background, say("Hi")); err != nil {
		t.Fatal(err)
	}
	own := CallAuto(AutoOptions{Quality: Quality(0.8), Verify: true})
	if _, err := c.CreateChatCompletion(background, say("Hi"), own); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ListModels(background); err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, request := range s.requests() {
		values = append(values, request.Headers.Get("X-Auto"))
	}
	equal(t, strings.Join(values, "|"), "quality=economy|quality=0.8, verify|")
	if _, err := NewClient(WithAuto(AutoOptions{Quality: "1.5"})); err == nil {
		t.Error("a quality above 1 was taken")
	}
}

func TestDecodeAndEncodeKeepEveryField(t *testing.T) {
	written := `{"id":"c1","object":"","choices":[],"usage":null,"created":"soon","service_tier":"x"}`
	var completion ChatCompletion
	if err := json.Unmarshal([]byte(written), &completion); err != nil {
		t.Fatal(err)
	}
	again, err := json.Marshal(completion)
	if err != nil {
		t.Fatal(err)
	}
	if !isEqualJSON(json.RawMessage(written), again) {
		// A member that is always written may be added.
		equal(t, string(again), `{"id":"c1","object":"","created":"soon","model":"","choices":[],"usage":null,"service_tier":"x"}`)
	}
}

var _ http.RoundTripper = roundTripper(nil)

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }
