package svc

import "svc.example/sdk/go/internal/fields"

// The methods below keep every field of an object, also those that no member can hold.

// MarshalJSON writes the members and the fields of Extra.
func (v ChatRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatMessage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatMessage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatPart) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatPart) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ImageURL) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ImageURL) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ToolCall) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ToolCall) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ToolCallFunction) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ToolCallFunction) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatTool) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatTool) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v FunctionDefinition) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *FunctionDefinition) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatCompletion) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatCompletion) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatChoice) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatChoice) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v PromptTokensDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *PromptTokensDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v CompletionTokensDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *CompletionTokensDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatChunk) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatChunk) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChunkChoice) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChunkChoice) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChatDelta) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChatDelta) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ToolCallDelta) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ToolCallDelta) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v FunctionDelta) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *FunctionDelta) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Metadata) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Metadata) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Routing) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Routing) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v RoutingAttempt) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *RoutingAttempt) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Billing) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Billing) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Orchestration) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Orchestration) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OrchestrationTask) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OrchestrationTask) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ChunkOrchestration) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ChunkOrchestration) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseItem) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseItem) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponsePart) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponsePart) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseTool) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseTool) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Response) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Response) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v IncompleteDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *IncompleteDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseFailure) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseFailure) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v InputTokensDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *InputTokensDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OutputTokensDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OutputTokensDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ResponseEvent) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ResponseEvent) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageParam) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageParam) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ThinkingConfig) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ThinkingConfig) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageTool) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageTool) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageToolChoice) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageToolChoice) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Block) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Block) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Message) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Message) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v StopDetails) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *StopDetails) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ThinkingTokens) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ThinkingTokens) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ServerToolUse) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ServerToolUse) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageEvent) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageEvent) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MessageDelta) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MessageDelta) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }
