package value

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"
	"unicode/utf8"
)

func parsed(t *testing.T, text string) any {
	t.Helper()
	value, err := Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

func TestMembersKeepTheirOrder(t *testing.T) {
	object := parsed(t, ` {"b" : 1, "a": [true, false, null, -1.5e2, "x"], "b": {} } `).(*Object)
	if !slices.Equal(object.Names(), []string{"b", "a"}) {
		t.Errorf("got %v", object.Names())
	}
	items, _ := object.Get("a")
	if !reflect.DeepEqual(items, []any{true, false, nil, -150.0, "x"}) {
		t.Errorf("got %v", items)
	}
	if Canonical(object) != `{"a":[true,false,null,-150,"x"],"b":{}}` {
		t.Errorf("got %s", Canonical(object))
	}
}

func TestHalfOfACharacterIsNoText(t *testing.T) {
	for text, isText := range map[string]bool{
		`"\ud83d\ude00"`: true, `"\ud83d"`: false, `"\ude00"`: false, `"\ud83d\ud83d\ude00"`: false,
		`"\ud83dx"`: false, `"a\u0000\n\"\\\/"`: true,
	} {
		value := parsed(t, text).(string)
		if utf8.ValidString(value) != isText {
			t.Errorf("%s: %q", text, value)
		}
		if again := parsed(t, Quote(value)); again != value {
			t.Errorf("%s: %q became %q", text, value, again)
		}
	}
	if quoted := Quote(parsed(t, `"\ud83dx\u0001"`).(string)); quoted != `"\ud83dx\u0001"` {
		t.Errorf("got %s", quoted)
	}
}

func TestNumbersAreThoseOfJSON(t *testing.T) {
	for text, expected := range map[string]string{
		"1e21": "1e+21", "1e-7": "1e-7", "123456789012": "123456789012", "-0": "0", "0.1": "0.1",
		"1e400": "null", "5e-324": "5e-324", "1.5e300": "1.5e+300",
	} {
		if number := Canonical(parsed(t, text)); number != expected {
			t.Errorf("%s: got %s, expected %s", text, number, expected)
		}
	}
}

func TestTextsAreCutByUnits(t *testing.T) {
	const text = "a😀é😀"
	if Units(text) != 6 {
		t.Errorf("got %d", Units(text))
	}
	for units, expected := range []string{"", "a", "a\ufffd", "a😀", "a😀é", "a😀é\ufffd", text, text} {
		if cut := Cut(text, units); cut != expected {
			t.Errorf("%d: got %q, expected %q", units, cut, expected)
		}
	}
	for from, expected := range []string{"a😀", "😀é", "\ufffdé\ufffd", "é😀", "😀", "\ufffd", "", ""} {
		if slice := Slice(text, from, 3); slice != expected {
			t.Errorf("%d: got %q, expected %q", from, slice, expected)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, seed := range []string{`{}`, `[1,{"a":"\ud800"}]`, `"\u00e9"`, `-1e5`, ` [ ] `, `{"a":{"a":[]}}`} {
		f.Add([]byte(seed))
	}
	// Halves of a character as bytes, which are no UTF-8.
	f.Add([]byte("\"\xed\xaf\xaf\xed\xb4\xb4\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		value, err := Parse(text)
		if (err == nil) != (json.Valid(text) && utf8.Valid(text)) {
			t.Fatalf("%q: %v", text, err)
		}
		if err != nil {
			return
		}
		again, err := Parse([]byte(Canonical(value)))
		if err != nil || Canonical(again) != Canonical(value) {
			t.Errorf("%q: %s became %s, %v", text, Canonical(value), Canonical(again), err)
		}
	})
}
