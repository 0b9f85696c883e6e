package svc

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

var background = context.Background()

func refusedUnsent(t *testing.T, s *service, err error) {
	t.Helper()
	var configuration *ConfigurationError
	if !errors.As(err, &configuration) {
		t.Errorf("got the error %v, want a ConfigurationError", err)
	}
	if count := len(s.requests()); count != 0 {
		t.Errorf("%d requests were sent", count)
	}
}

func TestSpec_2_1_AcceptedModel(t *testing.T) {
	message := `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}`
	response := `{"status":"completed","output":[]}`
	images := `{"created":1,"data":[{"url":"https://a.example/1.png"}]}`
	s := newService(t, reply{body: message}, reply{body: response}, reply{body: message}, reply{body: images}, reply{body: images})
	c := s.client(t)
	calls := []func() error{
		func() error { _, err := c.CreateChatCompletion(background, say("Hi")); return err },
		func() error {
			_, err := c.CreateResponse(background, ResponseRequest{Input: TextInput("Hi")})
			return err
		},
		func() error {
			_, err := c.CreateMessage(background, MessageRequest{Messages: []MessageParam{UserParam("Hi")}})
			return err
		},
		func() error { _, err := c.GenerateImage(background, ImageRequest{Prompt: "A cat"}); return err },
		func() error {
			_, err := c.EditImage(background, ImageEditRequest{Prompt: "A hat", Image: ImageInput{"https://a.example"}})
			return err
		},
	}
	for at, call := range calls {
		if err := call(); err != nil {
			t.Fatal(at, err)
		}
		equal(t, s.requests()[at].Body["model"], any("auto"))
	}
}

func TestSpec_2_1_CatalogIdentifiersAreRefused(t *testing.T) {
	s := newService(t)
	c := s.client(t)
	chat, response, message := say("Hi"), ResponseRequest{Input: TextInput("Hi")}, MessageRequest{Messages: []MessageParam{UserParam("Hi")}}
	chat.Model, response.Model, message.Model = "gpt-5", "gpt-5", "gpt-5"
	_, err := c.CreateChatCompletion(background, chat)
	refusedUnsent(t, s, err)
	_, err = c.CreateResponse(background, response)
	refusedUnsent(t, s, err)
	_, err = c.CreateMessage(background, message)
	refusedUnsent(t, s, err)
	_, err = c.GenerateImage(background, ImageRequest{Model: "gpt-image", Prompt: "A cat"})
	refusedUnsent(t, s, err)
	chat.Model, chat.Extra = "", Extra{"model": json.RawMessage(`"gpt-5"`)}
	_, err = c.CreateChatCompletion(background, chat)
	refusedUnsent(t, s, err)
}

func TestSpec_2_1_ImageEditModel(t *testing.T) {
	s := newService(t)
	_, err := s.client(t).EditImage(background, ImageEditRequest{Model: "gpt-image", Prompt: "A hat", Image: ImageInput{"data:,"}})
	refusedUnsent(t, s, err)
}

func TestSpec_2_1_Constant(t *testing.T) { equal(t, ModelAuto, "auto") }

const catalogBody = `{"success":true,"data":{"models":[{"id":"fast-mini","name":"Fast","provider":"openai",` +
	`"description":"d","modality":"text","endpoints":["chat"],"contextTokens":1000,"maxOutputTokens":null,` +
	`"featureTags":["tools"],"industryPacks":[],"sku":"text","tiers":["standard"],"status":"available","new":1}]}}`

func TestSpec_2_2_ModelsInData(t *testing.T) {
	s := newService(t, reply{body: catalogBody})
	list, err := s.client(t).ListModels(background)
	if err != nil {
		t.Fatal(err)
	}
	model := list.Data.Models[0]
	equal(t, model.ID+model.SKU+model.FeatureTags[0], "fast-minitexttools")
	equal(t, *model.ContextTokens, 1000)
	equal(t, string(model.Extra["new"]), "1")
}

func TestSpec_2_2_Locale(t *testing.T) {
	s := newService(t, reply{body: catalogBody}, reply{body: catalogBody})
	c := s.client(t)
	if _, err := c.ListModelsWithOptions(background, ListModelsOptions{Locale: "zh"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.ListModels(background); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Path, "/api/v1/models?locale=zh")
	equal(t, s.requests()[1].Path, "/api/v1/models")
}

func TestSpec_2_3_Metadata(t *testing.T) {
	s := newService(t, reply{body: `{"tiers":[{"id":"standard","name":"S","description":"","count":2}],"skus":[{"id":"text"}],` +
		`"featureTags":[{"id":"tools"}],"industryPacks":[{"id":"law"}],"providers":[{"id":"openai"}],"updatedAt":"2026-01-01T00:00:00Z"}`})
	meta, err := s.client(t).GetModelMeta(background)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, meta.Tiers[0].Count, 2)
	got := meta.SKUs[0].ID + meta.FeatureTags[0].ID + meta.IndustryPacks[0].ID + meta.Providers[0].ID + meta.UpdatedAt
	equal(t, got, "texttoolslawopenai2026-01-01T00:00:00Z")
}

func TestSpec_2_4_Pricing(t *testing.T) {
	s := newService(t, reply{body: `{"currency":"credits","tiers":[{"tier":"standard","exchangeRate":{"usd":"1","credits":"1000"}}],"updatedAt":"u"}`})
	pricing, err := s.client(t).GetPricing(background)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, pricing.Currency+pricing.Tiers[0].Tier+pricing.Tiers[0].ExchangeRate.Credits, "creditsstandard1000")
}

func TestSpec_2_5_Request(t *testing.T) {
	s := newService(t, spokenAnswer("Hello"))
	request := say("Hi")
	request.Tools = []ChatTool{{Type: "web_search_preview"}}
	request.Extra = Extra{"seed": json.RawMessage("7")}
	if _, err := s.client(t).CreateChatCompletion(background, request); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Raw, `{"model":"auto","messages":[{"role":"user","content":"Hi"}],`+
		`"tools":[{"type":"web_search_preview"}],"seed":7,"stream":false}`)
}

func TestSpec_2_5_FinalTextAndMetadata(t *testing.T) {
	s := newService(t, spokenAnswer("Hello"))
	completion, err := s.client(t).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Choices[0].Message.Content.Text, "Hello")
	equal(t, completion.RequestID, "req_1")
	equal(t, completion.Metadata.Billing.Charged, "0.100000")
}

func TestSpec_2_5_UsageFromBilling(t *testing.T) {
	s := newService(t, reply{body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],` +
		`"metadata":{"billing":{"charged":"1","input_tokens":3,"cached_input_tokens":1,"output_tokens":4,"total_tokens":7}}}`})
	completion, err := s.client(t).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Usage.PromptTokens, 3)
	equal(t, completion.Usage.CompletionTokens, 4)
	equal(t, completion.Usage.TotalTokens, 7)
	equal(t, completion.Usage.PromptTokensDetails.CachedTokens, 1)
}

func TestSpec_2_5_Orchestration(t *testing.T) {
	s := newService(t, reply{body: `{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],` +
		`"orchestration":{"tasks":[{"task_id":"tea","title":"Tea","status":"done"}],"final_task_id":"final"}}`})
	completion, err := s.client(t).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Orchestration.Tasks[0].TaskID+completion.Orchestration.FinalTaskID, "teafinal")
}

func TestSpec_2_6_Input(t *testing.T) {
	s := newService(t, reply{body: `{"status":"completed","output":[]}`}, reply{body: `{"status":"completed","output":[]}`})
	c := s.client(t)
	for _, input := range []ResponseInput{TextInput("Hi"), {Items: []ResponseItem{UserItem("Hi")}}} {
		if _, err := c.CreateResponse(background, ResponseRequest{Input: input}); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, s.requests()[0].Raw, `{"model":"auto","input":"Hi","stream":false}`)
	equal(t, s.requests()[1].Raw, `{"model":"auto","input":[{"type":"message","role":"user","content":"Hi"}],"stream":false}`)
}

func TestSpec_2_6_FlatToolsAndFunctionCallOutput(t *testing.T) {
	s := newService(t,
		reply{body: `{"status":"completed","output":[{"type":"function_call","id":"fc_1","call_id":"call_1","name":"double","arguments":"{\"n\":2}"}]}`},
		reply{body: `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"4"}]}]}`})
	result, err := s.client(t).RunResponse(background, ResponseRequest{Input: TextInput("Double 2")}, RunResponseOptions{Tools: []Tool{echo("double")}})
	if err != nil {
		t.Fatal(err)
	}
	first, second := s.requests()[0].Raw, s.requests()[1].Raw
	if !strings.Contains(first, `"tools":[{"type":"function","name":"double","parameters":{"type":"object"},"strict":false}]`) {
		t.Error("the tools are not flat:", first)
	}
	if !strings.Contains(second, `{"type":"function_call_output","call_id":"call_1","output":"{\"n\":2}"}`) {
		t.Error("the result is not fed back:", second)
	}
	equal(t, result.OutputText, "4")
}

func TestSpec_2_6_OutputText(t *testing.T) {
	s := newService(t, reply{body: `{"status":"completed","output":[{"type":"message","content":[{"type":"output_text","text":"a"},` +
		`{"type":"refusal","refusal":"no"},{"type":"output_text","text":"b"}]},{"type":"web_search_call","id":"ws_1"},` +
		`{"type":"message","content":[{"type":"output_text","text":"c"}]}]}`})
	response, err := s.client(t).CreateResponse(background, ResponseRequest{Input: TextInput("Hi")})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, response.OutputText(), "abc")
	equal(t, response.Output[1].Type, "web_search_call")
}

func TestSpec_2_6_HostedTools(t *testing.T) {
	s := newService(t, reply{body: `{"status":"completed","output":[]}`})
	request := ResponseRequest{Input: TextInput("Hi"), Tools: []ResponseTool{
		{Type: "web_search_preview"}, {Type: "file_search", VectorStoreIDs: []string{"vs_1"}}, {Type: "function", Name: "file_search"}}}
	if _, err := s.client(t).CreateResponse(background, request); err != nil {
		t.Fatal(err)
	}
	if raw := s.requests()[0].Raw; !strings.Contains(raw, `"tools":[{"type":"web_search_preview"},`+
		`{"type":"file_search","vector_store_ids":["vs_1"]},{"type":"function","name":"file_search"}]`) {
		t.Error(raw)
	}
}

func TestSpec_2_7_Generation(t *testing.T) {
	s := newService(t, reply{body: `{"created":1,"data":[{"b64_json":"aGk="}],"metadata":{"request_id":"req_9"}}`})
	images, err := s.client(t).GenerateImage(background, ImageRequest{Prompt: "A cat", Size: "512x256", ResponseFormat: "b64_json"})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, images.Data[0].B64JSON+images.RequestID, "aGk=req_9")
	equal(t, s.requests()[0].Raw, `{"model":"auto","prompt":"A cat","size":"512x256","response_format":"b64_json"}`)
}

func TestSpec_2_7_Edit(t *testing.T) {
	s := newService(t, reply{body: `{"created":1,"data":[{"url":"https://a.example"}]}`}, reply{body: `{"created":1,"data":[{"url":"https://a.example"}]}`})
	c := s.client(t)
	for _, image := range []ImageInput{{"https://a.example/1"}, {"https://a.example/1", "data:image/png;base64,aGk="}} {
		if _, err := c.EditImage(background, ImageEditRequest{Prompt: "A hat", Image: image}); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, s.requests()[0].Raw, `{"model":"auto","prompt":"A hat","image":"https://a.example/1"}`)
	equal(t, s.requests()[1].Raw, `{"model":"auto","prompt":"A hat","image":["https://a.example/1","data:image/png;base64,aGk="]}`)
}

func TestSpec_2_7_NeverStreams(t *testing.T) {
	s := newService(t)
	c := s.client(t)
	streams := Extra{"stream": json.RawMessage(" true ")}
	_, err := c.GenerateImage(background, ImageRequest{Prompt: "A cat", Extra: streams})
	refusedUnsent(t, s, err)
	_, err = c.EditImage(background, ImageEditRequest{Prompt: "A cat", Image: ImageInput{"data:,"}, Extra: streams})
	refusedUnsent(t, s, err)
}

const signedCall = `{"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"a\": 1}"},` +
	`"extra_content":{"google":{"thought_signature":"a<b>&\u00e9/+="},"n":1.50},"thought_signature":"sig/+=","vendor":{"z":1,"a":2}}`

func TestSpec_2_8_SignaturesAreEchoed(t *testing.T) {
	s := newService(t, reply{body: `{"choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[` +
		signedCall + `]},"finish_reason":"tool_calls"}]}`}, spokenAnswer("ok"))
	_, err := s.client(t).RunChatCompletion(background, say("Hi"), RunChatOptions{Tools: []Tool{echo("look")}})
	if err != nil {
		t.Fatal(err)
	}
	if raw := s.requests()[1].Raw; !strings.Contains(raw, signedCall) {
		t.Error("the call came back changed:", raw)
	}
}

func TestSpec_2_8_SignaturesOfAStreamAreEchoed(t *testing.T) {
	s := newService(t, stream(
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"look","arguments":"{\"a\""}}]}}]}`,
		`{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":": 1}"},"extra_content":{"google":{"thought_signature":"a<b>&\u00e9/+="},"n":1.50},"thought_signature":"sig/+=","vendor":{"z":1,"a":2}}]}}]}`,
		`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, done), stream(delta("ok"), finished, done))
	_, err := s.client(t).RunChatCompletionStream(background, say("Hi"), RunChatOptions{Tools: []Tool{echo("look")}})
	if err != nil {
		t.Fatal(err)
	}
	if raw := s.requests()[1].Raw; !strings.Contains(raw, signedCall) {
		t.Error("the call came back changed:", raw)
	}
}

func TestSpec_2_8_ToolIsDeclaredAndRun(t *testing.T) {
	s := newService(t, called("look", `{"a":1}`), spokenAnswer("ok"))
	look := echo("look")
	look.Description, look.Parameters = "Looks", json.RawMessage(`{"type":"object","properties":{"a":{"type":"integer"}}}`)
	result, err := s.client(t, WithTools(look)).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if raw := s.requests()[0].Raw; !strings.Contains(raw, `"tools":[{"type":"function","function":{"name":"look","description":"Looks",`+
		`"parameters":{"type":"object","properties":{"a":{"type":"integer"}}}}}]`) {
		t.Error(raw)
	}
	equal(t, result.Steps[0].Results[0].Text, `{"a":1}`)
}

func TestSpec_2_8_ToolHandlerNotFound(t *testing.T) {
	s := newService(t, called("invented", `{}`), spokenAnswer("ok"))
	result, err := s.client(t, WithTools(echo("look"))).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.Steps[0].Results[0].Text,
		`{"error":{"code":"tool_handler_not_found","message":"There is no handler for a tool named \"invented\""}}`)
}

func TestSpec_2_9_RunResult(t *testing.T) {
	s := newService(t, called("look", `{}`), spokenAnswer("Hello"))
	result, err := s.client(t, WithTools(echo("look"))).RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.FinalText, "Hello")
	equal(t, len(result.Messages), 4)
	equal(t, len(result.Steps), 2)
	equal(t, result.StoppedBy, StoppedByFinish)
	equal(t, result.FinishReason, FinishStop)
	equal(t, result.Usage.TotalTokens, 7)
	equal(t, result.Billing.Charged, "0.300000")
	equal(t, result.RequestID, "req_1")
}

func TestSpec_2_9_InputOfResponses(t *testing.T) {
	s := newService(t, reply{body: `{"status":"completed","output":[{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hello"}]}]}`})
	result, err := s.client(t).RunResponse(background, ResponseRequest{Input: TextInput("Hi")}, RunResponseOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, len(result.Input), 2)
	equal(t, result.Input[0].Content.Text+result.FinalText, "HiHello")
}
