//go:build unix

package localtools

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// whole returns a value in which every list of pieces is the text that they make.
func whole(given any) any {
	switch given := given.(type) {
	case []any:
		if isPieces(given) {
			return joined(given)
		}
		items := make([]any, len(given))
		for index, item := range given {
			items[index] = whole(item)
		}
		return items
	case *value.Object:
		if given.Has("units") {
			return joined(given)
		}
		members := value.NewObject()
		for _, name := range given.Names() {
			members.Set(name, whole(get(given, name)))
		}
		return members
	default:
		return given
	}
}

func isPieces(items []any) bool {
	for _, item := range items {
		piece, isList := item.([]any)
		if !isList || len(piece) != 2 {
			return false
		}
		_, isText := piece[0].(string)
		_, isNumber := piece[1].(float64)
		if !isText || !isNumber {
			return false
		}
	}
	return len(items) > 0
}

// lab is a workspace with a neighbour outside.
func lab(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := world{root: root}
	w.put(t, "outside.txt", "outside")
	if err := os.Mkdir(root+"/workspace", 0o755); err != nil {
		t.Fatal(err)
	}
	return root + "/workspace"
}

func putEntry(t *testing.T, workspace, path string, entry any) {
	t.Helper()
	at := workspace + "/" + path
	if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
		t.Fatal(err)
	}
	if text, isText := entry.(string); isText {
		if err := os.WriteFile(at, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	given := entry.(*value.Object)
	var err error
	switch {
	case given.Has("link"):
		err = os.Symlink(given.Text("link"), at)
	case given.Has("hardLink"):
		err = os.Link(workspace+"/"+given.Text("hardLink"), at)
	case given.Has("bytes"):
		var content []byte
		for _, one := range get(given, "bytes").([]any) {
			content = append(content, byte(one.(float64)))
		}
		err = os.WriteFile(at, content, 0o644)
	case given.Has("size"):
		err = errors.Join(os.WriteFile(at, nil, 0o644), os.Truncate(at, int64(given.Int("size", 0))))
	default:
		err = os.Mkdir(at, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func fileTools(t *testing.T, options Options) map[string]tool.Tool {
	t.Helper()
	return map[string]tool.Tool{
		"file_read": must(t)(FileRead(options)), "file_search": must(t)(FileSearch(options)),
		"file_write": must(t)(FileWrite(options)), "list_dir": must(t)(ListDir(options)),
	}
}

func take(t *testing.T, tools map[string]tool.Tool, workspace string, step *value.Object) {
	t.Helper()
	given := get(step, "input").(*value.Object)
	input := value.NewObject()
	for _, name := range given.Names() {
		input.Set(name, get(given, name))
	}
	if path, isText := get(input, "path").(string); isText {
		input.Set("path", strings.Replace(path, "{workspace}", workspace, 1))
	}
	arguments := json.RawMessage(value.Canonical(input))
	result, err := callWith(t, t.Context(), tools[step.Text("tool")], arguments)
	if step.Has("code") {
		wantText(t, refusalOf(t, result, err, step.Text("code")), step.Text("message"))
		return
	}
	var expected map[string]any
	if err := json.Unmarshal([]byte(value.Canonical(get(step, "result"))), &expected); err != nil {
		t.Fatal(err)
	}
	if err != nil || !reflect.DeepEqual(result, expected) {
		t.Errorf("%.300s: got %.1000v and %v, expected %.1000v", arguments, result, err, expected)
	}
}

func TestFileVectors(t *testing.T) {
	text, err := os.ReadFile(vectors + "tools-files.json")
	if err != nil {
		t.Fatal(err)
	}
	scenarios, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range whole(scenarios).([]any) {
		scenario := one.(*value.Object)
		t.Run(scenario.Text("name"), func(t *testing.T) {
			workspace := lab(t)
			files := get(scenario, "files").(*value.Object)
			for _, path := range files.Names() {
				putEntry(t, workspace, path, get(files, path))
			}
			options := Options{Workspace: NewFolder(workspace), FilePermission: permissions[""]}
			if scenario.Has("fileDeny") {
				options.FileDeny = texts(get(scenario, "fileDeny"))
			}
			tools := fileTools(t, options)
			for _, step := range get(scenario, "steps").([]any) {
				take(t, tools, workspace, step.(*value.Object))
			}
			after, isGiven := get(scenario, "after").(*value.Object)
			if !isGiven {
				return
			}
			for _, path := range after.Names() {
				if text, err := os.ReadFile(workspace + "/" + path); string(text) != after.Text(path) {
					t.Errorf("%s has %q, %v", path, text, err)
				}
			}
		})
	}
}
