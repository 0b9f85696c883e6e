//go:build unix

package svc_test

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	svc "svc.example/sdk/go"
)

const (
	upstreamKey = "the-key-of-the-fake-upstream"
	// signature is what a provider signed: sent back byte for byte. White space between its tokens
	// is no part of it.
	signature = `{"google":{"thought_signature":"a+/=\u00e9 <&>","n":1.0e2}}`
)

// upstream is a provider of one model that speaks Chat Completions and draws images. It knows the
// questions of the tests.
type upstream struct {
	*httptest.Server
	mutex  sync.Mutex
	bodies []string
	// complaints are what no request to a provider may have.
	complaints []string
}

func newUpstream(t *testing.T) *upstream {
	t.Helper()
	u := &upstream{}
	u.Server = httptest.NewServer(u)
	t.Cleanup(func() {
		u.CloseClientConnections()
		u.Close()
	})
	return u
}

// upstreamRequest is the part of a request that the fake reads.
type upstreamRequest struct {
	Model    string
	Stream   bool
	Tools    []struct{ Function struct{ Name string } }
	Messages []struct {
		Role      string
		Content   json.RawMessage
		ToolCalls []struct {
			Extra json.RawMessage `json:"extra_content"`
		} `json:"tool_calls"`
	}
}

func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	u.mutex.Lock()
	u.bodies = append(u.bodies, string(body))
	if r.Header.Get("Authorization") != "Bearer "+upstreamKey || strings.Contains(fmt.Sprint(r.Header, string(body)), gatewayKey) {
		u.complaints = append(u.complaints, "the wrong key: "+fmt.Sprint(r.Header))
	}
	u.mutex.Unlock()
	if strings.Contains(r.URL.Path, "/images/") {
		u.write(w, map[string]any{"created": 1, "data": []any{map[string]any{"b64_json": picture()}}})
		return
	}
	var request upstreamRequest
	if json.Unmarshal(body, &request) != nil || len(request.Messages) == 0 {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	u.answer(w, request)
}

func (u *upstream) answer(w http.ResponseWriter, request upstreamRequest) {
	last := request.Messages[len(request.Messages)-1]
	asked := ""
	for _, message := range request.Messages {
		if message.Role == "user" {
			asked = string(message.Content)
		}
	}
	switch {
	case strings.Contains(asked, "Fail"):
		w.WriteHeader(http.StatusServiceUnavailable)
	case strings.Contains(asked, "[Note of the service] Task plan"):
		u.say(w, request, `{"tasks":[`+planned("tea")+","+planned("coffee")+","+planned("cocoa")+"]}")
	case last.Role == "tool":
		for _, message := range request.Messages {
			for _, call := range message.ToolCalls {
				if string(call.Extra) != "" && string(call.Extra) != signature {
					u.mutex.Lock()
					u.complaints = append(u.complaints, "another signature: "+string(call.Extra))
					u.mutex.Unlock()
				}
			}
		}
		var result string
		_ = json.Unmarshal(last.Content, &result)
		u.say(w, request, "It is: "+result)
	case len(request.Tools) > 0:
		name, arguments := request.Tools[0].Function.Name, `{"query":"ticket refunded"}`
		for _, one := range request.Tools {
			if one.Function.Name == "calculator" {
				name, arguments = one.Function.Name, `{"expression":"17 * 23"}`
			}
		}
		u.call(w, request, name, arguments)
	default:
		u.say(w, request, "17 * 23 = 391")
	}
}

func planned(id string) string {
	return fmt.Sprintf(`{"task_id":%q,"title":"About %s","instruction":"Say what matters of %s","depends_on":[],"needs":[]}`, id, id, id)
}

func picture() string {
	var out bytes.Buffer
	_ = png.Encode(&out, image.NewGray(image.Rect(0, 0, 64, 64)))
	return base64.StdEncoding.EncodeToString(out.Bytes())
}

func (u *upstream) call(w http.ResponseWriter, request upstreamRequest, name, arguments string) {
	call := map[string]any{"index": 0, "id": "call_1", "type": "function", "extra_content": "SIGNATURE",
		"function": map[string]any{"name": name, "arguments": arguments}}
	u.turn(w, request, "tool_calls", map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}})
}

func (u *upstream) say(w http.ResponseWriter, request upstreamRequest, text string) {
	if !request.Stream {
		u.turn(w, request, "stop", map[string]any{"role": "assistant", "content": text})
		return
	}
	middle := len(text) / 2
	u.turn(w, request, "stop", map[string]any{"role": "assistant", "content": text[:middle]}, map[string]any{"content": text[middle:]})
}

// turn writes one message, or its deltas.
func (u *upstream) turn(w http.ResponseWriter, request upstreamRequest, reason string, parts ...map[string]any) {
	usage := map[string]any{"prompt_tokens": 20, "completion_tokens": 4, "total_tokens": 24}
	answer := map[string]any{"id": "c1", "created": 1, "model": request.Model}
	if !request.Stream {
		answer["object"], answer["usage"] = "chat.completion", usage
		answer["choices"] = []any{map[string]any{"index": 0, "message": parts[0], "finish_reason": reason}}
		u.write(w, answer)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	answer["object"] = "chat.completion.chunk"
	send := func(choices []any, usage any) {
		answer["choices"], answer["usage"] = choices, usage
		_, _ = fmt.Fprintf(w, "data: %s\n\n", encoded(answer))
		w.(http.Flusher).Flush()
	}
	for _, part := range parts {
		send([]any{map[string]any{"index": 0, "delta": part, "finish_reason": nil}}, nil)
	}
	for _, message := range request.Messages {
		if message.Role == "user" && strings.Contains(string(message.Content), "Cut") {
			panic(http.ErrAbortHandler)
		}
	}
	send([]any{map[string]any{"index": 0, "delta": map[string]any{}, "finish_reason": reason}}, nil)
	send([]any{}, usage)
	_, _ = io.WriteString(w, "data: [DONE]\n\n")
}

func (u *upstream) write(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(encoded(answer))
}

// encoded writes JSON with the signature as it is.
func encoded(value any) []byte {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err)
	}
	return bytes.ReplaceAll(bytes.TrimSpace(out.Bytes()), []byte(`"SIGNATURE"`), []byte(signature))
}

// configuration returns that of a gateway with this upstream alone.
func (u *upstream) configuration() any {
	type object = map[string]any
	text := func(en, zh string) object { return object{"en": en, "zh": zh} }
	price := object{"inputPerMTok": "1", "outputPerMTok": "2", "currency": "USD"}
	model := func(id string, quality float64, endpoints ...string) object {
		return object{"id": id, "upstream": "fake", "upstreamModel": "real-" + id, "endpoints": endpoints, "quality": quality,
			"featureTags": []string{"tools", "json", "vision"}, "contextTokens": 100_000, "maxOutputTokens": 1000,
			"price": price, "sku": "text", "description": text("A model", "模型")}
	}
	painter := model("painter", 0.5, "images.generations", "images.edits")
	painter["price"] = object{"inputPerMTok": "0", "outputPerMTok": "0", "perImage": "0.04", "currency": "USD"}
	return object{
		"upstreams": []object{{"id": "fake", "kind": "openai-compatible", "baseUrl": u.URL + "/v1", "apiKey": upstreamKey}},
		"models":    []object{model("one", 0.8, "chat", "responses"), model("two", 0.7, "chat", "responses"), painter},
		"tiers": []object{{"id": "standard", "creditsPerUsd": "1000", "models": "*", "orchestration": "auto",
			"name": text("Standard", "标准"), "description": text("All models", "全部模型")}},
		"search": object{"kind": "offline"},
	}
}

// TestGatewayWithUpstream: the gateway with a provider behind it.
func TestGatewayWithUpstream(t *testing.T) {
	provider := newUpstream(t)
	running := startGateway(t, provider.configuration())
	testGateway(t, running)
	client := running.client(t)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	t.Run("cut", func(t *testing.T) { testCut(ctx, client, t) })
	t.Run("failure", func(t *testing.T) { testFailure(ctx, client, t) })
	provider.mutex.Lock()
	defer provider.mutex.Unlock()
	check(t, nil, len(provider.complaints) == 0, provider.complaints)
	check(t, nil, strings.Contains(strings.Join(provider.bodies, "\n"), `"role":"tool"`) &&
		strings.Contains(strings.Join(provider.bodies, "\n"), signature), "no signature came back")
}

// testCut: a first turn that the provider cuts is an error without a result, after the text that came.
func testCut(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ChatRequest{Tools: []svc.ChatTool{}, Messages: []svc.ChatMessage{svc.UserMessage("Cut this, please")}}
	text := ""
	result, err := client.RunChatCompletionStream(ctx, request, svc.RunChatOptions{OnTextDelta: func(piece string) { text += piece }})
	var failure *svc.APIError
	check(t, nil, errors.As(err, &failure) && failure.RequestID != "" && text != "", text, err)
	check(t, nil, result == nil, result)
}

// testFailure: a provider that is down is an error of the service.
func testFailure(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ChatRequest{Tools: []svc.ChatTool{}, Messages: []svc.ChatMessage{svc.UserMessage("Fail, please")}}
	_, err := client.CreateChatCompletion(ctx, request)
	var failure *svc.APIError
	check(t, nil, errors.As(err, &failure) && failure.StatusCode >= 500 && failure.RequestID != "", err)
	check(t, nil, !strings.Contains(fmt.Sprint(err), upstreamKey), err)
}
