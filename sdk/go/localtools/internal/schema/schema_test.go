package schema

import (
	"os"
	"reflect"
	"strings"
	"testing"

	"svc.example/sdk/go/localtools/internal/value"
)

func parse(t *testing.T, text string) any {
	t.Helper()
	parsed, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func issuesOf(t *testing.T, rules, input any) []string {
	t.Helper()
	validator, err := New(rules)
	if err != nil {
		t.Fatalf("%s: %v", value.Canonical(rules), err)
	}
	messages := []string{}
	for _, issue := range validator.Validate(input) {
		messages = append(messages, issue.Path+": "+issue.Message)
	}
	return messages
}

func cases(t *testing.T, group string) []*value.Object {
	t.Helper()
	text, err := os.ReadFile("../../../../../tests/conformance/vectors/tools-schema.json")
	if err != nil {
		t.Fatal(err)
	}
	listed, _ := parse(t, string(text)).(*value.Object).Get(group)
	var cases []*value.Object
	for _, one := range listed.([]any) {
		cases = append(cases, one.(*value.Object))
	}
	if len(cases) == 0 {
		t.Fatalf("no cases of %s", group)
	}
	return cases
}

func member(one *value.Object, name string) any {
	found, _ := one.Get(name)
	return found
}

func TestVectors(t *testing.T) {
	for _, one := range cases(t, "fitting") {
		if issues := issuesOf(t, member(one, "schema"), member(one, "value")); len(issues) > 0 {
			t.Errorf("%s: %v", value.Canonical(one), issues)
		}
	}
	for _, one := range cases(t, "unfit") {
		var expected []string
		for _, issue := range member(one, "issues").([]any) {
			expected = append(expected, issue.(string))
		}
		issues := issuesOf(t, member(one, "schema"), member(one, "value"))
		if !reflect.DeepEqual(issues, expected) {
			t.Errorf("%s: %v", value.Canonical(one), issues)
		}
	}
	for _, one := range cases(t, "refused") {
		_, err := New(member(one, "schema"))
		if err == nil || !strings.Contains(err.Error(), one.Text("message")) {
			t.Errorf("%s: %v", value.Canonical(one), err)
		}
	}
}

func TestAPatternThatCannotBeUsedIsRefused(t *testing.T) {
	if _, err := New(parse(t, `{"pattern": "("}`)); err == nil {
		t.Error("expected a refusal")
	}
}

func TestRecursiveSchemasEnd(t *testing.T) {
	const tooMuch = ": too large, or nested too deeply"
	chain := parse(t, `{"properties": {"next": {"$ref": "#"}}, "additionalProperties": false}`)
	if issues := issuesOf(t, chain, parse(t, `{"next": {"other": 1}}`)); len(issues) != 1 ||
		issues[0] != `next: "other" is not known; known are: next` {
		t.Error(issues)
	}
	deep := parse(t, strings.Repeat(`{"next":`, 9_000)+"{}"+strings.Repeat("}", 9_000))
	if issues := issuesOf(t, chain, deep); len(issues) != 1 || issues[0] != tooMuch {
		t.Error(issues)
	}
	if issues := issuesOf(t, parse(t, `{"enum": ["a"]}`), deep); issues[0] != `: expected one of "a"` {
		t.Error(issues)
	}
	const branch = `{"properties": {"op": {"const": "X"}, "of": {"$ref": "#"}}, "required": ["op"]}`
	alternatives := parse(t, `{"anyOf": [{"type": "number"}, `+strings.ReplaceAll(branch, "X", "a")+
		", "+strings.ReplaceAll(branch, "X", "b")+"]}")
	nested := func(depth int) any {
		return parse(t, strings.Repeat(`{"op": "b", "of": `, depth)+"1"+strings.Repeat("}", depth))
	}
	if issues := issuesOf(t, alternatives, nested(8)); len(issues) > 0 {
		t.Error(issues)
	}
	if issues := issuesOf(t, alternatives, nested(30)); len(issues) != 1 || issues[0] != tooMuch {
		t.Error(issues)
	}
}
