//go:build unix

package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	// there is a shell line that waits until the parallel process has begun.
	there = "until [ -e there ]; do sleep 0.02; done"
	// begun is time enough for a shell to begin.
	begun = 1_500 * time.Millisecond
)

func grant(context.Context, ShellPermissionRequest) (bool, error) { return true, nil }

func runShell(t *testing.T, options Options, input any) (map[string]any, error) {
	t.Helper()
	if options.ShellPermission == nil {
		options.ShellPermission = grant
	}
	return call(t, must(t)(Shell(options)), input)
}

func runs(t *testing.T, options Options, input any) map[string]any {
	t.Helper()
	result, err := runShell(t, options, input)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func shellRefusal(t *testing.T, options Options, input any, code string) string {
	t.Helper()
	result, err := runShell(t, options, input)
	return refusalOf(t, result, err, code)
}

func line(command string) map[string]any { return map[string]any{"command": command} }

// assertGone waits until processes are gone; one that stays makes the test fail.
func assertGone(t *testing.T, pids any) {
	t.Helper()
	all := strings.Fields(fmt.Sprint(pids))
	if len(all) == 0 {
		t.Fatal("no processes")
	}
	for _, pid := range all {
		if !regexp.MustCompile(`^\d+$`).MatchString(pid) {
			t.Fatalf("%q is no process", pid)
		}
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			// The state of a dead process that is not yet reaped begins with Z.
			state, _ := exec.Command("ps", "-o", "stat=", "-p", pid).Output()
			if text := strings.TrimSpace(string(state)); text == "" || text[0] == 'Z' {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("process %s is still running", pid)
			}
		}
	}
}

func TestACommandRunsWhereItWasAskedTo(t *testing.T) {
	workspace := lab(t)
	options := Options{Workspace: NewFolder(workspace)}
	if err := os.Mkdir(workspace+"/my folder", 0o755); err != nil {
		t.Fatal(err)
	}
	for _, one := range []struct{ input, expected map[string]any }{
		{
			map[string]any{"command": "pwd; echo oops >&2; exit 3", "working_dir": "my folder"},
			map[string]any{"exit_code": 3.0, "stdout": workspace + "/my folder\n", "stderr": "oops\n"},
		}, {
			map[string]any{
				"args": []string{"printf", "%s|", "a b", "$HOME", "it's", "*", "-n"}, "working_dir": ""},
			map[string]any{"exit_code": 0.0, "stdout": "a b|$HOME|it's|*|-n|", "stderr": ""},
		}, {
			line("kill -TERM $$"),
			map[string]any{"exit_code": nil, "signal": "SIGTERM", "stdout": "", "stderr": ""},
		},
	} {
		if result := runs(t, options, one.input); !reflect.DeepEqual(result, one.expected) {
			t.Errorf("%v: got %v", one.input, result)
		}
	}
	for _, input := range []any{
		map[string]any{"args": []string{"no-such-program"}},
		map[string]any{"command": "-e", "args": []string{}},
	} {
		if result := runs(t, options, input); result["exit_code"] != 127.0 {
			t.Errorf("%v: got %v", input, result)
		}
	}
}

func TestWithoutAPermissionEveryCommandIsRefused(t *testing.T) {
	message := refusal(t, must(t)(Shell(Options{})), line("id"), "permission_denied")
	wantText(t, message, "permission callback")
}

func TestAnythingButAPlainGrantRefusesACommand(t *testing.T) {
	workspace := lab(t)
	for name, permission := range map[string]ShellPermission{
		"no":    func(context.Context, ShellPermissionRequest) (bool, error) { return false, nil },
		"error": func(context.Context, ShellPermissionRequest) (bool, error) { return true, errors.New("no") },
		"panic": func(context.Context, ShellPermissionRequest) (bool, error) { panic("broken") },
		"silence": func(ctx context.Context, _ ShellPermissionRequest) (bool, error) {
			<-ctx.Done()
			return true, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			options := Options{
				Workspace: NewFolder(workspace), ShellPermission: permission,
				PermissionTimeout: 20 * time.Millisecond,
			}
			shellRefusal(t, options, line("touch ran"), "permission_denied")
		})
	}
	if names := namesIn(t, workspace); len(names) > 0 {
		t.Errorf("a command ran: %v", names)
	}
}

func TestTheShellPermissionSeesTheVeryCall(t *testing.T) {
	workspace := lab(t)
	if err := os.Mkdir(workspace+"/sub", 0o755); err != nil {
		t.Fatal(err)
	}
	var seen []ShellPermissionRequest
	options := Options{Workspace: NewFolder(workspace)}
	options.ShellPermission = func(_ context.Context, request ShellPermissionRequest) (bool, error) {
		copied := request
		copied.Args = slices.Clone(request.Args)
		seen = append(seen, copied)
		// It receives a copy.
		if request.Args != nil {
			request.Args[1] = "changed"
		}
		return true, nil
	}
	args := []string{"echo", "a b", "it's"}
	result := runs(t, options, map[string]any{"args": args, "working_dir": "sub"})
	if result["stdout"] != "a b it's\n" {
		t.Errorf("got %v", result)
	}
	runs(t, options, line("echo 1"))
	expected := []ShellPermissionRequest{
		{Command: `echo 'a b' 'it'\''s'`, Args: args, WorkingDir: workspace + "/sub", CallID: "call_1"},
		{Command: "echo 1", WorkingDir: workspace, CallID: "call_1"},
	}
	if !reflect.DeepEqual(seen, expected) {
		t.Errorf("got %+v", seen)
	}
}

func TestAFolderThatWasReplacedAfterTheGrantIsNotRunIn(t *testing.T) {
	for name, replace := range map[string]func(path string) error{
		"link":    func(path string) error { return os.Symlink("/", path) },
		"folder":  func(path string) error { return os.Mkdir(path, 0o755) },
		"nothing": func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			workspace := lab(t)
			sub := workspace + "/sub"
			if err := os.Mkdir(sub, 0o755); err != nil {
				t.Fatal(err)
			}
			options := Options{Workspace: NewFolder(workspace)}
			options.ShellPermission = func(context.Context, ShellPermissionRequest) (bool, error) {
				return true, errors.Join(os.Rename(sub, workspace+"/moved"), replace(sub))
			}
			input := map[string]any{"command": "pwd", "working_dir": "sub"}
			wantText(t, shellRefusal(t, options, input, "permission_denied"), "replaced")
		})
	}
}

func TestTheWorkingFolderIsInsideTheWorkspace(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "file", "")
	if err := os.Symlink("/", workspace+"/out"); err != nil {
		t.Fatal(err)
	}
	options := Options{Workspace: NewFolder(workspace)}
	options.ShellPermission = func(context.Context, ShellPermissionRequest) (bool, error) {
		t.Error("a command that cannot run was asked for")
		return true, nil
	}
	for folder, code := range map[string]string{
		"..": "outside_workspace", "/": "outside_workspace", "out": "outside_workspace",
		"out/tmp": "outside_workspace", "none": "file_not_found", "file": "not_a_folder",
	} {
		shellRefusal(t, options, map[string]any{"command": "pwd", "working_dir": folder}, code)
	}
}

func TestACallIsACommandLineOrAList(t *testing.T) {
	shell := must(t)(Shell(Options{Workspace: NewFolder(lab(t)), ShellPermission: grant}))
	for _, input := range []any{
		map[string]any{}, map[string]any{"command": "a", "args": []string{"b"}}, line("a\x00b"),
		map[string]any{"args": []string{"a\x00"}}, line(""), map[string]any{"args": []int{1}},
		map[string]any{"command": "a", "env": map[string]any{}}, line(strings.Repeat("a", 32_769)),
		map[string]any{"args": slices.Repeat([]string{"aa"}, 20_000)},
		map[string]any{"args": []string{"-c", "id"}},
	} {
		refusal(t, shell, input, "invalid_tool_arguments")
	}
	for _, half := range []string{`{"command": "echo \ud800"}`, `{"args": ["echo", "\ud800"]}`, `{`} {
		result, err := callWith(t, t.Context(), shell, json.RawMessage(half))
		refusalOf(t, result, err, "invalid_tool_arguments")
	}
}

func TestACommandSeesNothingOfItsServicesEnvironment(t *testing.T) {
	workspace := lab(t)
	t.Setenv("TEST_API_KEY", "secret")
	result := runs(t, Options{Workspace: NewFolder(workspace)}, line("env; cat; echo end"))
	known := strings.Fields("PATH LANG LC_ALL TZ TMPDIR HOME PWD SHLVL _ OLDPWD SVC_TOOLS_RUN end")
	stdout := fmt.Sprint(result["stdout"])
	for variable := range strings.Lines(stdout) {
		name, _, _ := strings.Cut(strings.TrimSpace(variable), "=")
		if !slices.Contains(known, name) {
			t.Errorf("the command sees %s", name)
		}
	}
	wantText(t, stdout, "HOME="+workspace+"\n")
	wantText(t, stdout, "\nend\n")
}

func TestAProgramIsLookedForInAbsoluteFoldersAlone(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "planted", "#!/bin/sh\necho planted")
	if err := os.Chmod(workspace+"/planted", 0o755); err != nil {
		t.Fatal(err)
	}
	before := os.Getenv("PATH")
	for _, path := range []string{".:" + before, ":" + before, before + "::", "../bin:bin", ""} {
		t.Setenv("PATH", path)
		result := runs(t, Options{Workspace: NewFolder(workspace)}, line("planted; echo $PATH"))
		for folder := range strings.SplitSeq(strings.TrimSpace(fmt.Sprint(result["stdout"])), ":") {
			if !strings.HasPrefix(folder, "/") {
				t.Errorf("%q: programs come from %q", path, folder)
			}
		}
	}
}

func TestProcessesInTheBackgroundEndWithTheCommand(t *testing.T) {
	const background = `(trap '' TERM; sleep 300 & echo $!; touch there; wait) & echo $!; ` + there
	result := runs(t, Options{Workspace: NewFolder(lab(t))}, line(background))
	if result["exit_code"] != 0.0 || strings.Count(fmt.Sprint(result["stdout"]), "\n") != 2 {
		t.Errorf("got %v", result)
	}
	assertGone(t, result["stdout"])
	// Without the mark in its environment, only its group tells whose it is.
	unmarked := runs(t, Options{Workspace: NewFolder(lab(t))}, line("env -i sleep 300 & echo $!"))
	assertGone(t, unmarked["stdout"])
}

func TestACommandLeadsASessionOfItsOwn(t *testing.T) {
	result := runs(t, Options{Workspace: NewFolder(lab(t))}, line("echo $$; ps -o sid= -p $$"))
	if numbers := strings.Fields(fmt.Sprint(result["stdout"])); len(numbers) != 2 || numbers[0] != numbers[1] {
		t.Errorf("got %v", result)
	}
}

func TestTheTimeLimitEndsChildrenThatIgnoreTheRequest(t *testing.T) {
	options := Options{Workspace: NewFolder(lab(t)), ShellTimeout: begun}
	const stubborn = "trap '' TERM; (sleep 300 & echo $!; wait) & echo $!; while :; do sleep 1; done"
	result := runs(t, options, line(stubborn))
	if result["signal"] != "SIGKILL" || result["stopped"] != "It was stopped after 1500 ms" {
		t.Errorf("got %v", result)
	}
	assertGone(t, result["stdout"])
	polite := runs(t, options, line("echo $$; exec sleep 300"))
	if polite["exit_code"] != nil || polite["signal"] != "SIGTERM" {
		t.Errorf("got %v", polite)
	}
	assertGone(t, polite["stdout"])
}

func TestTheEndOfTheContextEndsTheGroup(t *testing.T) {
	workspace := lab(t)
	shell := must(t)(Shell(Options{Workspace: NewFolder(workspace), ShellPermission: grant}))
	ctx, cancel := context.WithCancel(t.Context())
	pids := make(chan string, 1)
	go func() {
		defer cancel()
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			if text, err := os.ReadFile(workspace + "/ready"); err == nil {
				pids <- string(text)
				return
			}
		}
		pids <- ""
	}()
	command := json.RawMessage(`{"command": "sleep 300 & echo $! $$ > pids; mv pids ready; wait"}`)
	result, err := callWith(t, ctx, shell, command)
	if err != nil {
		t.Fatal(err)
	}
	wantText(t, fmt.Sprint(result["stopped"]), "not wanted")
	assertGone(t, <-pids)
	result, err = callWith(t, ctx, shell, json.RawMessage(`{"command": "touch ran"}`))
	refusalOf(t, result, err, "permission_denied")
	if names := namesIn(t, workspace); !slices.Equal(names, []string{"ready"}) {
		t.Errorf("got %v", names)
	}
}

func TestLongOutputIsCutAndEndlessOutputEndsTheCommand(t *testing.T) {
	options := Options{Workspace: NewFolder(lab(t)), ShellOutputBytes: 100}
	long := runs(t, options, line("seq 1 1000; seq 1 10 >&2"))
	cut := regexp.MustCompile(`(?s)^1\n2\n.*\[Cut: 3793 of 3893 bytes are left out here\].*\n1000\n$`)
	if stdout := fmt.Sprint(long["stdout"]); !cut.MatchString(stdout) || long["exit_code"] != 0.0 {
		t.Errorf("got %v", long)
	}
	if strings.Count(fmt.Sprint(long["stderr"]), "\n") != 10 {
		t.Errorf("got %v", long["stderr"])
	}
	endless := runs(t, options, line("yes"))
	if endless["stopped"] != "It was stopped because it wrote too much" || len(fmt.Sprint(endless["stdout"])) > 200 {
		t.Errorf("got %v", endless)
	}
}

func TestAProcessThatLeftTheGroupEndsWithTheCommand(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: such processes are found on Linux only")
	}
	options := Options{Workspace: NewFolder(lab(t)), ShellTimeout: 20 * time.Second}
	const daemon = `setsid sh -c 'echo $$; (sleep 300 & echo $!); touch there; exec sleep 300' & ` + there
	result := runs(t, options, line(daemon))
	if result["stopped"] != nil || strings.Count(fmt.Sprint(result["stdout"]), "\n") != 2 {
		t.Errorf("got %v", result)
	}
	assertGone(t, result["stdout"])
	options.ShellTimeout = begun
	late := runs(t, options, line(`setsid sh -c 'echo $$; sleep 300' & sleep 300`))
	if late["stopped"] != "It was stopped after 1500 ms" {
		t.Errorf("got %v", late)
	}
	assertGone(t, late["stdout"])
}
