package loop

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf16"

	"svc.example/sdk/go/internal/fields"
)

type toolFailure struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func errorResult[K any](call Call[K], code, message string, cause error) ToolResult[K] {
	var failure toolFailure
	failure.Error.Code, failure.Error.Message = code, message
	text, err := fields.JSON(failure)
	if err != nil {
		panic(err) // Two texts are always JSON.
	}
	return ToolResult[K]{Call: call, IsError: true, Code: code, Text: string(text), Cause: cause}
}

// successResult returns the result for a tool's value: a valid text unchanged, everything else as
// JSON. Bytes are refused: the model would pay for data that it cannot read.
func successResult[K any](call Call[K], output any, longest int) ToolResult[K] {
	var whole string
	switch value := output.(type) {
	case string:
		whole = strings.ToValidUTF8(value, "\uFFFD")
	case json.RawMessage:
		if len(value) == 0 {
			value = json.RawMessage("null")
		}
		if !json.Valid(value) {
			return errorResult(call, "invalid_tool_result", "The tool returned a value that JSON cannot carry", nil)
		}
		whole = string(value)
	case []byte:
		return errorResult(call, "invalid_tool_result", "The tool returned bytes, which are no text", nil)
	default:
		encoded, err := fields.JSON(value)
		if err != nil {
			return errorResult(call, "invalid_tool_result", "The tool returned a value that JSON cannot carry", err)
		}
		whole = string(encoded)
	}
	text, isCut := cutText(whole, longest)
	return ToolResult[K]{Call: call, Text: text, IsCut: isCut, Output: output}
}

// cutText returns a text within the limit unchanged; else its beginning, with a label that counts
// the missing characters.
func cutText(text string, longest int) (string, bool) {
	if len(text) <= longest {
		return text, false
	}
	all := units(text)
	if all <= longest {
		return text, false
	}
	beginning := firstUnits(text, longest)
	label := fmt.Sprintf("\n[Cut: these are the first %d of %d characters]", units(beginning), all)
	return beginning + label, true
}

// units returns the length of a text in UTF-16 code units.
func units(text string) int {
	count := 0
	for _, char := range text {
		count += utf16.RuneLen(char)
	}
	return count
}

// firstUnits returns the beginning of a text, of at most so many UTF-16 code units.
func firstUnits(text string, most int) string {
	count := 0
	for at, char := range text {
		if count += utf16.RuneLen(char); count > most {
			return text[:at]
		}
	}
	return text
}

func quoted(text string) string { return `"` + text + `"` }
