package svc

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"slices"

	"svc.example/sdk/go/internal/fields"
)

// floatBytes is the length of a number in base64.
const floatBytes = 4

// EmbeddingRequest asks for the vectors of texts.
type EmbeddingRequest struct {
	// Model is empty or [ModelAuto]: the model is the one pinned for the key.
	Model string `json:"model,omitempty"`
	// Input are the texts, or the ids of their tokens.
	Input EmbeddingInput `json:"input"`
	// Dimensions is the length of the vectors, pinned with the model; 0: the pinned length.
	Dimensions int `json:"dimensions,omitempty"`
	// EncodingFormat is float or base64, the form on the wire; empty: float.
	EncodingFormat string `json:"encoding_format,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// EmbeddingInput is texts or token ids; one of its members is set.
type EmbeddingInput struct {
	// Texts are sent as a string if there is one, else as an array.
	Texts []string
	// Tokens are the ids of the tokens of each text.
	Tokens [][]int
}

// EmbeddingList is the answer of [Client.CreateEmbeddings].
type EmbeddingList struct {
	// Object is "list".
	Object string `json:"object"`
	// Data has one vector for each input, in its order.
	Data []Embedding `json:"data"`
	// Model is the catalog id of the pinned model.
	Model string `json:"model"`
	// Usage counts tokens.
	Usage EmbeddingUsage `json:"usage"`
	// Metadata is the route and the bill.
	Metadata *Metadata `json:"metadata,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// Embedding is the vector of one input.
type Embedding struct {
	// Object is "embedding".
	Object string `json:"object"`
	// Index is the place of the input in the request.
	Index int `json:"index"`
	// Vector has the numbers, whatever the encoding was.
	Vector EmbeddingVector `json:"embedding"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// EmbeddingVector is read from numbers or from the base64 of 32-bit floats, and written as numbers.
type EmbeddingVector []float64

// EmbeddingUsage counts tokens.
type EmbeddingUsage struct {
	// PromptTokens are read.
	PromptTokens int64 `json:"prompt_tokens"`
	// TotalTokens is the same number.
	TotalTokens int64 `json:"total_tokens"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// CreateEmbeddings embeds texts. The model and the length of the vectors are pinned for the key at
// its first call, or by its policy.
func (c *Client) CreateEmbeddings(ctx context.Context, request EmbeddingRequest, options ...CallOption) (*EmbeddingList, error) {
	model, err := checkModel(request.Model, request.Extra)
	if err != nil {
		return nil, err
	}
	request.Model = model
	sent, err := post("/embeddings", request, callSettingsOf(options))
	if err != nil {
		return nil, err
	}
	got, data, err := c.parts().transport.json(ctx, sent)
	if err != nil {
		return nil, err
	}
	list := &EmbeddingList{}
	isNone := func(one Embedding) bool { return one.Vector == nil }
	if fields.Decode(data, list) != nil || list.Data == nil || slices.ContainsFunc(list.Data, isNone) {
		return nil, got.failure(data, "the service answered with something else than embeddings")
	}
	list.RequestID = got.requestID(data)
	return list, nil
}

// MarshalJSON writes the form of the input that has these texts or token ids.
func (i EmbeddingInput) MarshalJSON() ([]byte, error) {
	switch {
	case i.Texts != nil && i.Tokens != nil:
		return nil, errors.New("the input has texts and token ids; set one of them")
	case len(i.Texts) == 1:
		return fields.JSON(i.Texts[0])
	case len(i.Tokens) == 1:
		return fields.JSON(i.Tokens[0])
	case i.Tokens != nil:
		return fields.JSON(i.Tokens)
	default:
		return fields.JSON(i.Texts)
	}
}

// UnmarshalJSON reads every form of the input.
func (i *EmbeddingInput) UnmarshalJSON(data []byte) error {
	*i = EmbeddingInput{}
	var text string
	if json.Unmarshal(data, &text) == nil {
		i.Texts = []string{text}
		return nil
	}
	if json.Unmarshal(data, &i.Texts) == nil {
		return nil
	}
	i.Texts = nil
	var ids []int
	if json.Unmarshal(data, &ids) == nil {
		i.Tokens = [][]int{ids}
		return nil
	}
	return json.Unmarshal(data, &i.Tokens)
}

// UnmarshalJSON reads numbers or base64.
func (v *EmbeddingVector) UnmarshalJSON(data []byte) error {
	var text string
	if json.Unmarshal(data, &text) != nil {
		return json.Unmarshal(data, (*[]float64)(v))
	}
	bytes, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return err
	}
	if len(bytes) == 0 || len(bytes)%floatBytes != 0 {
		return errors.New("the vector is no base64 of 32-bit floats")
	}
	numbers := make([]float64, 0, len(bytes)/floatBytes)
	for at := 0; at < len(bytes); at += floatBytes {
		bits := binary.LittleEndian.Uint32(bytes[at:])
		numbers = append(numbers, float64(math.Float32frombits(bits)))
	}
	*v = numbers
	return nil
}

// MarshalJSON writes the members and the fields of Extra.
func (v EmbeddingRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *EmbeddingRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v EmbeddingList) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *EmbeddingList) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Embedding) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Embedding) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v EmbeddingUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *EmbeddingUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }
