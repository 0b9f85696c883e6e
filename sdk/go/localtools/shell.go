package localtools

import (
	"context"
	"math"
	"strings"
	"time"

	"svc.example/sdk/go/localtools/internal/process"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// ShellPermissionRequest is a command that the application is asked to permit. Exactly this runs once
// it is granted.
type ShellPermissionRequest struct {
	// Command is the command line; an argument list is quoted as a command line.
	Command string
	// Args is the argument list when the model gave one: it runs without a shell. It is a copy.
	Args []string
	// WorkingDir is the working directory: an absolute path without links.
	WorkingDir string
	// CallID is the id of the call that the model made.
	CallID string
}

// ShellPermission permits a command by true without an error; an error, a panic and silence refuse
// it. The context ends when the permission is no longer needed.
type ShellPermission func(ctx context.Context, request ShellPermissionRequest) (bool, error)

// ShellResult is the result of a command for the model.
type ShellResult struct {
	// ExitCode is nil when a signal ended the command.
	ExitCode *int `json:"exit_code"`
	// Signal that ended it, such as SIGTERM.
	Signal string `json:"signal,omitempty"`
	// Stopped is the reason for stopping it.
	Stopped string `json:"stopped,omitempty"`
	// Stdout is its standard output, cut in the middle when it is long.
	Stdout string `json:"stdout"`
	// Stderr is its standard error, cut likewise.
	Stderr string `json:"stderr"`
}

// Shell returns the tool shell. It is refused unless the ShellPermission callback grants the very
// call. A granted command runs in a session and process group of its own, with a time limit and a
// clean environment, without input, and no process of it outlives the call. It needs a Unix. Its
// result is a [ShellResult].
//
// A command may do all that its user may: the workspace is where it starts, and no boundary. A
// process that leaves the group and clears its environment is not found; only a container holds such
// programs.
func Shell(options Options) (tool.Tool, error) {
	if options.ShellWorkspace != nil {
		options.Workspace = options.ShellWorkspace
	}
	options.FileDeny = nil
	workspace, err := options.workspace()
	if err != nil {
		return tool.Tool{}, err
	}
	runner := runner{workspace: workspace, permission: options.ShellPermission}
	runner.permissionTimeout, err = limit(
		"PermissionTimeout", options.PermissionTimeout, defaultPermissionTimeout)
	if err != nil {
		return tool.Tool{}, err
	}
	runner.timeout, err = limit("ShellTimeout", options.ShellTimeout, defaultShellTimeout)
	if err != nil {
		return tool.Tool{}, err
	}
	runner.outputBytes, err = limit(
		"ShellOutputBytes", options.ShellOutputBytes, defaultShellOutputBytes)
	if err != nil {
		return tool.Tool{}, err
	}
	created := declared("shell", func(ctx context.Context, input *value.Object) (any, error) {
		result, err := runner.run(ctx, input)
		if err != nil {
			return nil, err
		}
		return result, nil
	})
	created.Description = strings.Replace(created.Description, "after 60 seconds",
		"after "+value.Number(runner.timeout.Seconds())+" seconds", 1)
	// The runner of the tool has to wait for the permission, the command and its end.
	created.Timeout = saturated(runner.permissionTimeout, runner.timeout, 2*process.Grace)
	return created, nil
}

// saturated returns a sum of durations, at most the longest that there is.
func saturated(durations ...time.Duration) time.Duration {
	total := time.Duration(0)
	for _, duration := range durations {
		if duration > math.MaxInt64-total {
			return math.MaxInt64
		}
		total += duration
	}
	return total
}
