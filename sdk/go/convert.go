package svc

import (
	"encoding/json"

	"svc.example/sdk/go/internal/fields"
)

// convert reads a value as another shape of the same JSON object.
func convert(from, into any) error {
	encoded, err := fields.JSON(from)
	if err != nil {
		return err
	}
	return json.Unmarshal(encoded, into)
}

// anyObject returns a value as a JSON object.
func anyObject(from any) (map[string]any, error) {
	var object map[string]any
	err := convert(from, &object)
	return object, err
}

// without returns a copy of the fields without some of them; nil for none.
func without(extra Extra, names ...string) Extra {
	rest := Extra{}
	for name, value := range extra {
		rest[name] = value
	}
	for _, name := range names {
		delete(rest, name)
	}
	if len(rest) == 0 {
		return nil
	}
	return rest
}

// with returns a copy of the fields with another one.
func with(extra Extra, name string, value json.RawMessage) Extra {
	own := Extra{}
	for known, raw := range extra {
		own[known] = raw
	}
	own[name] = value
	return own
}

// isNull reports a field that is there and null.
func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// has reports a field that is there and not null.
func has(extra Extra, name string) bool {
	raw, ok := extra[name]
	return ok && !isNull(raw)
}

// isA reports a value that begins as an object ({), a list ([) or a text (").
func isA(raw json.RawMessage, first byte) bool { return len(raw) > 0 && raw[0] == first }
