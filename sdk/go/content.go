package svc

import (
	"encoding/json"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// Content is a text, or a list of parts. On the wire it is a string or an array.
type Content[Part any] struct {
	// Text is the content where Parts is nil.
	Text string
	// Parts is the content where it is not nil.
	Parts []Part
	// given tells an empty text from no content at all.
	given bool
}

// ChatContent is the content of a chat message.
type ChatContent = Content[ChatPart]

// ResponseContent is the content of an item of Responses.
type ResponseContent = Content[ResponsePart]

// BlockContent is the content of a message of Messages.
type BlockContent = Content[Block]

// TextContent returns a text as content. An empty text is sent as one.
func TextContent[Part any](text string) Content[Part] {
	return Content[Part]{Text: text, given: true}
}

// IsZero reports that there is no content, not even an empty text.
func (c Content[Part]) IsZero() bool { return c.Text == "" && c.Parts == nil && !c.given }

// String returns the text, or the joined texts of the parts.
func (c Content[Part]) String() string {
	if c.Parts == nil {
		return c.Text
	}
	var text strings.Builder
	for _, part := range c.Parts {
		if written, ok := any(part).(interface{ partText() string }); ok {
			text.WriteString(written.partText())
		}
	}
	return text.String()
}

// MarshalJSON writes a string or an array.
func (c Content[Part]) MarshalJSON() ([]byte, error) {
	if c.Parts != nil {
		return fields.JSON(c.Parts)
	}
	return fields.JSON(c.Text)
}

// UnmarshalJSON reads a string or an array.
func (c *Content[Part]) UnmarshalJSON(data []byte) error {
	*c = Content[Part]{given: true}
	if len(data) > 0 && data[0] == '[' {
		return json.Unmarshal(data, &c.Parts)
	}
	text, err := fields.Text(data)
	c.Text = text
	return err
}
