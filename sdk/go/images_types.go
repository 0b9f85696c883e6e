package svc

// ImageRequest asks for new images. Images come in one reply; neither image method streams.
type ImageRequest struct {
	// Model is empty or [ModelAuto].
	Model string `json:"model,omitempty"`
	// Prompt describes the image.
	Prompt string `json:"prompt"`
	// N is the number of images; 0: one.
	N int `json:"n,omitempty"`
	// Size is <width>x<height> in pixels; empty: the model's choice.
	Size string `json:"size,omitempty"`
	// ResponseFormat is b64_json or url; empty: b64_json.
	ResponseFormat string `json:"response_format,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ImageEditRequest asks for a change of one image, or of several.
type ImageEditRequest struct {
	// Model is empty or [ModelAuto].
	Model string `json:"model,omitempty"`
	// Prompt describes the change.
	Prompt string `json:"prompt"`
	// Image is one image or several: http(s) URLs or base64 data URIs.
	Image ImageInput `json:"image"`
	// Mask is a URL or a data URI: its transparent pixels mark the area to edit.
	Mask string `json:"mask,omitempty"`
	// N is the number of images; 0: one.
	N int `json:"n,omitempty"`
	// Size is <width>x<height> in pixels; empty: the model's choice.
	Size string `json:"size,omitempty"`
	// ResponseFormat is b64_json or url; empty: b64_json.
	ResponseFormat string `json:"response_format,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ImageInput is one image, sent as a string, or several, sent as an array.
type ImageInput []string

// ImageResponse is the answer of both image methods.
type ImageResponse struct {
	// Created is a Unix time in seconds.
	Created int64 `json:"created"`
	// Data are the images.
	Data []GeneratedImage `json:"data"`
	// Usage is present where the model counts tokens.
	Usage *ImageUsage `json:"usage,omitempty"`
	// Metadata is the route and the bill.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// GeneratedImage is one image; exactly one of B64JSON and URL is set.
type GeneratedImage struct {
	// B64JSON is the file, in base64.
	B64JSON string `json:"b64_json,omitempty"`
	// URL is the address of the file, until it expires.
	URL string `json:"url,omitempty"`
	// RevisedPrompt is the prompt as the model changed it, where it did.
	RevisedPrompt string `json:"revised_prompt,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ImageUsage counts tokens.
type ImageUsage struct {
	// InputTokens are text and images read.
	InputTokens int64 `json:"input_tokens"`
	// OutputTokens are images drawn.
	OutputTokens int64 `json:"output_tokens"`
	// TotalTokens is the sum of the two.
	TotalTokens int64 `json:"total_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
