package localtools

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"

	"svc.example/sdk/go/localtools/internal/ignore"
	"svc.example/sdk/go/localtools/internal/sandbox"
)

func TestModelsReadTheSameOfTheToolsInEveryLibrary(t *testing.T) {
	shared, err := os.ReadFile(vectors + "tools-declarations.json")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(shared, declarationsText) {
		t.Error("declarations.json differs from the shared vectors: copy tools-declarations.json")
	}
	var declarations []struct {
		Name, Description string
		Parameters        json.RawMessage
		TimeoutMs         int64 `json:"timeout_ms"`
	}
	readVectors(t, "tools-declarations.json", &declarations)
	tools, err := All(Options{})
	if err != nil || len(tools) != len(declarations) {
		t.Fatalf("got %d tools and %v", len(tools), err)
	}
	for index, declared := range declarations {
		made := tools[index]
		isSame := made.Name == declared.Name && made.Description == declared.Description &&
			bytes.Equal(made.Parameters, declared.Parameters) &&
			made.Timeout == time.Duration(declared.TimeoutMs)*time.Millisecond
		if !isSame || made.Handler == nil {
			t.Errorf("%s differs: %+v", declared.Name, made)
		}
	}
}

func TestTheDefaultDenyListNamesWhatHoldsSecrets(t *testing.T) {
	var cases struct{ Default, Denied, Open []string }
	readVectors(t, "tools-deny-list.json", &cases)
	if !slices.Equal(DefaultFileDeny(), cases.Default) {
		t.Error("the default list differs from the shared one")
	}
	workspace, err := sandbox.New(sandbox.NewShared("."), DefaultFileDeny())
	if err != nil {
		t.Fatal(err)
	}
	for isDenied, paths := range map[bool][]string{true: cases.Denied, false: cases.Open} {
		if len(paths) == 0 {
			t.Fatal("no paths")
		}
		for _, path := range paths {
			for _, place := range []string{"", "a/b/"} {
				if workspace.IsDenied(place+path) != isDenied {
					t.Errorf("%s%s: expected %v", place, path, isDenied)
				}
			}
		}
	}
}

func TestOptionsAreCheckedWhenAToolIsCreated(t *testing.T) {
	slow := make([]string, 17)
	for index := range slow {
		slow[index] = "**/a" + string(rune('a'+index)) + "/**"
	}
	many := make([]string, ignore.MaxRules+1)
	for index := range many {
		many[index] = "a" + string(rune(0x4e00+index))
	}
	for name, options := range map[string]Options{
		"three globstars":    {FileDeny: []string{"**/a/**/b/**"}},
		"slow patterns":      {FileDeny: slow},
		"many patterns":      {FileDeny: many},
		"no path":            {Workspace: NewFolder("")},
		"PermissionTimeout":  {PermissionTimeout: -1},
		"SearchTimeout":      {SearchTimeout: -1},
		"ShellTimeout":       {ShellTimeout: -1},
		"ShellOutputBytes":   {ShellOutputBytes: -1},
		"no path of a shell": {ShellWorkspace: NewFolder("")},
	} {
		if _, err := All(options); err == nil {
			t.Errorf("%s: expected an error", name)
		}
	}
	if made := must(t)(FileSearch(Options{SearchTimeout: 500 * time.Millisecond})); made.Timeout != 10_500*time.Millisecond {
		t.Errorf("the run's time limit is %v", made.Timeout)
	}
	short := Options{PermissionTimeout: 10 * time.Millisecond, ShellTimeout: 20 * time.Millisecond}
	made := must(t)(Shell(short))
	if made.Timeout != 2_030*time.Millisecond {
		t.Errorf("the run's time limit is %v", made.Timeout)
	}
	wantText(t, made.Description, "It is stopped after 0.02 seconds.")
	endless := must(t)(Shell(Options{ShellTimeout: 1<<63 - 1, PermissionTimeout: 1<<63 - 1}))
	if endless.Timeout != 1<<63-1 {
		t.Errorf("an endless limit is %v", endless.Timeout)
	}
}
