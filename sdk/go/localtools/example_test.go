package localtools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"svc.example/sdk/go/localtools"
	"svc.example/sdk/go/tool"
)

func Example() {
	tools, err := localtools.All(localtools.Options{Workspace: localtools.NewFolder(".")})
	if err != nil {
		panic(err)
	}
	for _, one := range tools {
		fmt.Println(one.Name)
	}
	// Output:
	// calculator
	// datetime
	// file_read
	// list_dir
	// file_search
	// file_write
	// shell
}

// show runs a call as a loop would, and prints the result, or the error for the model.
func show(called tool.Tool, arguments string) {
	ctx := tool.WithCallID(context.Background(), "call_1")
	result, err := called.Handler(ctx, json.RawMessage(arguments))
	if err != nil {
		fmt.Println(err)
		return
	}
	text, err := json.Marshal(result)
	fmt.Println(string(text), err)
}

func ExampleCalculator() {
	show(localtools.Calculator(), `{"expression": "0.1 + 0.2"}`)
	show(localtools.Calculator(), `{"expression": "200 / (3 - 3)"}`)
	// Output:
	// {"result":"0.3","exact":true} <nil>
	// Cannot divide by zero (at character 5)
}

func ExampleDatetime() {
	now := func() time.Time { return time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC) }
	datetime := localtools.Datetime(localtools.Options{Now: now})
	result, err := datetime.Handler(context.Background(),
		json.RawMessage(`{"operation": "add", "duration": "1 month"}`))
	if err != nil {
		panic(err)
	}
	described := result.(localtools.DatetimeResult)
	fmt.Println(described.Datetime, described.Weekday)
	// Output: 2026-02-28T12:00:00+00:00 Saturday
}

func ExampleFileWrite() {
	folder, err := os.MkdirTemp("", "project-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	options := localtools.Options{Workspace: localtools.NewFolder(folder)}
	options.FilePermission = func(_ context.Context, request localtools.FilePermissionRequest) (bool, error) {
		return strings.HasPrefix(request.Path, "notes/") && !request.Exists, nil
	}
	write, err := localtools.FileWrite(options)
	if err != nil {
		panic(err)
	}
	show(write, `{"path": "notes/a.txt", "mode": "create", "content": "milk"}`)
	show(write, `{"path": "main.go", "mode": "create", "content": ""}`)
	// Output:
	// {"path":"notes/a.txt","size_bytes":4} <nil>
	// Cannot write "main.go": the permission was not given
}

func ExampleShell() {
	options := localtools.Options{Workspace: localtools.NewFolder(".")}
	options.ShellPermission = func(_ context.Context, request localtools.ShellPermissionRequest) (bool, error) {
		return len(request.Args) > 0 && request.Args[0] == "echo", nil
	}
	shell, err := localtools.Shell(options)
	if err != nil {
		panic(err)
	}
	show(shell, `{"args": ["echo", "hello"]}`)
	// Output: {"exit_code":0,"stdout":"hello\n","stderr":""} <nil>
}
