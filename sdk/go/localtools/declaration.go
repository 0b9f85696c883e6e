package localtools

import (
	"context"
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"

	"svc.example/sdk/go/localtools/internal/schema"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// declarationsText is the same for all client libraries, word for word: the shared vectors hold it
// too.
//
//go:embed declarations.json
var declarationsText []byte

// declaration is a tool as a model reads it.
type declaration struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	validator   *schema.Validator
}

var declarations = readDeclarations()

func readDeclarations() map[string]declaration {
	var read []declaration
	if err := json.Unmarshal(declarationsText, &read); err != nil {
		panic(err)
	}
	byName := map[string]declaration{}
	for _, declared := range read {
		parameters, err := value.Parse(declared.Parameters)
		if err != nil {
			panic(err)
		}
		if declared.validator, err = schema.New(parameters); err != nil {
			panic(err)
		}
		byName[declared.Name] = declared
	}
	return byName
}

const (
	maxIssues     = 5
	maxIssueUnits = 300
)

// declared returns a tool whose handler receives only arguments that fit its schema.
func declared(name string, run func(ctx context.Context, input *value.Object) (any, error)) tool.Tool {
	known := declarations[name]
	return tool.Tool{
		Name: name, Description: known.Description, Parameters: known.Parameters,
		Handler: func(ctx context.Context, arguments json.RawMessage) (any, error) {
			input, err := value.Parse(arguments)
			if err != nil {
				return nil, invalid("The arguments are not JSON")
			}
			if issues := known.validator.Validate(input); len(issues) > 0 {
				return nil, unfit(issues)
			}
			// The schema demands an object.
			return run(ctx, input.(*value.Object))
		},
	}
}

func unfit(issues []schema.Issue) error {
	var shown []string
	for _, issue := range issues[:min(len(issues), maxIssues)] {
		message := issue.Message
		if issue.Path != "" {
			message = issue.Path + ": " + message
		}
		shown = append(shown, value.Cut(message, maxIssueUnits))
	}
	more := ""
	if omitted := len(issues) - len(shown); omitted > 0 {
		more = "; and " + strconv.Itoa(omitted) + " more"
	}
	return invalid("The arguments do not fit the parameters: " + strings.Join(shown, "; ") + more)
}

func refused(code, message string) error { return &tool.Error{Code: code, Message: message} }

func invalid(message string) error { return refused("invalid_tool_arguments", message) }
