package svc

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// argumentsOf returns an input as JSON text: the model's own text unless the application has changed
// the input since.
func argumentsOf(input json.RawMessage, written string, isWritten bool) string {
	text := "{}"
	if input != nil && !isNull(input) {
		var compact bytes.Buffer
		if json.Compact(&compact, input) == nil {
			text = compact.String()
		}
	}
	if !isWritten {
		return text
	}
	inner := json.RawMessage(written)
	if !isObjectText(written) {
		inner = json.RawMessage("{}")
	}
	if isEqualJSON(inner, json.RawMessage(text)) {
		return written
	}
	return text
}

// isObjectText reports a text that is a JSON object.
func isObjectText(text string) bool {
	trimmed := strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(trimmed, "{") && json.Valid([]byte(text))
}

func isEqualJSON(a, b json.RawMessage) bool {
	var one, other any
	return json.Unmarshal(a, &one) == nil && json.Unmarshal(b, &other) == nil && reflect.DeepEqual(one, other)
}

// isCanonical reports a JSON text that a parser and writer of JavaScript, as others have them, would
// give back unchanged.
func isCanonical(text string) bool {
	decoder := json.NewDecoder(strings.NewReader(text))
	decoder.UseNumber()
	var out bytes.Buffer
	return writeCanonical(decoder, &out) == nil && out.String() == text
}

func writeCanonical(decoder *json.Decoder, out *bytes.Buffer) error {
	token, err := decoder.Token()
	if err != nil {
		return err
	}
	switch value := token.(type) {
	case json.Delim:
		return writeNested(decoder, out, value)
	case json.Number:
		number, err := value.Float64()
		if err != nil {
			return err
		}
		out.WriteString(numberText(number))
	case string:
		encoded, err := fields.JSON(value)
		if err != nil {
			return err
		}
		text := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029").Replace(string(encoded))
		out.WriteString(text)
	case bool:
		out.WriteString(strconv.FormatBool(value))
	default:
		out.WriteString("null")
	}
	return nil
}

func writeNested(decoder *json.Decoder, out *bytes.Buffer, opening json.Delim) error {
	out.WriteRune(rune(opening))
	for at := 0; decoder.More(); at++ {
		if at > 0 {
			out.WriteByte(',')
		}
		if opening == '{' {
			if err := writeCanonical(decoder, out); err != nil {
				return err
			}
			out.WriteByte(':')
		}
		if err := writeCanonical(decoder, out); err != nil {
			return err
		}
	}
	closing, err := decoder.Token()
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	if err != nil {
		return err
	}
	if delimiter, ok := closing.(json.Delim); ok {
		out.WriteRune(rune(delimiter))
	}
	return nil
}

// numberText writes a number as JavaScript does.
func numberText(number float64) string {
	size := math.Abs(number)
	if size == 0 {
		return "0"
	}
	if size >= 1e-6 && size < 1e21 {
		return strconv.FormatFloat(number, 'f', -1, 64)
	}
	text := strconv.FormatFloat(number, 'e', -1, 64)
	return strings.NewReplacer("e-0", "e-", "e+0", "e+").Replace(text)
}
