package schema

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"svc.example/sdk/go/localtools/internal/value"
)

type pattern = *regexp.Regexp

// annotations restrict nothing. "format" is one, by the standard's default.
var annotations = strings.Fields("$schema $id $comment $defs definitions title description " +
	"default examples format deprecated readOnly writeOnly contentEncoding contentMediaType")

var (
	nested     = []string{"additionalProperties", "items", "not"}
	nestedList = []string{"prefixItems", "allOf", "anyOf", "oneOf"}
	nestedMap  = []string{"properties", "patternProperties", "$defs", "definitions"}
)

func (v *Validator) check(rules any) error {
	if _, isBool := rules.(bool); isBool {
		return nil
	}
	object, isObject := rules.(*value.Object)
	if !isObject {
		return fmt.Errorf("cannot use the schema: expected an object, got %s", value.Canonical(rules))
	}
	if err := v.checkKeywords(object); err != nil {
		return err
	}
	for _, inner := range inside(object) {
		if err := v.check(inner); err != nil {
			return err
		}
	}
	return nil
}

func (v *Validator) checkKeywords(object *value.Object) error {
	for _, name := range object.Names() {
		_, isKeyword := keywords[name]
		isKnown := isKeyword || name == "type" || slices.Contains(annotations, name)
		if !isKnown && !strings.HasPrefix(name, "x-") {
			return fmt.Errorf("cannot use the schema: the keyword %q is not supported", name)
		}
	}
	if reference, refers := object.Get("$ref"); refers && v.resolve(reference) == nil {
		return fmt.Errorf("cannot use the schema: there is no \"%v\" in it", reference)
	}
	patterns := []string{}
	if text, isText := object.Get("pattern"); isText {
		if text, isString := text.(string); isString {
			patterns = append(patterns, text)
		}
	}
	if rules, isMap := object.Get("patternProperties"); isMap {
		if rules, isObject := rules.(*value.Object); isObject {
			patterns = append(patterns, rules.Names()...)
		}
	}
	for _, text := range patterns {
		compiled, err := regexp.Compile(text)
		if err != nil {
			return fmt.Errorf("cannot use the schema: %w", err)
		}
		v.patterns[text] = compiled
	}
	return nil
}

// inside returns the schemas in a schema.
func inside(object *value.Object) []any {
	var found []any
	for _, name := range nested {
		found = append(found, own(object, name)...)
	}
	for _, name := range nestedList {
		rule, _ := object.Get(name)
		found = append(found, listed(rule)...)
	}
	for _, name := range nestedMap {
		rule, _ := object.Get(name)
		if rules, isObject := rule.(*value.Object); isObject {
			for _, inner := range rules.Names() {
				found = append(found, own(rules, inner)...)
			}
		}
	}
	return found
}

// resolve returns the schema that a reference names; nil when there is none.
func (v *Validator) resolve(reference any) any {
	text, _ := reference.(string)
	if text != "#" && !strings.HasPrefix(text, "#/") {
		return nil
	}
	if unescaped, err := url.PathUnescape(text); err == nil {
		text = unescaped
	}
	target := v.root
	for _, part := range strings.Split(text, "/")[1:] {
		key := strings.NewReplacer("~1", "/", "~0", "~").Replace(part)
		switch holder := target.(type) {
		case *value.Object:
			member, isMember := holder.Get(key)
			if !isMember {
				return nil
			}
			target = member
		case []any:
			index, err := strconv.Atoi(key)
			if err != nil || index < 0 || index >= len(holder) {
				return nil
			}
			target = holder[index]
		default:
			return nil
		}
	}
	return target
}
