package svc

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"testing"
)

// optional is a member that a case may leave out; null is a value.
type optional struct {
	value any
	given bool
}

// UnmarshalJSON reads any JSON value.
func (o *optional) UnmarshalJSON(data []byte) error {
	o.given = true
	return json.Unmarshal(data, &o.value)
}

// asJSON returns a value as JSON shows it: maps, lists, float64 and so on.
func asJSON(t *testing.T, value any) any {
	t.Helper()
	data, isRaw := value.(json.RawMessage)
	if !isRaw {
		var err error
		if data, err = json.Marshal(value); err != nil {
			t.Fatalf("the value is no JSON: %v", err)
		}
	}
	var read any
	if err := json.Unmarshal(data, &read); err != nil {
		t.Fatalf("the value is no JSON: %v", err)
	}
	return read
}

// jsonText returns a value as JSON text, for messages.
func jsonText(value any) string {
	var buffer bytes.Buffer
	encoder := json.NewEncoder(&buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return err.Error()
	}
	return strings.TrimSpace(buffer.String())
}

// equalJSON fails where two values differ as JSON.
func equalJSON(t *testing.T, about string, got, want any) {
	t.Helper()
	got, want = asJSON(t, got), asJSON(t, want)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got  %s\n want %s", about, jsonText(got), jsonText(want))
	}
}

// showsJSON fails where a value differs from another. The types of this package always write some
// members, and leave others out where they are zero: a zero value is as good as none.
func showsJSON(t *testing.T, about string, got, want any) {
	t.Helper()
	got, want = asJSON(t, got), asJSON(t, want)
	if !shows(got, want) && !(isZero(got) && isZero(want)) {
		t.Errorf("%s:\n got  %s\n want %s", about, jsonText(got), jsonText(want))
	}
}

func shows(got, want any) bool {
	switch want := want.(type) {
	case map[string]any:
		object, ok := got.(map[string]any)
		for name := range object {
			ok = ok && (isMember(name, want) && shows(object[name], want[name]) || !isMember(name, want) && isZero(object[name]))
		}
		for name := range want {
			ok = ok && (isMember(name, object) || isZero(want[name]))
		}
		return ok
	case []any:
		items, ok := got.([]any)
		if !ok || len(items) != len(want) {
			return false
		}
		for at := range want {
			ok = ok && shows(items[at], want[at])
		}
		return ok
	}
	return reflect.DeepEqual(got, want)
}

func isMember(name string, of map[string]any) bool {
	_, ok := of[name]
	return ok
}

func isZero(value any) bool {
	return value == nil || value == "" || value == float64(0) || value == false
}

// valueAt returns the value at a JSON pointer (RFC 6901); nil where there is none.
func valueAt(value any, pointer string) any {
	for _, name := range strings.Split(pointer, "/")[1:] {
		name = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
		switch at := value.(type) {
		case map[string]any:
			value = at[name]
		case []any:
			place, err := strconv.Atoi(name)
			if err != nil || place < 0 || place >= len(at) {
				return nil
			}
			value = at[place]
		default:
			return nil
		}
	}
	return value
}

// checkPointers compares the value at each pointer; null also stands for no value.
func checkPointers(
	t *testing.T, about string, value any, pointers map[string]any,
	compare func(t *testing.T, about string, got, want any),
) {
	t.Helper()
	for pointer, want := range pointers {
		compare(t, about+" at "+pointer, valueAt(value, pointer), want)
	}
}
