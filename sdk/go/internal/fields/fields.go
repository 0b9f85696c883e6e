// Package fields encodes and decodes JSON objects without losing a field.
//
// A struct that uses it has a member
//
//	Extra map[string]json.RawMessage `json:"-"`
//
// which keeps every field that the other members cannot: unknown ones, and those whose value is
// null, empty, or of another kind. Decoding and encoding again gives an equal object.
package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
)

type member struct {
	name string
	at   int
	// always is set for a member that is written when it is empty, too.
	always bool
}

type plan struct {
	members []member
	byName  map[string]int
	extra   int
}

var plans sync.Map // reflect.Type -> *plan

func planOf(kind reflect.Type) *plan {
	if known, ok := plans.Load(kind); ok {
		return known.(*plan)
	}
	made := &plan{byName: map[string]int{}, extra: -1}
	for at := range kind.NumField() {
		field := kind.Field(at)
		if field.Name == "Extra" {
			made.extra = at
			continue
		}
		tag := field.Tag.Get("json")
		name, options, _ := strings.Cut(tag, ",")
		if name == "" || name == "-" || !field.IsExported() {
			continue
		}
		made.byName[name] = len(made.members)
		made.members = append(made.members, member{name, at, !strings.Contains(options, "omitempty")})
	}
	known, _ := plans.LoadOrStore(kind, made)
	return known.(*plan)
}

// ErrNotObject is returned for JSON that is valid and not an object.
var ErrNotObject = errors.New("the JSON value is not an object")

// Object parses a JSON object into its fields, unparsed.
func Object(data []byte) (map[string]json.RawMessage, error) {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) > 0 && trimmed[0] != '{' && json.Valid(data) {
		return nil, ErrNotObject
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(data, &object)
	return object, err
}

// Decode reads a JSON object into the struct that target points to.
func Decode(data []byte, target any) error {
	trimmed := bytes.TrimLeft(data, " \t\r\n")
	if len(trimmed) == 0 || trimmed[0] != '{' || !json.Valid(data) {
		var object map[string]json.RawMessage
		if err := json.Unmarshal(data, &object); err != nil {
			return err
		}
		reflect.ValueOf(target).Elem().SetZero()
		return nil
	}
	return DecodeValid(bytes.Clone(trimmed), target)
}

// DecodeValid is Decode for data that is known to be a JSON object. The struct keeps parts of data.
func DecodeValid(data []byte, target any) error {
	into := reflect.ValueOf(target).Elem()
	into.SetZero()
	return decodeObject(data, into)
}

// FromObject reads the fields of an object into the struct that target points to. It takes the map
// over.
func FromObject(object map[string]json.RawMessage, target any) error {
	into := reflect.ValueOf(target).Elem()
	into.SetZero()
	layout := planOf(into.Type())
	for _, one := range layout.members {
		if raw, ok := object[one.name]; ok && decodeMember(into.Field(one.at), raw) {
			delete(object, one.name)
		}
	}
	if len(object) > 0 {
		into.Field(layout.extra).Set(reflect.ValueOf(object))
	}
	return nil
}

// decodeObject reads a valid JSON object into a struct whose members are zero.
func decodeObject(data []byte, into reflect.Value) error {
	layout := planOf(into.Type())
	var extra map[string]json.RawMessage
	err := eachField(data, func(name, raw []byte) error {
		if at, ok := layout.byName[string(name)]; ok {
			if decodeMember(into.Field(layout.members[at].at), raw) {
				delete(extra, string(name))
				return nil
			}
		}
		if extra == nil {
			extra = map[string]json.RawMessage{}
		}
		extra[string(name)] = raw
		return nil
	})
	if extra != nil {
		into.Field(layout.extra).Set(reflect.ValueOf(extra))
	}
	return err
}

// decodeMember reports that the member holds the value. Of one that is null, empty or of another
// kind, Extra keeps the text.
func decodeMember(field reflect.Value, raw []byte) bool {
	field.SetZero()
	if isNull(raw) {
		return false
	}
	if decodeValue(field, raw) != nil {
		field.SetZero()
		return false
	}
	return !IsEmpty(field)
}

// IsEmpty reports that a member has no value of its own. A list without elements has one.
func IsEmpty(value reflect.Value) bool {
	switch value.Kind() {
	case reflect.Pointer, reflect.Map, reflect.Slice:
		return value.IsNil()
	case reflect.String:
		return value.Len() == 0
	case reflect.Int, reflect.Int64, reflect.Bool, reflect.Float64:
		return value.IsZero()
	}
	if zero, ok := value.Interface().(interface{ IsZero() bool }); ok {
		return zero.IsZero()
	}
	return value.IsZero()
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// Encode writes the struct, or the struct that source points to, as a JSON object: members in their
// order, then the fields of Extra by name. A member that is empty takes its value from Extra.
func Encode(source any) ([]byte, error) {
	from := reflect.ValueOf(source)
	if from.Kind() == reflect.Pointer {
		from = from.Elem()
	}
	layout := planOf(from.Type())
	extra, _ := from.Field(layout.extra).Interface().(map[string]json.RawMessage)
	out := &writer{}
	for _, one := range layout.members {
		field := from.Field(one.at)
		raw, isExtra := extra[one.name]
		switch {
		case !IsEmpty(field) || one.always && !isExtra:
			if err := out.value(one.name, field.Interface()); err != nil {
				return nil, err
			}
		case isExtra:
			if err := out.value(one.name, raw); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(extra)) {
		if _, isMember := layout.byName[name]; isMember {
			continue
		}
		if err := out.value(name, extra[name]); err != nil {
			return nil, err
		}
	}
	return out.end(), nil
}

type writer struct{ buffer bytes.Buffer }

func (w *writer) value(name string, value any) error {
	separator := byte(',')
	if w.buffer.Len() == 0 {
		separator = '{'
	}
	w.buffer.WriteByte(separator)
	key, err := JSON(name)
	if err != nil {
		return err
	}
	text, err := JSON(value)
	if err != nil {
		return err
	}
	w.buffer.Write(key)
	w.buffer.WriteByte(':')
	w.buffer.Write(text)
	return nil
}

func (w *writer) end() []byte {
	if w.buffer.Len() == 0 {
		return []byte("{}")
	}
	w.buffer.WriteByte('}')
	return w.buffer.Bytes()
}

// JSON encodes a value, without the escapes for HTML that json.Marshal adds.
func JSON(value any) ([]byte, error) {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
}
