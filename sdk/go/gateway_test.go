//go:build unix

package svc_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	svc "svc.example/sdk/go"
)

// gateway starts the gateway of this checkout on free ports, with its simulator and a store in
// memory, and returns a client. The test is skipped where the gateway cannot be started.
func gateway(t *testing.T, options ...svc.Option) *svc.Client {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: the running gateway is not tested with -short")
	}
	if _, err := exec.LookPath("deno"); err != nil {
		t.Skip("SKIPPED: there is no deno: the client is not tested against the running gateway")
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(checkout, "gateway", "main.ts")); err != nil {
		t.Skip("SKIPPED: there is no checkout around the module: the client is not tested against the running gateway")
	}
	const key = "svc_live_the_key_of_the_go_tests"
	command := exec.Command("deno", "task", "--quiet", "serve")
	command.Dir = checkout
	command.Env = append(os.Environ(), "SERVICE_KV_PATH=:memory:", "SERVICE_PORT=0", "SERVICE_ADMIN_PORT=0",
		"SERVICE_CONFIG=", "SERVICE_BOOTSTRAP_KEY="+key, "NO_COLOR=1")
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		_ = command.Wait()
	})
	addresses := make(chan string, 1)
	go readAddress(bufio.NewScanner(output), addresses)
	select {
	case address := <-addresses:
		if address == "" {
			t.Fatal("the gateway ended before it told its address")
		}
		client, err := svc.NewClient(append([]svc.Option{svc.WithAPIKey(key), svc.WithAPIBaseURL(address)}, options...)...)
		if err != nil {
			t.Fatal(err)
		}
		return client
	case <-time.After(2 * time.Minute):
		t.Fatal("the gateway did not start")
		return nil
	}
}

var publicAddress = regexp.MustCompile(`http://127\.0\.0\.1:\d+/openai`)

// readAddress tells the address that the gateway prints, and then reads until its end.
func readAddress(lines *bufio.Scanner, addresses chan<- string) {
	for lines.Scan() {
		if found := publicAddress.FindString(lines.Text()); found != "" {
			select {
			case addresses <- strings.TrimSuffix(found, "/openai"):
			default:
			}
		}
	}
	select {
	case addresses <- "":
	default:
	}
}

func TestRunningGateway(t *testing.T) {
	folder := t.TempDir()
	client := gateway(t, svc.WithFileWorkspace(folder), svc.WithShellWorkspace(folder))
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	for name, test := range map[string]func(context.Context, *svc.Client, *testing.T){
		"chat": testChat, "responses": testResponses, "messages": testMessages, "hosted": testHosted,
		"orchestration": testOrchestration, "images": testImages, "catalog": testCatalog, "errors": testErrors,
	} {
		t.Run(name, func(t *testing.T) { test(ctx, client, t) })
	}
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
