package schema

import (
	"strings"

	"svc.example/sdk/go/localtools/internal/value"
)

// longestName is the largest part of an unknown name that a message shows, in UTF-16 units.
const longestName = 64

func checkRequired(_ *Validator, rule, input any, at location) []Issue {
	object, isObject := input.(*value.Object)
	if !isObject {
		return nil
	}
	var issues []Issue
	for _, required := range listed(rule) {
		if name, isText := required.(string); isText && !object.Has(name) {
			issues = append(issues, Issue{at.path, `"` + name + `" is missing`})
		}
	}
	return issues
}

func checkProperties(v *Validator, rule, input any, at location) []Issue {
	if _, isObject := input.(*value.Object); !isObject {
		return nil
	}
	return v.each(input, at, func(name string, _ int) []any { return own(rule, name) })
}

func (v *Validator) patternsFor(rule any, name string) []any {
	rules, isObject := rule.(*value.Object)
	if !isObject {
		return nil
	}
	var found []any
	for _, text := range rules.Names() {
		if v.patterns[text].MatchString(name) {
			found = append(found, own(rules, text)...)
		}
	}
	return found
}

func checkPatternProperties(v *Validator, rule, input any, at location) []Issue {
	if _, isObject := input.(*value.Object); !isObject {
		return nil
	}
	return v.each(input, at, func(name string, _ int) []any { return v.patternsFor(rule, name) })
}

func checkAdditional(v *Validator, rule, input any, at location) []Issue {
	object, isObject := input.(*value.Object)
	if !isObject {
		return nil
	}
	properties, _ := at.schema.Get("properties")
	patterns, _ := at.schema.Get("patternProperties")
	isDeclared := func(name string) bool {
		return len(own(properties, name)) > 0 || len(v.patternsFor(patterns, name)) > 0
	}
	if rule != false {
		return v.each(input, at, func(name string, _ int) []any {
			if isDeclared(name) {
				return nil
			}
			return []any{rule}
		})
	}
	known := "none"
	if declared, isMap := properties.(*value.Object); isMap && declared.Len() > 0 {
		known = strings.Join(declared.Names(), ", ")
	}
	var issues []Issue
	for _, name := range object.Names() {
		if !isDeclared(name) {
			shown := value.Cut(name, longestName)
			message := `"` + shown + `" is not known; known are: ` + known
			issues = append(issues, Issue{at.path, message})
		}
	}
	return issues
}

func checkPrefix(v *Validator, rule, input any, at location) []Issue {
	if _, isArray := input.([]any); !isArray {
		return nil
	}
	rules := listed(rule)
	return v.each(input, at, func(_ string, index int) []any {
		if index >= len(rules) {
			return nil
		}
		return rules[index : index+1]
	})
}

func checkItems(v *Validator, rule, input any, at location) []Issue {
	if _, isArray := input.([]any); !isArray {
		return nil
	}
	prefix, _ := at.schema.Get("prefixItems")
	before := len(listed(prefix))
	return v.each(input, at, func(_ string, index int) []any {
		if index < before {
			return nil
		}
		return []any{rule}
	})
}
