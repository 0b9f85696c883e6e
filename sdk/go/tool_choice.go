package svc

import (
	"encoding/json"

	"svc.example/sdk/go/internal/fields"
)

// ChatToolChoice limits or forces the tool calls of a chat completion. At most one member is set;
// the zero value leaves the choice to the model.
type ChatToolChoice struct {
	// Mode is none, auto or required.
	Mode string
	// Function is the name of the function that the model must call.
	Function string
	// Other is a choice of another kind, as JSON.
	Other json.RawMessage
}

// IsZero reports that nothing is chosen.
func (c ChatToolChoice) IsZero() bool { return c.Mode == "" && c.Function == "" && c.Other == nil }

// MarshalJSON writes a string or an object.
func (c ChatToolChoice) MarshalJSON() ([]byte, error) {
	switch {
	case c.Other != nil:
		return c.Other, nil
	case c.Function != "":
		return fields.JSON(map[string]any{"type": "function", "function": map[string]string{"name": c.Function}})
	}
	return fields.JSON(c.Mode)
}

// UnmarshalJSON reads a string or an object.
func (c *ChatToolChoice) UnmarshalJSON(data []byte) error {
	*c = ChatToolChoice{}
	if json.Unmarshal(data, &c.Mode) != nil {
		c.Other = append(json.RawMessage{}, data...)
	}
	return nil
}

// ResponseToolChoice limits or forces the tool calls of a response. At most one member is set; the
// zero value leaves the choice to the model.
type ResponseToolChoice struct {
	// Mode is none, auto or required.
	Mode string
	// Function is the name of the function that the model must call.
	Function string
	// Other is a choice of another kind, as JSON.
	Other json.RawMessage
}

// IsZero reports that nothing is chosen.
func (c ResponseToolChoice) IsZero() bool { return c.Mode == "" && c.Function == "" && c.Other == nil }

// MarshalJSON writes a string or an object.
func (c ResponseToolChoice) MarshalJSON() ([]byte, error) {
	switch {
	case c.Other != nil:
		return c.Other, nil
	case c.Function != "":
		return fields.JSON(map[string]string{"type": "function", "name": c.Function})
	}
	return fields.JSON(c.Mode)
}

// UnmarshalJSON reads a string or an object.
func (c *ResponseToolChoice) UnmarshalJSON(data []byte) error {
	*c = ResponseToolChoice{}
	if json.Unmarshal(data, &c.Mode) != nil {
		c.Other = append(json.RawMessage{}, data...)
	}
	return nil
}
