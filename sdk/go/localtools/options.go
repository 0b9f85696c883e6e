package localtools

import (
	"fmt"
	"time"

	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/tool"
)

// DefaultFileDeny returns the files that hold secrets, which no tool reads or searches unless the
// application decides otherwise: patterns as in a .gitignore, without regard to case. Files that end
// in .example, .sample or .template hold none.
func DefaultFileDeny() []string { return append([]string(nil), sandbox.DefaultFileDeny...) }

// Folder is a folder that tools work in and cannot leave. Its path is resolved once, at the first
// use of any tool with it.
type Folder struct{ shared *sandbox.Shared }

// NewFolder returns a folder without accessing the file system. A relative path begins at the
// working directory of the first use. Tools that share a folder have the same root, even when a link
// in its path is pointed elsewhere.
func NewFolder(path string) *Folder { return &Folder{sandbox.NewShared(path)} }

// Options of the local tools. The zero value stands for the working directory, the default deny
// list, and refuses every call of file_write and shell.
type Options struct {
	// Workspace is the folder that the tools work in. Nil: the working directory.
	Workspace *Folder
	// ShellWorkspace is the folder that commands start in, and no boundary. Nil: Workspace.
	ShellWorkspace *Folder
	// FileDeny are files that are neither read nor searched: at most 1,000 patterns as in a
	// .gitignore, each with at most two "**", and at most 16 with two. They replace the default
	// list; nil: [DefaultFileDeny], empty: none.
	FileDeny []string
	// FilePermission decides on each call of file_write. Nil: every call is refused.
	FilePermission FilePermission
	// ShellPermission decides on each call of shell. Nil: every call is refused.
	ShellPermission ShellPermission
	// PermissionTimeout is the longest wait for a permission; no answer refuses. Zero: five minutes.
	PermissionTimeout time.Duration
	// SearchTimeout is the time limit of a file_search; it then returns the matches so far. Zero:
	// thirty seconds.
	SearchTimeout time.Duration
	// ShellTimeout is the longest run of a command. Zero: one minute.
	ShellTimeout time.Duration
	// ShellOutputBytes are kept of each output of a command: half from its beginning, half from its
	// end. Zero: 32,768.
	ShellOutputBytes int
	// Now returns the present time for datetime. Nil: [time.Now].
	Now func() time.Time
	// Zone is the IANA name of the zone for times without one. Empty: "UTC".
	Zone string
}

// All returns the seven tools. It fails for a negative limit, a folder without a path, and a pattern
// of FileDeny that would have to be left out.
func All(options Options) ([]tool.Tool, error) {
	if options.Workspace == nil {
		// All file tools share one root.
		options.Workspace = NewFolder(".")
	}
	tools := []tool.Tool{Calculator(), Datetime(options)}
	for _, create := range []func(Options) (tool.Tool, error){
		FileRead, ListDir, FileSearch, FileWrite, Shell,
	} {
		created, err := create(options)
		if err != nil {
			return nil, err
		}
		tools = append(tools, created)
	}
	return tools, nil
}

func (o Options) workspace() (*sandbox.Workspace, error) {
	folder := o.Workspace
	if folder == nil {
		folder = NewFolder(".")
	}
	deny := o.FileDeny
	if deny == nil {
		deny = sandbox.DefaultFileDeny
	}
	return sandbox.New(folder.shared, deny)
}

const (
	defaultPermissionTimeout = 5 * time.Minute
	defaultSearchTimeout     = 30 * time.Second
	defaultShellTimeout      = time.Minute
	defaultShellOutputBytes  = 32_768
)

func limit[Limit time.Duration | int](name string, given, fallback Limit) (Limit, error) {
	switch {
	case given == 0:
		return fallback, nil
	case given < 0:
		return 0, fmt.Errorf("cannot use the limit %s %v: expected more than 0", name, given)
	default:
		return given, nil
	}
}
