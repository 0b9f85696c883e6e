package svc_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	svc "svc.example/sdk/go"
)

// standIn is a service that gives the same answers to everyone, in turn. It stands in for the
// gateway, so that the examples run without one.
func standIn(answers ...string) *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		kind := "application/json"
		if strings.HasPrefix(answers[0], "data:") {
			kind = "text/event-stream"
		}
		w.Header().Set("content-type", kind)
		_, _ = io.WriteString(w, answers[0])
		answers = answers[1:]
	}))
}

const (
	hello       = `{"id":"c1","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}]}`
	helloStream = "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Hel\"}}]}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"lo\"},\"finish_reason\":\"stop\"}]}\n\n" +
		"data: [DONE]\n\n"
	callWeather = `{"choices":[{"index":0,"message":{"role":"assistant","tool_calls":[{"id":"call_1","type":"function",` +
		`"function":{"name":"weather","arguments":"{\"city\":\"Oslo\"}"}}]},"finish_reason":"tool_calls"}]}`
	tellWeather = `{"choices":[{"index":0,"message":{"role":"assistant","content":"It rains in Oslo."},"finish_reason":"stop"}]}`
)

func newClient(server *httptest.Server) *svc.Client {
	client, err := svc.NewClient(svc.WithAPIKey("svc_live_key"), svc.WithAPIBaseURL(server.URL))
	if err != nil {
		log.Fatal(err)
	}
	return client
}

// One answer.
func ExampleClient_CreateChatCompletion() {
	server := standIn(hello)
	defer server.Close()
	client := newClient(server)

	completion, err := client.CreateChatCompletion(context.Background(), svc.ChatRequest{
		Messages: []svc.ChatMessage{svc.UserMessage("Say hello")},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(completion.Text())
	// Output: Hello
}

// A stream, as a range loop.
func ExampleStream_All() {
	server := standIn(helloStream)
	defer server.Close()
	client := newClient(server)

	stream, err := client.StreamChatCompletion(context.Background(), svc.ChatRequest{
		Messages: []svc.ChatMessage{svc.UserMessage("Say hello")},
	})
	if err != nil {
		log.Fatal(err)
	}
	for chunk, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(chunk.Text())
	}
	completion, err := stream.Final()
	fmt.Println(completion.Text(), err)
	// Output:
	// Hel
	// lo
	// Hello <nil>
}

// A stream, read event by event.
func ExampleStream_Recv() {
	server := standIn(helloStream)
	defer server.Close()
	client := newClient(server)

	stream, err := client.StreamMessage(context.Background(), svc.MessageRequest{
		MaxTokens: 100,
		Messages:  []svc.MessageParam{svc.UserParam("Say hello")},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = stream.Close() }()
	for {
		event, err := stream.Recv()
		if err == io.EOF {
			break
		}
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(event.Type)
	}
	// Output:
	// message_start
	// content_block_start
	// content_block_delta
	// content_block_delta
	// content_block_stop
	// message_delta
	// message_stop
}

// A run with a typed tool.
func ExampleClient_RunChatCompletion() {
	server := standIn(callWeather, tellWeather)
	defer server.Close()
	client := newClient(server)

	type place struct {
		City string `json:"city" jsonschema:"Name of the city"`
	}
	weather, err := svc.NewTool("weather", "The weather of a city",
		func(_ context.Context, input place) (string, error) { return "Rain in " + input.City, nil })
	if err != nil {
		log.Fatal(err)
	}
	result, err := client.RunChatCompletion(context.Background(), svc.ChatRequest{
		Messages: []svc.ChatMessage{svc.UserMessage("Rain in Oslo?")},
	}, svc.RunChatOptions{Tools: []svc.Tool{weather}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Steps[0].Results[0].Text)
	fmt.Println(result.FinalText)
	// Output:
	// Rain in Oslo
	// It rains in Oslo.
}

// The error of the service.
func ExampleAPIError() {
	server := standIn(`{"error":{"message":"Add credits","code":"insufficient_balance","request_id":"req_1"}}`)
	defer server.Close()
	client := newClient(server)

	_, err := client.GetPricing(context.Background())
	var failure *svc.APIError
	if errors.As(err, &failure) {
		fmt.Println(failure.StatusCode, failure.Code, failure.RequestID, failure)
	}
	// Output: 200 insufficient_balance req_1 Add credits
}

// Only the reply of a request that the service may split.
func ExampleChatChunk_IsReply() {
	server := standIn("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Notes.\"}}],\"orchestration\":{\"task_id\":\"tea\"}}\n\n" +
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"Drink tea.\"},\"finish_reason\":\"stop\"}],\"orchestration\":{\"task_id\":\"final\"}}\n\n" +
		"data: [DONE]\n\n")
	defer server.Close()

	stream, err := newClient(server).StreamChatCompletion(context.Background(), svc.ChatRequest{
		Messages: []svc.ChatMessage{svc.UserMessage("Tea or coffee?")},
	})
	if err != nil {
		log.Fatal(err)
	}
	for chunk, err := range stream.All() {
		if err != nil {
			log.Fatal(err)
		}
		if chunk.IsReply() {
			fmt.Println(chunk.Text())
		}
	}
	// Output: Drink tea.
}
