package svc

import "encoding/json"

// MessageRequest asks for a message in Anthropic's shapes. It is converted to a chat completion
// before it is sent. Fields without a member stand in Extra.
type MessageRequest struct {
	// Model is empty or [ModelAuto].
	Model string `json:"model,omitempty"`
	// Messages is the conversation so far, oldest first.
	Messages []MessageParam `json:"messages"`
	// MaxTokens is the longest output in tokens, thinking included; 0: the model's.
	MaxTokens int64 `json:"max_tokens,omitempty"`
	// System are instructions that stand before the conversation.
	System BlockContent `json:"system,omitempty"`
	// Tools are the tools that the model may call. A list that is not nil, even an empty one, is
	// sent unchanged and takes the place of the client's tools.
	Tools []MessageTool `json:"tools,omitempty"`
	// ToolChoice limits or forces tool calls; nil: the model decides.
	ToolChoice *MessageToolChoice `json:"tool_choice,omitempty"`
	// StopSequences end the answer where the model writes one.
	StopSequences []string `json:"stop_sequences,omitempty"`
	// Temperature is the randomness of the answer, from 0; nil: the model's own.
	Temperature *float64 `json:"temperature,omitempty"`
	// TopP is the share of the likeliest tokens that are drawn from, 0 to 1; nil: the model's own.
	TopP *float64 `json:"top_p,omitempty"`
	// TopK is the number of the likeliest tokens that are drawn from; 0: the model's own.
	TopK int64 `json:"top_k,omitempty"`
	// Thinking is the reasoning before the answer.
	Thinking *ThinkingConfig `json:"thinking,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageParam is a message of a conversation.
type MessageParam struct {
	// Role is user, assistant or system.
	Role string `json:"role"`
	// Content is a text, or blocks; it must not be missing.
	Content BlockContent `json:"content,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// UserParam returns a message of the role user.
func UserParam(text string) MessageParam {
	return MessageParam{Role: "user", Content: TextContent[Block](text)}
}

// ThinkingConfig sets the reasoning before an answer.
type ThinkingConfig struct {
	// Type is enabled, adaptive or disabled.
	Type string `json:"type"`
	// BudgetTokens is for reasoning with the type enabled; Chat's nearest effort is sent instead.
	BudgetTokens int64 `json:"budget_tokens,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageTool declares a function, or the hosted web search.
type MessageTool struct {
	// Type is empty or custom for a function; web_search_20250305 and its successors for the search.
	Type string `json:"type,omitempty"`
	// Name is 1 to 128 of [A-Za-z0-9_-].
	Name string `json:"name,omitempty"`
	// Description is the purpose; the model reads it to decide on a call.
	Description string `json:"description,omitempty"`
	// InputSchema is the JSON Schema of the input.
	InputSchema json.RawMessage `json:"input_schema,omitempty"`
	// Strict is true when the input must follow the schema exactly.
	Strict *bool `json:"strict,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageToolChoice limits or forces tool calls.
type MessageToolChoice struct {
	// Type is auto, any, tool or none.
	Type string `json:"type"`
	// Name is that of the tool where Type is tool.
	Name string `json:"name,omitempty"`
	// DisableParallelToolUse is true for at most one tool call a turn.
	DisableParallelToolUse bool `json:"disable_parallel_tool_use,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// Block is a block of a message's content. Its type tells which members it has. Send a tool_use
// block back whole.
type Block struct {
	// Type is text, image, document, search_result, thinking, redacted_thinking, tool_use or
	// tool_result.
	Type string `json:"type"`
	// Text is that of a text block.
	Text string `json:"text,omitempty"`
	// Thinking is that of a thinking block.
	Thinking string `json:"thinking,omitempty"`
	// Signature is opaque; that of a thinking block.
	Signature string `json:"signature,omitempty"`
	// Data is opaque; that of a redacted_thinking block.
	Data string `json:"data,omitempty"`
	// ID names a tool_use block; the tool_result block repeats it.
	ID string `json:"id,omitempty"`
	// Name is that of the called tool.
	Name string `json:"name,omitempty"`
	// Input is that of a tool_use block: a JSON object.
	Input json.RawMessage `json:"input,omitempty"`
	// Arguments is the input as the model wrote it, where Input written again would be another text.
	// It is sent back to the model as long as Input is unchanged.
	Arguments string `json:"arguments,omitempty"`
	// ToolUseID is the call that a tool_result block answers.
	ToolUseID string `json:"tool_use_id,omitempty"`
	// Content is that of a tool_result block.
	Content BlockContent `json:"content,omitempty"`
	// IsError is true for the result of a tool that failed.
	IsError bool `json:"is_error,omitempty"`
	// Source is the bytes or the address of an image or a document.
	Source json.RawMessage `json:"source,omitempty"`
	// CacheControl marks the end of what a cache may keep.
	CacheControl json.RawMessage `json:"cache_control,omitempty"`
	// ExtraContent holds extensions of the provider, preserved byte for byte.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// ThoughtSignature is a signature of some providers, preserved byte for byte.
	ThoughtSignature string `json:"thought_signature,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

func (b Block) partText() string { return b.Text }

// ToolResultBlock returns the result of a call, for manual loops.
func ToolResultBlock(toolUseID, text string, isError bool) Block {
	content := TextContent[Block](text)
	return Block{Type: "tool_result", ToolUseID: toolUseID, Content: content, IsError: isError}
}

// Message is a complete answer.
type Message struct {
	// ID is that of the answer; bills and logs go by RequestID.
	ID string `json:"id"`
	// Type is message.
	Type string `json:"type"`
	// Role is assistant.
	Role string `json:"role"`
	// Model is the catalog id of the model that answered.
	Model string `json:"model"`
	// Content is thinking first, then text, then tool calls.
	Content []Block `json:"content"`
	// StopReason is end_turn, max_tokens, stop_sequence, tool_use or refusal.
	StopReason string `json:"stop_reason,omitempty"`
	// StopSequence is set where StopReason is stop_sequence.
	StopSequence string `json:"stop_sequence,omitempty"`
	// StopDetails is more about a refusal.
	StopDetails *StopDetails `json:"stop_details,omitempty"`
	// Usage counts tokens.
	Usage MessageUsage `json:"usage"`
	// Metadata is the route and the bill, where available.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Orchestration is present where the request was split into tasks.
	Orchestration *Orchestration `json:"orchestration,omitempty"`
	// ExtraContent holds extensions of the provider for the answer as a whole.
	ExtraContent json.RawMessage `json:"extra_content,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// Text returns the joined texts of the text blocks.
func (m *Message) Text() string {
	text := ""
	for _, block := range m.Content {
		if block.Type == "text" {
			text += block.Text
		}
	}
	return text
}

// Param returns the answer as a message of the conversation, to be sent back whole.
func (m *Message) Param() MessageParam {
	param := MessageParam{Role: "assistant", Content: BlockContent{Parts: m.Content, given: true}}
	if param.Content.Parts == nil {
		param.Content.Parts = []Block{}
	}
	extra := Extra{}
	if m.ExtraContent != nil {
		extra["extra_content"] = m.ExtraContent
	}
	if details, ok := m.Extra["reasoning_details"]; ok {
		extra["reasoning_details"] = details
	}
	if len(extra) > 0 {
		param.Extra = extra
	}
	return param
}

// StopDetails is more about a refusal.
type StopDetails struct {
	// Type is refusal.
	Type string `json:"type"`
	// Explanation is of the model or its provider; empty where there is none.
	Explanation string `json:"explanation,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageUsage counts tokens.
type MessageUsage struct {
	// InputTokens is the input without what was read from or written to the provider's cache.
	InputTokens int64 `json:"input_tokens"`
	// CacheReadInputTokens were read from the provider's cache.
	CacheReadInputTokens int64 `json:"cache_read_input_tokens"`
	// CacheCreationInputTokens were written to the provider's cache.
	CacheCreationInputTokens int64 `json:"cache_creation_input_tokens"`
	// OutputTokens is the output, thinking included.
	OutputTokens int64 `json:"output_tokens"`
	// OutputTokensDetails is nil where the upstream does not say.
	OutputTokensDetails *ThinkingTokens `json:"output_tokens_details,omitempty"`
	// ServerToolUse counts hosted tools that ran; nil: none.
	ServerToolUse *ServerToolUse `json:"server_tool_use,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ThinkingTokens are kinds of output tokens.
type ThinkingTokens struct {
	// ThinkingTokens were spent on thinking.
	ThinkingTokens int64 `json:"thinking_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ServerToolUse counts hosted tools that ran.
type ServerToolUse struct {
	// WebSearchRequests are searches.
	WebSearchRequests int64 `json:"web_search_requests"`
	// WebFetchRequests is always 0.
	WebFetchRequests int64 `json:"web_fetch_requests"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageEvent is an event of a streamed message. Its type tells which members it has.
type MessageEvent struct {
	// Type is message_start, content_block_start, content_block_delta, content_block_stop,
	// message_delta or message_stop.
	Type string `json:"type"`
	// Message is the answer without content, on message_start.
	Message *Message `json:"message,omitempty"`
	// Index is the position of the block in the answer.
	Index *int `json:"index,omitempty"`
	// ContentBlock is the block that begins, empty but for its signatures.
	ContentBlock *Block `json:"content_block,omitempty"`
	// Delta is the increment.
	Delta *MessageDelta `json:"delta,omitempty"`
	// Usage is of the whole answer, on message_delta.
	Usage *MessageUsage `json:"usage,omitempty"`
	// Metadata is the route and the bill, on message_delta.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// MessageDelta is the increment of an event: of a block, or of the message.
type MessageDelta struct {
	// Type is text_delta, thinking_delta, signature_delta or input_json_delta; empty on
	// message_delta.
	Type string `json:"type,omitempty"`
	// Text is the next piece of a text.
	Text string `json:"text,omitempty"`
	// Thinking is the next piece of thinking.
	Thinking string `json:"thinking,omitempty"`
	// Signature is opaque.
	Signature string `json:"signature,omitempty"`
	// PartialJSON is the next piece of an input.
	PartialJSON string `json:"partial_json,omitempty"`
	// StopReason is set on message_delta.
	StopReason string `json:"stop_reason,omitempty"`
	// StopSequence is set on message_delta where a sequence ended the answer.
	StopSequence string `json:"stop_sequence,omitempty"`
	// StopDetails is set on message_delta, for a refusal.
	StopDetails *StopDetails `json:"stop_details,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
