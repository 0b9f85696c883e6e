package svc

import (
	"regexp"
	"slices"
	"strings"
)

// Tags are names and values of a call, each sent in the header X-Tag: the service sums usage by
// them. There are up to eight. A name is a letter and up to 31 letters, digits and _.-, a value up
// to 64 letters, digits and _.:/@+=~!?*()-.
type Tags map[string]string

const tagsMax = 8

var (
	tagName  = regexp.MustCompile(`\A[A-Za-z][A-Za-z0-9_.-]{0,31}\z`)
	tagValue = regexp.MustCompile(`\A[A-Za-z0-9_.:/@+=~!?*()-]{1,64}\z`)
)

// header returns the value of the header in the order of names; empty without tags.
func (t Tags) header() (string, error) {
	if len(t) > tagsMax {
		return "", configurationError("cannot send %d tags: at most %d", len(t), tagsMax)
	}
	pairs := make([]string, 0, len(t))
	for name, value := range t {
		if !tagName.MatchString(name) {
			return "", configurationError(
				"cannot send the tag %q: its name is not a letter and up to 31 letters, digits and _.-", name)
		}
		if !tagValue.MatchString(value) {
			return "", configurationError(
				"cannot send the tag %q: its value is not 1 to 64 letters, digits and _.:/@+=~!?*()-", name)
		}
		pairs = append(pairs, name+"="+value)
	}
	slices.Sort(pairs)
	return strings.Join(pairs, ", "), nil
}
