//go:build unix

package svc_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	svc "svc.example/sdk/go"
)

// TestRunningGateway: the gateway with its simulator.
func TestRunningGateway(t *testing.T) {
	testGateway(t, startGateway(t, nil))
}

// testGateway uses everything that the gateway has, whichever upstream answers.
func testGateway(t *testing.T, running gateway) {
	t.Helper()
	folder := t.TempDir()
	client := running.client(t, svc.WithFileWorkspace(folder), svc.WithShellWorkspace(folder))
	handbook := running.vectorStore(t, "handbook.md", "# Refunds\n\nA ticket is refunded in full until noon of the day before.")
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for name, test := range map[string]func(context.Context, *svc.Client, *testing.T){
		"chat": testChat, "responses": testResponses, "messages": testMessages, "hosted": testHosted,
		"orchestration": testOrchestration, "images": testImages, "catalog": testCatalog, "errors": testErrors,
		"own files": testOwnFiles,
	} {
		t.Run(name, func(t *testing.T) { test(ctx, client, t) })
	}
	t.Run("file search", func(t *testing.T) { testFileSearch(ctx, client, handbook, t) })
}

const question = "What is 17 * 23? Use the calculator."

func check(t *testing.T, err error, holds bool, about ...any) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if !holds {
		t.Error(about...)
	}
}

func testChat(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ChatRequest{Messages: []svc.ChatMessage{svc.UserMessage(question)}}
	completion, err := client.CreateChatCompletion(ctx, request)
	check(t, err, strings.Contains(completion.Text(), "391") && completion.RequestID != "", completion)
	stream, err := client.StreamChatCompletion(ctx, request)
	check(t, err, true)
	completion, err = stream.Final()
	check(t, err, strings.Contains(completion.Text(), "391") && completion.Metadata.Billing != nil, completion)
	result, err := client.RunChatCompletion(ctx, request, svc.RunChatOptions{})
	check(t, err, strings.Contains(result.FinalText, "391") && len(result.Steps) == 2, result)
	text := ""
	result, err = client.RunChatCompletionStream(ctx, request, svc.RunChatOptions{OnTextDelta: func(piece string) { text += piece }})
	check(t, err, strings.Contains(text, "391") && text == result.FinalText, text, result)
	vote, err := client.Feedback(ctx, svc.Vote{RequestID: result.RequestID, Score: 1})
	check(t, err, vote.Data.LogID != "", vote)
	key, err := client.GetKey(ctx)
	check(t, err, key.ID != "" && key.Wallet != nil, key)
	link, err := client.CreateSignInLink(ctx)
	check(t, err, strings.HasSuffix(link.URL, "#"+link.Code) && link.ExpiresAt != "", link.ExpiresAt)
	usage, err := client.GetUsage(ctx, svc.UsageQuery{By: "model"})
	check(t, err, len(usage.Usage) > 0 && usage.Usage[0].Charged != "", usage)
	list, err := client.ListRequests(ctx, svc.RequestsQuery{Limit: 1})
	check(t, err, len(list.Requests) == 1, list)
	own, err := client.GetRequest(ctx, list.Requests[0].ID)
	check(t, err, own.RequestID == list.Requests[0].RequestID && own.Settlement.Complete, own)
}

func testResponses(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ResponseRequest{Input: svc.TextInput(question)}
	response, err := client.CreateResponse(ctx, request)
	check(t, err, strings.Contains(response.OutputText(), "391") && response.RequestID != "", response)
	stream, err := client.StreamResponse(ctx, request)
	check(t, err, true)
	response, err = stream.Final()
	check(t, err, strings.Contains(response.OutputText(), "391"), response)
	result, err := client.RunResponse(ctx, request, svc.RunResponseOptions{})
	check(t, err, strings.Contains(result.FinalText, "391") && len(result.Steps) == 2 && len(result.Input) >= 4, result)
	result, err = client.RunResponseStream(ctx, request, svc.RunResponseOptions{})
	check(t, err, strings.Contains(result.FinalText, "391"), result)
}

func testMessages(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.MessageRequest{MaxTokens: 500, Messages: []svc.MessageParam{svc.UserParam(question)}}
	message, err := client.CreateMessage(ctx, request)
	check(t, err, strings.Contains(message.Text(), "391") && message.RequestID != "", message)
	stream, err := client.StreamMessage(ctx, request)
	check(t, err, true)
	message, err = stream.Final()
	check(t, err, strings.Contains(message.Text(), "391"), message)
	result, err := client.RunMessage(ctx, request, svc.RunMessageOptions{})
	check(t, err, strings.Contains(result.FinalText, "391") && len(result.Messages) == 4, result)
	result, err = client.RunMessageStream(ctx, request, svc.RunMessageOptions{})
	check(t, err, strings.Contains(result.FinalText, "391"), result)
}

func testHosted(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ResponseRequest{Input: svc.TextInput("Search the web: what is new in Deno?"),
		Tools: []svc.ResponseTool{{Type: "web_search_preview"}}}
	response, err := client.CreateResponse(ctx, request)
	check(t, err, true)
	isRun := false
	for _, item := range response.Output {
		isRun = isRun || item.Type == "web_search_call"
	}
	check(t, nil, isRun, "no search ran:", response.Output)
	chat := svc.ChatRequest{Messages: []svc.ChatMessage{svc.UserMessage("Search the web: what is new in Deno?")},
		Tools: []svc.ChatTool{{Type: "web_search_preview"}}}
	completion, err := client.CreateChatCompletion(ctx, chat)
	check(t, err, strings.Contains(string(completion.Metadata.Extra["hosted_tools"]), "web_search_call"), completion.Metadata)
}

const refunds = "Search our files: until when is a ticket refunded?"

func testFileSearch(ctx context.Context, client *svc.Client, store string, t *testing.T) {
	ids := svc.Extra{"vector_store_ids": json.RawMessage(`["` + store + `"]`)}
	request := svc.ResponseRequest{Input: svc.TextInput(refunds), Tools: []svc.ResponseTool{{Type: "file_search", Extra: ids}},
		Extra: svc.Extra{"include": json.RawMessage(`["file_search_call.results"]`)}}
	whole, err := client.CreateResponse(ctx, request)
	check(t, err, foundIn(whole) && strings.Contains(whole.OutputText(), "noon"), whole)
	stream, err := client.StreamResponse(ctx, request)
	check(t, err, true)
	told := map[string]bool{}
	for event, err := range stream.All() {
		check(t, err, true)
		told[event.Type] = true
	}
	streamed, err := stream.Final()
	check(t, err, foundIn(streamed) && told["response.file_search_call.completed"], told)
	chat := svc.ChatRequest{Messages: []svc.ChatMessage{svc.UserMessage(refunds)}, Tools: []svc.ChatTool{{Type: "file_search", Extra: ids}}}
	completion, err := client.CreateChatCompletion(ctx, chat)
	check(t, err, strings.Contains(string(completion.Metadata.Extra["hosted_tools"]), "file_search_call") &&
		strings.Contains(completion.Text(), "noon"), completion)
	run, err := client.RunResponseStream(ctx, request, svc.RunResponseOptions{})
	check(t, err, strings.Contains(run.FinalText, "noon") && run.StoppedBy == svc.StoppedByFinish, run)
}

// foundIn reports a search of the files whose results have the handbook.
func foundIn(response *svc.Response) bool {
	for _, item := range response.Output {
		if item.Type == "file_search_call" && strings.Contains(string(item.Extra["results"]), "handbook.md") {
			return true
		}
	}
	return false
}

func testOrchestration(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ChatRequest{Tools: []svc.ChatTool{}, Messages: []svc.ChatMessage{svc.UserMessage(
		"Compare tea, coffee and cocoa in these respects:\n1. taste and aroma\n2. caffeine and health\n3. price and farming\n" +
			"Research each of them in detail, then write a report with a recommendation.")}}
	stream, err := client.StreamChatCompletion(ctx, request)
	check(t, err, true)
	tasks, reply := map[string]bool{}, ""
	for chunk, err := range stream.All() {
		check(t, err, true)
		if chunk.Orchestration != nil {
			tasks[chunk.Orchestration.TaskID] = true
		}
		if chunk.IsReply() {
			reply += chunk.Text()
		}
	}
	completion, err := stream.Final()
	check(t, err, reply != "" && completion.Text() == reply, "the reply of the filter is another:", reply)
	t.Logf("tasks: %v", tasks)
	if completion.Orchestration != nil {
		check(t, nil, tasks[svc.OrchestrationFinalTaskID] && len(tasks) > 1, tasks)
	} else {
		t.Error("the request was not split:", completion.Metadata.Routing.Extra)
	}
}

func testImages(ctx context.Context, client *svc.Client, t *testing.T) {
	images, err := client.GenerateImage(ctx, svc.ImageRequest{Prompt: "A cat", Size: "64x64"})
	check(t, err, images.Data[0].B64JSON != "" && images.Metadata.Billing != nil, images.RequestID)
	edited, err := client.EditImage(ctx, svc.ImageEditRequest{Prompt: "A hat", Size: "64x64",
		Image: svc.ImageInput{"data:image/png;base64," + images.Data[0].B64JSON}})
	check(t, err, edited.Data[0].B64JSON != "", edited.RequestID)
}

func testCatalog(ctx context.Context, client *svc.Client, t *testing.T) {
	list, err := client.ListModels(ctx)
	check(t, err, len(list.Data.Models) > 0 && list.Data.Models[0].ID != "", list)
	chinese, err := client.ListModelsWithOptions(ctx, svc.ListModelsOptions{Locale: "zh"})
	check(t, err, chinese.Data.Models[0].Description != list.Data.Models[0].Description, chinese)
	meta, err := client.GetModelMeta(ctx)
	check(t, err, len(meta.Tiers) > 0 && meta.UpdatedAt != "", meta)
	pricing, err := client.GetPricing(ctx, svc.CallLocale("zh"))
	check(t, err, pricing.Currency == "credits" && len(pricing.Tiers) > 0, pricing)
}

func testErrors(ctx context.Context, client *svc.Client, t *testing.T) {
	request := svc.ResponseRequest{Input: svc.TextInput("Hi"), Tools: []svc.ResponseTool{{Type: "web_search"}, {Type: "web_search_preview"}}}
	_, err := client.CreateResponse(ctx, request)
	var failure *svc.APIError
	check(t, nil, errors.As(err, &failure) && failure.StatusCode == 400 && failure.Code == "conflicting_tools" && failure.RequestID != "", err)
}
