package svc

import "context"

// localToolNames are those of the built-in local tools, in the order of their declaration.
var localToolNames = []string{"calculator", "datetime", "file_read", "list_dir", "file_search",
	"file_write", "shell"}

type FilePermission func(context.Context, struct{ Root string }) bool
type ShellPermission func(context.Context, struct{ Command, WorkingDir string }) bool

func makeLocalTools(*defaultTools) []Tool { return nil }
func checkDeny([]string) error            { return nil }
