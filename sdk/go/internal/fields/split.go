package fields

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strconv"
	"unicode/utf8"
)

var errKind = errors.New("the value is of another kind")

// eachField calls back with the fields of a valid JSON object, in order, unparsed.
func eachField(data []byte, tell func(name, raw []byte) error) error {
	at := skipSpace(data, 0) + 1
	for {
		at = skipSpace(data, at)
		if data[at] == '}' {
			return nil
		}
		end := skipString(data, at)
		name := data[at+1 : end-1]
		if bytes.IndexByte(name, '\\') >= 0 || !utf8.Valid(name) {
			var text string
			if err := json.Unmarshal(data[at:end], &text); err != nil {
				return err
			}
			name = []byte(text)
		}
		at = skipSpace(data, skipSpace(data, end)+1)
		end = skipValue(data, at)
		if err := tell(name, data[at:end:end]); err != nil {
			return err
		}
		if at = skipSpace(data, end); data[at] == ',' {
			at++
		}
	}
}

// eachItem calls back with the items of a valid JSON array, in order, unparsed.
func eachItem(data []byte, tell func(raw []byte) error) error {
	at := skipSpace(data, 0) + 1
	for {
		at = skipSpace(data, at)
		if data[at] == ']' {
			return nil
		}
		end := skipValue(data, at)
		if err := tell(data[at:end:end]); err != nil {
			return err
		}
		if at = skipSpace(data, end); data[at] == ',' {
			at++
		}
	}
}

func skipSpace(data []byte, at int) int {
	for at < len(data) && (data[at] == ' ' || data[at] == '\n' || data[at] == '\t' || data[at] == '\r') {
		at++
	}
	return at
}

// skipString returns the position after the string that begins here.
func skipString(data []byte, at int) int {
	for at++; data[at] != '"'; at++ {
		if data[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// skipValue returns the position after the value that begins here.
func skipValue(data []byte, at int) int {
	switch data[at] {
	case '"':
		return skipString(data, at)
	case '{', '[':
		for depth := 0; ; at++ {
			switch data[at] {
			case '"':
				at = skipString(data, at) - 1
			case '{', '[':
				depth++
			case '}', ']':
				if depth--; depth == 0 {
					return at + 1
				}
			}
		}
	}
	for at < len(data) && bytes.IndexByte([]byte(",]} \n\t\r"), data[at]) < 0 {
		at++
	}
	return at
}

// Text reads a JSON string.
func Text(raw []byte) (string, error) {
	if len(raw) < 2 || raw[0] != '"' {
		return "", errKind
	}
	if inner := raw[1 : len(raw)-1]; bytes.IndexByte(inner, '\\') < 0 && utf8.Valid(inner) {
		return string(inner), nil
	}
	var text string
	err := json.Unmarshal(raw, &text)
	return text, err
}

// decodeValue reads a valid JSON value, which is not null, into a member.
func decodeValue(into reflect.Value, raw []byte) error {
	kind := into.Type()
	switch {
	case kind == reflect.TypeFor[json.RawMessage]():
		into.SetBytes(raw)
		return nil
	case kind.Kind() == reflect.String:
		text, err := Text(raw)
		into.SetString(text)
		return err
	case kind.Kind() == reflect.Int || kind.Kind() == reflect.Int64:
		number, err := strconv.ParseInt(string(raw), 10, 64)
		into.SetInt(number)
		return err
	case kind.Kind() == reflect.Pointer && isPlanned(kind.Elem()):
		if raw[0] != '{' {
			return ErrNotObject
		}
		into.Set(reflect.New(kind.Elem()))
		return decodeObject(raw, into.Elem())
	case isPlanned(kind):
		if raw[0] != '{' {
			return ErrNotObject
		}
		return decodeObject(raw, into)
	case kind.Kind() == reflect.Slice && isPlanned(kind.Elem()):
		return decodeList(into, raw)
	}
	if decoder, ok := into.Addr().Interface().(json.Unmarshaler); ok {
		return decoder.UnmarshalJSON(raw)
	}
	return json.Unmarshal(raw, into.Addr().Interface())
}

func decodeList(into reflect.Value, raw []byte) error {
	if raw[0] != '[' {
		return errKind
	}
	list := reflect.MakeSlice(into.Type(), 0, 1)
	err := eachItem(raw, func(item []byte) error {
		if isNull(item) {
			return errKind
		}
		list = reflect.Append(list, reflect.Zero(into.Type().Elem()))
		return decodeValue(list.Index(list.Len()-1), item)
	})
	into.Set(list)
	return err
}

// isPlanned reports a struct that keeps its further fields in Extra.
func isPlanned(kind reflect.Type) bool {
	return kind.Kind() == reflect.Struct && planOf(kind).extra >= 0
}
