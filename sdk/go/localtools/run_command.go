package localtools

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"svc.example/sdk/go/localtools/internal/process"
	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// maxCommandUnits of a command line: its bytes stay within the limit of every system.
const maxCommandUnits = 32_768

type runner struct {
	workspace         *sandbox.Workspace
	permission        ShellPermission
	permissionTimeout time.Duration
	timeout           time.Duration
	outputBytes       int
}

func (r runner) run(ctx context.Context, input *value.Object) (ShellResult, error) {
	if r.permission == nil {
		return ShellResult{}, notRun("the application permits no commands; " +
			"it can with a permission callback")
	}
	if runtime.GOOS == "windows" {
		return ShellResult{}, refused("not_supported", "Cannot run commands on Windows")
	}
	dir, err := findWorkingDir(r.workspace, input.Text("working_dir"))
	if err != nil {
		return ShellResult{}, err
	}
	request, err := readRequest(input)
	if err != nil {
		return ShellResult{}, err
	}
	request.WorkingDir, request.CallID = dir.path, tool.CallID(ctx)
	isGranted := sandbox.IsGranted(ctx, r.permissionTimeout, func(ctx context.Context) (bool, error) {
		shown := request
		shown.Args = slices.Clone(request.Args)
		return r.permission(ctx, shown)
	})
	if !isGranted {
		return ShellResult{}, notRun("the application did not permit this command")
	}
	if !dir.isSame() {
		return ShellResult{}, notRun("the folder was replaced after the command was permitted")
	}
	command := process.Command{
		File: "/bin/sh", Args: []string{"-c", "--", request.Command},
		Dir: dir.path, Env: commandEnvironment(dir.root),
	}
	if request.Args != nil {
		command.Args = append([]string{"-c", `exec "$@"`, "sh"}, request.Args...)
	}
	limits := process.Limits{Timeout: r.timeout, MaxOutputBytes: r.outputBytes}
	result, err := process.RunInGroup(ctx, command, limits)
	if err != nil {
		return ShellResult{}, err
	}
	return describeRun(result, r.timeout), nil
}

func notRun(reason string) error {
	return refused("permission_denied", "The command did not run: "+reason)
}

// readRequest returns the command line or the argument list of a call.
func readRequest(input *value.Object) (ShellPermissionRequest, error) {
	line := input.Text("command")
	var arguments []string
	if listed, isGiven := input.Get("args"); isGiven {
		for _, argument := range listed.([]any) {
			arguments = append(arguments, argument.(string))
		}
	}
	if (line == "") == (len(arguments) == 0) {
		return ShellPermissionRequest{}, invalid(`Give either "command" or "args"`)
	}
	if line == "" {
		quoted := make([]string, len(arguments))
		for index, argument := range arguments {
			quoted[index] = shellQuoted(argument)
		}
		line = strings.Join(quoted, " ")
	}
	switch {
	case strings.Contains(line, "\x00") || !utf8.ValidString(line):
		return ShellPermissionRequest{}, invalid(
			"A command cannot contain the character NUL, or half of a character")
	case len(arguments) > 0 && strings.HasPrefix(arguments[0], "-"):
		// Some shells would read it as an option of their own.
		return ShellPermissionRequest{}, invalid("The first of args is a program, not an option")
	case value.Units(line) > maxCommandUnits:
		return ShellPermissionRequest{}, invalid(fmt.Sprintf(
			"A command cannot be longer than %d characters", maxCommandUnits))
	}
	return ShellPermissionRequest{Command: line, Args: arguments}, nil
}

var plainArgument = regexp.MustCompile(`^[0-9A-Za-z_@%+=:,./-]+$`)

func shellQuoted(argument string) string {
	if plainArgument.MatchString(argument) {
		return argument
	}
	return "'" + strings.ReplaceAll(argument, "'", `'\''`) + "'"
}

func describeRun(run process.Result, timeout time.Duration) ShellResult {
	reasons := map[process.StopReason]string{
		process.StopTimeout: fmt.Sprintf("It was stopped after %s ms",
			value.Number(float64(timeout)/float64(time.Millisecond))),
		process.StopOutput: "It was stopped because it wrote too much",
		process.StopAbort:  "It was stopped because the result is not wanted any more",
	}
	result := ShellResult{
		Signal: run.Signal, Stopped: reasons[run.Stopped],
		Stdout: run.Stdout.Text(), Stderr: run.Stderr.Text(),
	}
	if run.Signal == "" {
		result.ExitCode = &run.ExitCode
	}
	return result
}

// inherited are the variables of the service's environment that a command receives: none that could
// be a secret.
var inherited = []string{"LANG", "LC_ALL", "TZ", "TMPDIR"}

const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

func commandEnvironment(home string) []string {
	variables := map[string]string{"LANG": "C.UTF-8"}
	for _, name := range inherited {
		if text, isSet := os.LookupEnv(name); isSet {
			variables[name] = text
		}
	}
	variables["PATH"], variables["HOME"] = absolutePath(os.Getenv("PATH")), home
	environment := make([]string, 0, len(variables))
	for name, text := range variables {
		environment = append(environment, name+"="+text)
	}
	slices.Sort(environment)
	return environment
}

// absolutePath removes relative and empty entries: with them, a file in the workspace could replace
// a program.
func absolutePath(path string) string {
	entries := slices.DeleteFunc(filepath.SplitList(path), func(entry string) bool {
		return !strings.HasPrefix(entry, "/")
	})
	if len(entries) == 0 {
		return defaultPath
	}
	return strings.Join(entries, ":")
}
