// Package schema validates the arguments of tools against JSON Schema, draft 2020-12.
//
// The messages are for the model that wrote the arguments, so that it can correct them; a library
// for schemas speaks to programmers. They are those of the TypeScript tools, word for word, which
// the shared vectors hold.
package schema

import (
	"slices"
	"strconv"

	"svc.example/sdk/go/localtools/internal/value"
)

// Issue is a violation of a schema.
type Issue struct {
	// Path of the value, as in items[2].name; empty for the value itself.
	Path string
	// Message is the expected value.
	Message string
}

const maxDepth = 100

// maxEffort is the largest number of schema applications in one validation: recursive alternatives
// double the work with every level of a value.
const maxEffort = 200_000

// Validator checks values. It is safe for concurrent use.
type Validator struct {
	root     any
	patterns map[string]pattern
}

// New returns a validator. It fails for a keyword that is not checked here, a reference that leads
// nowhere and a pattern that cannot be used: a restriction is never ignored.
func New(root any) (*Validator, error) {
	v := &Validator{root: root, patterns: map[string]pattern{}}
	if err := v.check(root); err != nil {
		return nil, err
	}
	return v, nil
}

// Validate returns the violations, none for a value that fits.
func (v *Validator) Validate(input any) []Issue {
	effort := maxEffort
	issues := v.validate(v.root, input, location{effort: &effort})
	if effort < 0 {
		return []Issue{{Message: "too large, or nested too deeply"}}
	}
	return issues
}

// location is a place in a value, with the schema that applies there.
type location struct {
	path   string
	schema *value.Object
	depth  int
	// effort is shared by the whole validation; below zero, it is incomplete.
	effort *int
}

func (l location) below(path string) location {
	l.path = path
	return l
}

func (v *Validator) validate(rules, input any, at location) []Issue {
	if at.depth > maxDepth {
		*at.effort = 0
	}
	*at.effort--
	if *at.effort < 0 {
		return nil
	}
	if rules == false {
		return []Issue{{at.path, "expected nothing here"}}
	}
	object, isObject := rules.(*value.Object)
	if !isObject {
		return nil
	}
	at.schema = object
	at.depth++
	if rule, isTyped := object.Get("type"); isTyped {
		if issues := checkType(rule, input, at); len(issues) > 0 {
			return issues
		}
	}
	var issues []Issue
	for _, name := range object.Names() {
		if keyword, isKnown := keywords[name]; isKnown {
			rule, _ := object.Get(name)
			issues = append(issues, keyword(v, rule, input, at)...)
		}
	}
	return issues
}

func (v *Validator) fits(rules, input any, at location) bool {
	return len(v.validate(rules, input, at)) == 0
}

// each applies the selected schemas to every entry of an array or an object.
func (v *Validator) each(input any, at location, choose func(key string, index int) []any) []Issue {
	var issues []Issue
	apply := func(path string, item any, schemas []any) {
		for _, rules := range schemas {
			issues = append(issues, v.validate(rules, item, at.below(path))...)
		}
	}
	switch input := input.(type) {
	case []any:
		for index, item := range input {
			apply(at.path+"["+strconv.Itoa(index)+"]", item, choose("", index))
		}
	case *value.Object:
		for _, name := range input.Names() {
			path := name
			if at.path != "" {
				path = at.path + "." + name
			}
			item, _ := input.Get(name)
			apply(path, item, choose(name, -1))
		}
	}
	return issues
}

// alternatives returns the issues of the alternative with the fewest, which gives the best message.
func (v *Validator) alternatives(rule, input any, at location) []Issue {
	var tried [][]Issue
	for _, rules := range listed(rule) {
		tried = append(tried, v.validate(rules, input, at))
	}
	if len(tried) == 0 {
		return nil
	}
	return slices.MinFunc(tried, func(one, other []Issue) int { return len(one) - len(other) })
}

func listed(rule any) []any {
	items, _ := rule.([]any)
	return items
}

// own returns the member of an object as a list of one, or an empty list.
func own(record any, name string) []any {
	if object, isObject := record.(*value.Object); isObject && object.Has(name) {
		member, _ := object.Get(name)
		return []any{member}
	}
	return nil
}
