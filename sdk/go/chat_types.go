package svc

import "encoding/json"

// ModelAuto is the only model that a request may name: the service chooses the model itself.
const ModelAuto = "auto"

// Extra holds the fields of a JSON object that the members of its struct cannot: unknown ones, and
// those whose value is null, empty, or of another kind. They are sent as they are; a member that is
// set wins over a field of its name.
type Extra = map[string]json.RawMessage

// ChatRequest asks for a chat completion. Fields without a member stand in Extra.
type ChatRequest struct {
	// Model is empty or [ModelAuto].
	Model string `json:"model,omitempty"`
	// Messages is the conversation so far, oldest first.
	Messages []ChatMessage `json:"messages"`
	// Tools are the tools that the model may call. A list that is not nil, even an empty one, is
	// sent unchanged and takes the place of the client's tools.
	Tools []ChatTool `json:"tools,omitempty"`
	// ToolChoice limits or forces tool calls; the model decides where it is zero.
	ToolChoice ChatToolChoice `json:"tool_choice,omitempty"`
	// ParallelToolCalls is false for at most one tool call a turn.
	ParallelToolCalls *bool `json:"parallel_tool_calls,omitempty"`
	// ResponseFormat is the form that the answer must have; nil: plain text.
	ResponseFormat json.RawMessage `json:"response_format,omitempty"`
	// MaxCompletionTokens is the longest output in tokens, reasoning included; 0: the model's.
	MaxCompletionTokens int64 `json:"max_completion_tokens,omitempty"`
	// Stop ends the answer where the model writes one of these texts.
	Stop []string `json:"stop,omitempty"`
	// Temperature is the randomness of the answer, from 0; nil: the model's own.
	Temperature *float64 `json:"temperature,omitempty"`
	// TopP is the share of the likeliest tokens that are drawn from, 0 to 1; nil: the model's own.
	TopP *float64 `json:"top_p,omitempty"`
	// ReasoningEffort is the effort of models that reason.
	ReasoningEffort string `json:"reasoning_effort,omitempty"`
	// Extra holds further fields; they reach the provider as they are.
	Extra Extra `json:"-"`
}

// ChatMessage is one message of a conversation, or the message of an answer. Send the message of an
// answer back whole.
type ChatMessage struct {
	// Role is system, developer, user, assistant or tool.
	Role string `json:"role"`
	// Content is the text, or the parts.
	Content ChatContent `json:"content,omitempty"`
	// Refusal is the text of a refusal.
	Refusal string `json:"refusal,omitempty"`
	// ReasoningContent is the reasoning, where the provider shows it.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	// Name tells apart speakers of the same role.
	Name string `json:"name,omitempty"`
	// ToolCalls are the calls that an assistant's message made.
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// FunctionCall is the older form of a single call.
	FunctionCall *ToolCallFunction `json:"function_call,omitempty"`
	// ToolCallID names the call that a message of the role tool answers.
	ToolCallID string `json:"tool_call_id,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// UserMessage returns a message of the role user.
func UserMessage(text string) ChatMessage {
	return ChatMessage{Role: "user", Content: TextContent[ChatPart](text)}
}

// SystemMessage returns a message of the role system.
func SystemMessage(text string) ChatMessage {
	return ChatMessage{Role: "system", Content: TextContent[ChatPart](text)}
}

// ToolMessage returns the result of a call, for manual loops.
func ToolMessage(toolCallID, text string) ChatMessage {
	return ChatMessage{Role: "tool", ToolCallID: toolCallID, Content: TextContent[ChatPart](text)}
}

// ChatPart is a part of a message's content: a text, an image, or another kind.
type ChatPart struct {
	// Type is text, image_url, or what a provider adds.
	Type string `json:"type"`
	// Text is the text of a part of the type text.
	Text string `json:"text,omitempty"`
	// ImageURL is the image of a part of the type image_url.
	ImageURL *ImageURL `json:"image_url,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

func (p ChatPart) partText() string { return p.Text }

// ImageURL is the address of an image and the detail in which the model sees it.
type ImageURL struct {
	// URL is an http(s) URL or a base64 data URI.
	URL string `json:"url"`
	// Detail is auto, low or high; empty: the provider's choice.
	Detail string `json:"detail,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ToolCall is a call of a model. Send it back whole on the continuation turn: ExtraContent and
// ThoughtSignature are opaque to all but the provider that wrote them.
type ToolCall struct {
	// ID names the call; the message with the result repeats it.
	ID string `json:"id"`
	// Type is function.
	Type string `json:"type,omitempty"`
	// Function has the name and the arguments.
	Function ToolCallFunction `json:"function,omitempty"`
	// ExtraContent holds extensions of the provider, preserved byte for byte.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// ThoughtSignature is a signature of some providers, preserved byte for byte.
	ThoughtSignature string `json:"thought_signature,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ToolCallFunction is the function that a tool call names, with its input.
type ToolCallFunction struct {
	// Name is that of a declared tool; models do invent others.
	Name string `json:"name"`
	// Arguments is the input as JSON text; a model may write text that does not parse.
	Arguments string `json:"arguments"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// IsZero reports that the call names no function, as that of a custom tool.
func (f ToolCallFunction) IsZero() bool { return f.Name == "" && f.Arguments == "" && f.Extra == nil }

// ChatTool declares a function, or a tool that the service runs.
type ChatTool struct {
	// Type is function, or that of a hosted tool: web_search_preview or file_search.
	Type string `json:"type"`
	// Function is the declaration where Type is function.
	Function *FunctionDefinition `json:"function,omitempty"`
	// VectorStoreIDs are the stores of file_search, which must not be empty.
	VectorStoreIDs []string `json:"vector_store_ids,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// FunctionDefinition declares a function to the model.
type FunctionDefinition struct {
	// Name is 1 to 64 of [A-Za-z0-9_-].
	Name string `json:"name"`
	// Description is the purpose; the model reads it to decide on a call.
	Description string `json:"description,omitempty"`
	// Parameters is the JSON Schema of the input; nil: it takes none.
	Parameters json.RawMessage `json:"parameters,omitempty"`
	// Strict is true when the input must follow the schema exactly.
	Strict *bool `json:"strict,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ChatCompletion is a complete answer.
type ChatCompletion struct {
	// ID is that of the answer; bills and logs go by RequestID.
	ID string `json:"id"`
	// Object is chat.completion.
	Object string `json:"object"`
	// Created is a Unix time in seconds.
	Created int64 `json:"created"`
	// Model is the catalog id of the model that answered.
	Model string `json:"model"`
	// Choices is one answer, unless the request asked for more.
	Choices []ChatChoice `json:"choices"`
	// Usage is nil where neither the answer nor its bill has counts.
	Usage *ChatUsage `json:"usage,omitempty"`
	// Metadata is the route and the bill, where available.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Orchestration is present where the request was split into tasks.
	Orchestration *Orchestration `json:"orchestration,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// Text returns the text of the first choice; empty without one.
func (c *ChatCompletion) Text() string {
	if len(c.Choices) == 0 {
		return ""
	}
	return c.Choices[0].Message.Content.String()
}

// ChatChoice is one answer of a completion.
type ChatChoice struct {
	// Index is the position among the choices, from 0.
	Index int `json:"index"`
	// Message is the answer.
	Message ChatMessage `json:"message"`
	// FinishReason is the reason for its end; length means that it was cut.
	FinishReason string `json:"finish_reason,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ChatUsage counts tokens.
type ChatUsage struct {
	// PromptTokens is the input, cached tokens included.
	PromptTokens int64 `json:"prompt_tokens"`
	// CompletionTokens is the output of all choices, reasoning included.
	CompletionTokens int64 `json:"completion_tokens"`
	// TotalTokens is the sum of the two.
	TotalTokens int64 `json:"total_tokens"`
	// PromptTokensDetails is nil where the upstream does not say.
	PromptTokensDetails *PromptTokensDetails `json:"prompt_tokens_details,omitempty"`
	// CompletionTokensDetails is nil where the upstream does not say.
	CompletionTokensDetails *CompletionTokensDetails `json:"completion_tokens_details,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// PromptTokensDetails are kinds of input tokens.
type PromptTokensDetails struct {
	// CachedTokens were read from the provider's cache.
	CachedTokens int64 `json:"cached_tokens,omitempty"`
	// CacheWriteTokens were written to the provider's cache.
	CacheWriteTokens int64 `json:"cache_write_tokens,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// CompletionTokensDetails are kinds of output tokens.
type CompletionTokensDetails struct {
	// ReasoningTokens were spent on reasoning that the answer does not show.
	ReasoningTokens int64 `json:"reasoning_tokens,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ChatChunk is one event of a streamed answer. Choices is empty where it carries only usage and
// metadata.
type ChatChunk struct {
	// ID is the same on every chunk of an answer.
	ID string `json:"id"`
	// Object is chat.completion.chunk.
	Object string `json:"object"`
	// Created is a Unix time in seconds.
	Created int64 `json:"created"`
	// Model is the catalog id of the model that answers.
	Model string `json:"model"`
	// Choices are the increments; check the length before indexing. Never nil.
	Choices []ChunkChoice `json:"choices"`
	// Usage is on the last chunk.
	Usage *ChatUsage `json:"usage,omitempty"`
	// Metadata is the route and the bill, on the last chunk.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Orchestration is set on chunks of sub-tasks; see [ChatChunk.IsReply].
	Orchestration *ChunkOrchestration `json:"orchestration,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// Text returns the piece of text of the first choice; empty without one.
func (c *ChatChunk) Text() string {
	for _, choice := range c.Choices {
		if choice.Index == 0 {
			return choice.Delta.Content.String()
		}
	}
	return ""
}

// ChunkChoice is a piece of a choice.
type ChunkChoice struct {
	// Index is the position of the choice that it belongs to, from 0.
	Index int `json:"index"`
	// Delta is the increment.
	Delta ChatDelta `json:"delta"`
	// FinishReason is empty until the choice's last piece.
	FinishReason string `json:"finish_reason,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ChatDelta is a piece of a message.
type ChatDelta struct {
	// Role is on a choice's first piece.
	Role string `json:"role,omitempty"`
	// Content is the next piece of the text.
	Content ChatContent `json:"content,omitempty"`
	// Refusal is the next piece of a refusal.
	Refusal string `json:"refusal,omitempty"`
	// ReasoningContent is the next piece of the reasoning.
	ReasoningContent string `json:"reasoning_content,omitempty"`
	// ToolCalls are pieces of tool calls, to be joined by index.
	ToolCalls []ToolCallDelta `json:"tool_calls,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ToolCallDelta is a piece of a tool call.
type ToolCallDelta struct {
	// Index is the position of its call in the message, from 0.
	Index *int `json:"index,omitempty"`
	// ID is on the call's first piece.
	ID string `json:"id,omitempty"`
	// Type is on the call's first piece.
	Type string `json:"type,omitempty"`
	// Function has the name and the arguments, as far as they have arrived.
	Function FunctionDelta `json:"function,omitempty"`
	// ExtraContent holds extensions of the provider; pieces are merged deeply.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// ThoughtSignature is opaque; a later one replaces an earlier one.
	ThoughtSignature string `json:"thought_signature,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// FunctionDelta is a piece of the function that a tool call names.
type FunctionDelta struct {
	// Name is whole, on the call's first piece.
	Name string `json:"name,omitempty"`
	// Arguments is the next piece of the JSON text.
	Arguments string `json:"arguments,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// IsZero reports that the piece has neither name nor arguments nor another field.
func (f FunctionDelta) IsZero() bool { return f.Name == "" && f.Arguments == "" && f.Extra == nil }
