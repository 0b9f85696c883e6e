package schema

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"svc.example/sdk/go/localtools/internal/value"
)

type keyword func(v *Validator, rule, input any, at location) []Issue

// keywords restrict values, as JSON Schema 2020-12 defines them. "type" comes before all of them.
var keywords map[string]keyword

func init() {
	keywords = map[string]keyword{
		"enum":                 checkEnum,
		"const":                checkConst,
		"minimum":              bound(number, atLeast, "expected at least %s"),
		"maximum":              bound(number, atMost, "expected at most %s"),
		"exclusiveMinimum":     bound(number, above, "expected > %s"),
		"exclusiveMaximum":     bound(number, below, "expected < %s"),
		"multipleOf":           bound(number, isMultiple, "expected a multiple of %s"),
		"minLength":            bound(length, atLeast, "expected at least %s characters"),
		"maxLength":            bound(length, atMost, "expected at most %s characters"),
		"minItems":             bound(count, atLeast, "expected at least %s items"),
		"maxItems":             bound(count, atMost, "expected at most %s items"),
		"minProperties":        bound(members, atLeast, "expected at least %s properties"),
		"maxProperties":        bound(members, atMost, "expected at most %s properties"),
		"pattern":              checkPattern,
		"uniqueItems":          checkUnique,
		"required":             checkRequired,
		"properties":           checkProperties,
		"patternProperties":    checkPatternProperties,
		"additionalProperties": checkAdditional,
		"prefixItems":          checkPrefix,
		"items":                checkItems,
		"allOf":                checkAll,
		"anyOf":                checkAny,
		"oneOf":                checkOne,
		"not":                  checkNot,
		"$ref":                 checkReference,
	}
}

func expect(isMet bool, message string, at location) []Issue {
	if isMet {
		return nil
	}
	return []Issue{{at.path, message}}
}

func typeMatches(name, input any) bool {
	switch input := input.(type) {
	case nil:
		return name == "null"
	case bool:
		return name == "boolean"
	case string:
		return name == "string"
	case []any:
		return name == "array"
	case *value.Object:
		return name == "object"
	case float64:
		isInteger := input == math.Trunc(input) && !math.IsInf(input, 0)
		return name == "number" || name == "integer" && isInteger
	}
	return false
}

func checkType(rule, input any, at location) []Issue {
	types := listed(rule)
	if types == nil {
		types = []any{rule}
	}
	names := make([]string, len(types))
	for index, name := range types {
		if typeMatches(name, input) {
			return nil
		}
		names[index] = fmt.Sprint(name)
	}
	return []Issue{{at.path, "expected " + strings.Join(names, " or ")}}
}

func checkEnum(_ *Validator, rule, input any, at location) []Issue {
	actual := value.Canonical(input)
	var choices []string
	for _, choice := range listed(rule) {
		text := value.Canonical(choice)
		if text == actual {
			return nil
		}
		choices = append(choices, text)
	}
	return []Issue{{at.path, "expected one of " + strings.Join(choices, ", ")}}
}

func checkConst(_ *Validator, rule, input any, at location) []Issue {
	expected := value.Canonical(rule)
	return expect(expected == value.Canonical(input), "expected "+expected, at)
}

// bound returns a keyword that bounds a measure of values of one kind.
func bound(measure func(any) (float64, bool), holds func(measured, limit float64) bool, say string) keyword {
	return func(_ *Validator, rule, input any, at location) []Issue {
		limit, isNumber := rule.(float64)
		measured, isMeasured := measure(input)
		if !isNumber || !isMeasured {
			return nil
		}
		return expect(holds(measured, limit), fmt.Sprintf(say, value.Number(limit)), at)
	}
}

func number(input any) (float64, bool) {
	measured, isNumber := input.(float64)
	return measured, isNumber
}

func length(input any) (float64, bool) {
	text, isText := input.(string)
	return float64(utf8.RuneCountInString(text)), isText
}

func count(input any) (float64, bool) {
	items, isArray := input.([]any)
	return float64(len(items)), isArray
}

func members(input any) (float64, bool) {
	object, isObject := input.(*value.Object)
	if !isObject {
		return 0, false
	}
	return float64(object.Len()), true
}

func atLeast(measured, limit float64) bool { return measured >= limit }
func atMost(measured, limit float64) bool  { return measured <= limit }
func above(measured, limit float64) bool   { return measured > limit }
func below(measured, limit float64) bool   { return measured < limit }

func isMultiple(measured, of float64) bool {
	quotient := measured / of
	const tolerance = 1e-9
	return math.Abs(quotient-math.Round(quotient)) <= tolerance*math.Max(1, math.Abs(quotient))
}

func checkPattern(v *Validator, rule, input any, at location) []Issue {
	text, isText := input.(string)
	pattern, isPattern := rule.(string)
	if !isText || !isPattern {
		return nil
	}
	return expect(v.patterns[pattern].MatchString(text), "expected text that matches "+pattern, at)
}

func checkUnique(_ *Validator, rule, input any, at location) []Issue {
	items, isArray := input.([]any)
	if rule != true || !isArray {
		return nil
	}
	known := map[string]bool{}
	for _, item := range items {
		known[value.Canonical(item)] = true
	}
	return expect(len(known) == len(items), "expected no item twice", at)
}

func checkAll(v *Validator, rule, input any, at location) []Issue {
	var issues []Issue
	for _, rules := range listed(rule) {
		issues = append(issues, v.validate(rules, input, at)...)
	}
	return issues
}

func checkAny(v *Validator, rule, input any, at location) []Issue {
	return v.alternatives(rule, input, at)
}

func checkOne(v *Validator, rule, input any, at location) []Issue {
	fitting := 0
	for _, rules := range listed(rule) {
		if v.fits(rules, input, at) {
			fitting++
		}
	}
	if fitting == 0 {
		return v.alternatives(rule, input, at)
	}
	return expect(fitting == 1, "expected to fit one alternative only", at)
}

func checkNot(v *Validator, rule, input any, at location) []Issue {
	return expect(!v.fits(rule, input, at), "expected something that is not excluded", at)
}

func checkReference(v *Validator, rule, input any, at location) []Issue {
	return v.validate(v.resolve(rule), input, at)
}
