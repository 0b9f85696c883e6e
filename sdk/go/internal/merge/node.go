// Package merge joins the pieces of JSON objects that a stream delivers.
package merge

import (
	"bytes"
	"encoding/json"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// Object is an object that pieces are merged into. Texts are joined, lists appended, objects merged;
// everything else is replaced. The zero value is empty.
type Object struct {
	names   []string
	members map[string]*member
}

// member is a text, a list, an object, or any other value as it was received.
type member struct {
	text   *strings.Builder
	list   []json.RawMessage
	object *Object
	raw    json.RawMessage
}

// Has reports that there is a member of that name.
func (o *Object) Has(name string) bool { return o.members[name] != nil }

// Text returns the text of that name; empty for none and for another kind.
func (o *Object) Text(name string) string {
	if one := o.members[name]; one != nil && one.text != nil {
		return one.text.String()
	}
	return ""
}

func (o *Object) set(name string, value *member) {
	if o.members == nil {
		o.members = map[string]*member{}
	}
	if o.members[name] == nil {
		o.names = append(o.names, name)
	}
	o.members[name] = value
}

// Append joins a piece of text; nothing for an empty piece.
func (o *Object) Append(name, piece string) {
	if piece == "" {
		return
	}
	if one := o.members[name]; one != nil && one.text != nil {
		one.text.WriteString(piece)
		return
	}
	o.Replace(name, piece)
}

// Replace sets a text; nothing for an empty one.
func (o *Object) Replace(name, text string) {
	if text == "" {
		return
	}
	builder := &strings.Builder{}
	builder.WriteString(text)
	o.set(name, &member{text: builder})
}

// Merge merges a value as received. An opaque value has no known shape: objects in it are merged,
// texts and lists replaced. A null or an empty text adds nothing to what is there.
func (o *Object) Merge(name string, raw json.RawMessage, isOpaque bool) {
	if raw == nil {
		return
	}
	before := o.members[name]
	if before != nil && (string(raw) == "null" || string(raw) == `""`) {
		return
	}
	switch raw[0] {
	case '{':
		o.mergeObject(name, before, raw, isOpaque)
		return
	case '"':
		var text string
		if !isOpaque && json.Unmarshal(raw, &text) == nil {
			if before != nil && before.text != nil {
				before.text.WriteString(text)
				return
			}
			builder := &strings.Builder{}
			builder.WriteString(text)
			o.set(name, &member{text: builder})
			return
		}
	case '[':
		var list []json.RawMessage
		if !isOpaque && json.Unmarshal(raw, &list) == nil {
			if before != nil && before.list != nil {
				before.list = append(before.list, list...)
				return
			}
			o.set(name, &member{list: append([]json.RawMessage{}, list...)})
			return
		}
	}
	o.set(name, &member{raw: raw})
}

// mergeObject keeps a single piece as received; only a second one makes it parse them.
func (o *Object) mergeObject(name string, before *member, raw json.RawMessage, isOpaque bool) {
	isObject := before != nil && (before.object != nil || len(before.raw) > 0 && before.raw[0] == '{')
	if !isObject {
		o.set(name, &member{raw: raw})
		return
	}
	if before.object == nil {
		before.object = &Object{}
		before.object.mergeAll(before.raw, isOpaque)
		before.raw = nil
	}
	before.object.mergeAll(raw, isOpaque)
}

// mergeAll merges the fields of an object in their order.
func (o *Object) mergeAll(raw json.RawMessage, isOpaque bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	if _, err := decoder.Token(); err != nil {
		return
	}
	for decoder.More() {
		token, err := decoder.Token()
		name, ok := token.(string)
		var value json.RawMessage
		if err != nil || !ok || decoder.Decode(&value) != nil {
			return
		}
		o.Merge(name, value, isOpaque)
	}
}

// Fields returns the members as JSON.
func (o *Object) Fields() map[string]json.RawMessage {
	all := make(map[string]json.RawMessage, len(o.names))
	for _, name := range o.names {
		all[name] = o.members[name].json()
	}
	return all
}

func (m *member) json() json.RawMessage {
	var value any = m.raw
	switch {
	case m.text != nil:
		value = m.text.String()
	case m.list != nil:
		value = m.list
	case m.object != nil:
		return m.object.json()
	}
	encoded, err := fields.JSON(value)
	if err != nil {
		// Cannot be: its parts were decoded from JSON.
		return json.RawMessage("null")
	}
	return encoded
}

// json writes the members in the order in which they first came.
func (o *Object) json() json.RawMessage {
	out := []byte{'{'}
	for at, name := range o.names {
		if at > 0 {
			out = append(out, ',')
		}
		key, err := fields.JSON(name)
		if err != nil {
			continue
		}
		out = append(append(append(out, key...), ':'), o.members[name].json()...)
	}
	return append(out, '}')
}
