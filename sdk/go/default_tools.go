package svc

import (
	"encoding/json"
	"slices"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// webSearch is the hosted tool that WithDefaultBuiltinTools offers.
const webSearch = "web_search_preview"

// defaultTools are those of a client, for requests and applications without tools.
type defaultTools struct {
	local, hosted bool
	without       []string
	files, shell  string
	deny          []string
	permitFile    FilePermission
	permitShell   ShellPermission
	made          []Tool
}

var defaultToolNames = append(slices.Clone(localToolNames), webSearch)

// prepare checks the options and makes the tools.
func (d *defaultTools) prepare() error {
	for _, name := range d.without {
		if !slices.Contains(defaultToolNames, name) {
			return configurationError("cannot leave out the default tool %q: there are %s",
				name, strings.Join(defaultToolNames, ", "))
		}
	}
	if d.files == "" || d.shell == "" {
		return configurationError("cannot use an empty path as a workspace: give a folder, or leave it out")
	}
	if !d.local {
		return nil
	}
	tools, err := makeLocalTools(d)
	d.made = slices.DeleteFunc(tools, func(one Tool) bool { return slices.Contains(d.without, one.Name) })
	return err
}

func (d *defaultTools) localTools() []Tool {
	return d.made
}

func (d *defaultTools) hostedTools() []string {
	if !d.hosted || slices.Contains(d.without, webSearch) {
		return nil
	}
	return []string{webSearch}
}

// checkParameters returns an error for a schema that is no JSON object.
func checkParameters(one Tool) error {
	if one.Parameters == nil {
		return nil
	}
	if _, err := fields.Object(one.Parameters); err != nil {
		return configurationError("cannot register the tool %q: its Parameters are no JSON object", one.Name)
	}
	return nil
}

// parametersOf returns the schema to declare: of any object where a tool states none.
func parametersOf(one Tool) json.RawMessage {
	if one.Parameters == nil {
		return json.RawMessage(`{"type":"object"}`)
	}
	return one.Parameters
}
