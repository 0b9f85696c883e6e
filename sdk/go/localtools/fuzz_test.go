package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"unicode/utf8"

	"svc.example/sdk/go/tool"
)

// Whatever a model writes, the answer is a result or an error for the model.
func FuzzArguments(f *testing.F) {
	for _, seed := range []string{
		`{}`, `null`, `[]`, `{"path": "a.txt"}`, `{"path": "../x"}`, `{"path": "\ud800"}`, `{"path": "a\u0000"}`,
		`{"path": "a.txt", "start_line": 1e400}`, `{"path": "a.txt", "end_line": 9007199254740993}`,
		`{"query": "x", "glob": "{a,b}{1..9}[!c]*"}`, `{"glob": "[z-a]"}`, `{"path": "a.txt", "mode": "append", "content": "x"}`,
		`{"operation": "add", "duration": "P1M", "datetime": "-271821-04-20"}`, `{"expression": "9^9^9"}`,
		`{"operation": "difference", "datetime": "@-8640000000000", "until": "@8640000000000"}`,
		`{"operation": "convert", "datetime": "2026-02-29T24:00[UTC]"}`, `{"path": "a.txt", "path": 1}`,
	} {
		f.Add([]byte(seed))
	}
	workspace := f.TempDir()
	if err := os.WriteFile(workspace+"/a.txt", []byte("one\ntwo\n"), 0o644); err != nil {
		f.Fatal(err)
	}
	options := Options{Workspace: NewFolder(workspace)}
	tools := []tool.Tool{
		Calculator(), Datetime(options), must(f)(FileRead(options)), must(f)(ListDir(options)),
		must(f)(FileSearch(options)), must(f)(FileWrite(options)), must(f)(Shell(options)),
	}
	f.Fuzz(func(t *testing.T, arguments []byte) {
		for _, called := range tools {
			result, err := called.Handler(context.Background(), json.RawMessage(arguments))
			var refused *tool.Error
			switch {
			case err == nil:
				raw(t, result)
			case !errors.As(err, &refused):
				t.Errorf("%s: %v", called.Name, err)
			case refused.Code == "" || !utf8.ValidString(refused.Message) && utf8.Valid(arguments):
				t.Errorf("%s: the model cannot read %q", called.Name, refused.Message)
			}
		}
	})
}
