// Package value holds parsed JSON as a model wrote it: the order of members is kept, numbers are
// doubles as in JSON of the web, and half of a surrogate pair is kept apart from a character.
package value

// Object is a JSON object in the order of its text. Of a name given twice, the last value counts,
// at the place of the first.
type Object struct {
	names  []string
	values map[string]any
}

// NewObject returns an empty object.
func NewObject() *Object { return &Object{values: map[string]any{}} }

// Set adds a member, or replaces its value.
func (o *Object) Set(name string, value any) {
	if _, known := o.values[name]; !known {
		o.names = append(o.names, name)
	}
	o.values[name] = value
}

// Get returns a member and true; nil and false when there is none.
func (o *Object) Get(name string) (any, bool) {
	value, known := o.values[name]
	return value, known
}

// Has is true for the name of a member.
func (o *Object) Has(name string) bool {
	_, known := o.values[name]
	return known
}

// Names returns the names of the members in their order. The caller must not change the slice.
func (o *Object) Names() []string { return o.names }

// Len returns the number of members.
func (o *Object) Len() int { return len(o.names) }

// Text returns a member that is a string, else an empty one.
func (o *Object) Text(name string) string {
	text, _ := o.values[name].(string)
	return text
}

// Int returns a member that is a number, cut to the range of int; fallback when there is none.
func (o *Object) Int(name string, fallback int) int {
	number, isNumber := o.values[name].(float64)
	if !isNumber {
		return fallback
	}
	const most = 1 << 53
	return int(max(-most, min(most, number)))
}

// Bool returns a member that is a boolean, else false.
func (o *Object) Bool(name string) bool {
	is, _ := o.values[name].(bool)
	return is
}
