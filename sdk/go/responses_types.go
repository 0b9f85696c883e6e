package svc

import (
	"encoding/json"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// ResponseRequest asks for a response. Fields without a member stand in Extra.
type ResponseRequest struct {
	// Model is empty or [ModelAuto].
	Model string `json:"model,omitempty"`
	// Input is the question, or the conversation so far.
	Input ResponseInput `json:"input,omitempty"`
	// Instructions stand before the rest of the input.
	Instructions string `json:"instructions,omitempty"`
	// Tools are the tools that the model may call, in their flat form. A list that is not nil, even
	// an empty one, is sent unchanged and takes the place of the client's tools.
	Tools []ResponseTool `json:"tools,omitempty"`
	// ToolChoice limits or forces tool calls; the model decides where it is zero.
	ToolChoice ResponseToolChoice `json:"tool_choice,omitempty"`
	// ParallelToolCalls is false for at most one tool call a turn.
	ParallelToolCalls *bool `json:"parallel_tool_calls,omitempty"`
	// Text is the form of the answer's text; nil: plain text.
	Text json.RawMessage `json:"text,omitempty"`
	// Reasoning is the amount of reasoning; nil: the model's own.
	Reasoning json.RawMessage `json:"reasoning,omitempty"`
	// MaxOutputTokens is the longest output in tokens, reasoning included; 0: the model's.
	MaxOutputTokens int64 `json:"max_output_tokens,omitempty"`
	// Metadata are the caller's own pairs; request_id, routing and billing are the service's.
	Metadata map[string]string `json:"metadata,omitempty"`
	// Store is false for a response that is not to be kept; nil: it is.
	Store *bool `json:"store,omitempty"`
	// PreviousResponseID is the response that this one continues.
	PreviousResponseID string `json:"previous_response_id,omitempty"`
	// Temperature is the randomness of the answer, from 0; nil: the model's own.
	Temperature *float64 `json:"temperature,omitempty"`
	// TopP is the share of the likeliest tokens that are drawn from, 0 to 1; nil: the model's own.
	TopP *float64 `json:"top_p,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ResponseInput is a text, or a list of items where Items is not nil.
type ResponseInput struct {
	Text  string
	Items []ResponseItem
	given bool
}

// TextInput returns a text as input. An empty text is sent as one.
func TextInput(text string) ResponseInput { return ResponseInput{Text: text, given: true} }

// IsZero reports that there is no input.
func (i ResponseInput) IsZero() bool { return i.Text == "" && i.Items == nil && !i.given }

// MarshalJSON writes a string or an array.
func (i ResponseInput) MarshalJSON() ([]byte, error) {
	if i.Items != nil {
		return fields.JSON(i.Items)
	}
	return fields.JSON(i.Text)
}

// UnmarshalJSON reads a string or an array.
func (i *ResponseInput) UnmarshalJSON(data []byte) error {
	*i = ResponseInput{given: true}
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &i.Items)
	}
	return json.Unmarshal(data, &i.Text)
}

// ResponseItem is an item of an input or of an output. Its type tells which members it has. Send
// the items of an output back whole.
type ResponseItem struct {
	// Type is message, function_call, function_call_output, custom_tool_call, reasoning,
	// web_search_call, file_search_call, or another kind. An input message may leave it out.
	Type string `json:"type,omitempty"`
	// ID names the item.
	ID string `json:"id,omitempty"`
	// Role is that of a message.
	Role string `json:"role,omitempty"`
	// Status is in_progress, completed or incomplete.
	Status string `json:"status,omitempty"`
	// Content is that of a message, or the reasoning itself.
	Content ResponseContent `json:"content,omitempty"`
	// Summary is that of reasoning.
	Summary []ResponsePart `json:"summary,omitempty"`
	// CallID names a call; the item with the result repeats it.
	CallID string `json:"call_id,omitempty"`
	// Name is that of the called tool.
	Name string `json:"name,omitempty"`
	// Arguments is the input of a function call as JSON text.
	Arguments string `json:"arguments,omitempty"`
	// Input is the text that a custom tool is called with.
	Input string `json:"input,omitempty"`
	// Output is the result of a call.
	Output ResponseContent `json:"output,omitempty"`
	// ExtraContent holds extensions of the provider, preserved byte for byte.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// ThoughtSignature is a signature of some providers, preserved byte for byte.
	ThoughtSignature string `json:"thought_signature,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// UserItem returns a message of the role user.
func UserItem(text string) ResponseItem {
	return ResponseItem{Type: "message", Role: "user", Content: TextContent[ResponsePart](text)}
}

// FunctionCallOutput returns the result of a call, for manual loops.
func FunctionCallOutput(callID, text string) ResponseItem {
	return ResponseItem{Type: "function_call_output", CallID: callID, Output: TextContent[ResponsePart](text)}
}

// ResponsePart is a part of an item's content.
type ResponsePart struct {
	// Type is input_text, input_image, output_text, refusal, reasoning_text, summary_text, or
	// another kind.
	Type string `json:"type"`
	// Text is the text of a part that has one.
	Text string `json:"text,omitempty"`
	// Refusal is the text of a refusal.
	Refusal string `json:"refusal,omitempty"`
	// ImageURL is an http(s) URL or a base64 data URI.
	ImageURL string `json:"image_url,omitempty"`
	// Annotations are the sources that the text cites.
	Annotations []json.RawMessage `json:"annotations,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

func (p ResponsePart) partText() string { return p.Text }

// ResponseTool declares a function, or a tool that the service runs.
type ResponseTool struct {
	// Type is function, or that of a hosted tool: web_search_preview or file_search.
	Type string `json:"type"`
	// Name is that of a function.
	Name string `json:"name,omitempty"`
	// Description is the purpose; the model reads it to decide on a call.
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the input; nil: it takes none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Strict is true when the input must follow the schema exactly.
	Strict *bool `json:"strict,omitempty"`
	// VectorStoreIDs are the stores of file_search, which must not be empty.
	VectorStoreIDs []string `json:"vector_store_ids,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// Response is a complete response.
type Response struct {
	// ID is the same in every event of a stream.
	ID string `json:"id"`
	// Object is response.
	Object string `json:"object"`
	// CreatedAt is a Unix time in seconds.
	CreatedAt int64 `json:"created_at"`
	// Status is completed, incomplete, failed, or another state.
	Status string `json:"status"`
	// IncompleteDetails is set where Status is incomplete.
	IncompleteDetails *IncompleteDetails `json:"incomplete_details,omitempty"`
	// Error is set where Status is failed.
	Error *ResponseFailure `json:"error,omitempty"`
	// Model is the catalog id of the model that answered.
	Model string `json:"model"`
	// Output are the items, in order.
	Output []ResponseItem `json:"output"`
	// Usage is nil where neither the response nor its bill has counts.
	Usage *ResponseUsage `json:"usage,omitempty"`
	// Metadata are the caller's pairs, the route and the bill.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Orchestration is present where the request was split into tasks.
	Orchestration *Orchestration `json:"orchestration,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// OutputText returns the joined output_text of all messages.
func (r *Response) OutputText() string {
	var text strings.Builder
	for _, item := range r.Output {
		if item.Type != "message" {
			continue
		}
		for _, part := range item.Content.Parts {
			if part.Type == "output_text" {
				text.WriteString(part.Text)
			}
		}
	}
	return text.String()
}

// IncompleteDetails tells why a response is incomplete.
type IncompleteDetails struct {
	// Reason is max_output_tokens or content_filter.
	Reason string `json:"reason"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ResponseFailure describes a failure.
type ResponseFailure struct {
	// Code is the kind of the failure.
	Code string `json:"code,omitempty"`
	// Message is a sentence for a person.
	Message string `json:"message,omitempty"`
	// Param is the field of the request that failed.
	Param string `json:"param,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ResponseUsage counts tokens.
type ResponseUsage struct {
	// InputTokens is the input, cached tokens included.
	InputTokens int64 `json:"input_tokens"`
	// InputTokensDetails is nil where the upstream does not say.
	InputTokensDetails *InputTokensDetails `json:"input_tokens_details,omitempty"`
	// OutputTokens is the output, reasoning included.
	OutputTokens int64 `json:"output_tokens"`
	// OutputTokensDetails is nil where the upstream does not say.
	OutputTokensDetails *OutputTokensDetails `json:"output_tokens_details,omitempty"`
	// TotalTokens is the sum of the two.
	TotalTokens int64 `json:"total_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// InputTokensDetails are kinds of input tokens.
type InputTokensDetails struct {
	// CachedTokens were read from the provider's cache.
	CachedTokens int64 `json:"cached_tokens"`
	// CacheWriteTokens were written to the provider's cache.
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OutputTokensDetails are kinds of output tokens.
type OutputTokensDetails struct {
	// ReasoningTokens were spent on reasoning.
	ReasoningTokens int64 `json:"reasoning_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ResponseEvent is an event of a streamed response. Its type tells which members it has.
type ResponseEvent struct {
	// Type is for instance response.output_text.delta or response.completed.
	Type string `json:"type"`
	// SequenceNumber is the position in the stream, where the event has one.
	SequenceNumber *int64 `json:"sequence_number,omitempty"`
	// Response is the resource at this point of the stream.
	Response *Response `json:"response,omitempty"`
	// OutputIndex is the position of the item in the output.
	OutputIndex *int `json:"output_index,omitempty"`
	// ItemID names the item.
	ItemID string `json:"item_id,omitempty"`
	// ContentIndex is the position of the part in the item.
	ContentIndex *int `json:"content_index,omitempty"`
	// Item is the item that begins or is done.
	Item *ResponseItem `json:"item,omitempty"`
	// Part is the part that begins or is done.
	Part *ResponsePart `json:"part,omitempty"`
	// Delta is the next piece of text, of reasoning or of arguments.
	Delta string `json:"delta,omitempty"`
	// Text is a whole text.
	Text string `json:"text,omitempty"`
	// Code is that of an event of the type error.
	Code string `json:"code,omitempty"`
	// Message is that of an event of the type error.
	Message string `json:"message,omitempty"`
	// Param is that of an event of the type error.
	Param string `json:"param,omitempty"`
	// Orchestration is set on events of sub-tasks; see [ResponseEvent.IsReply].
	Orchestration *ChunkOrchestration `json:"orchestration,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
