//go:build unix

package process

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

func collect(maxBytes int, chunks ...string) *BoundedOutput {
	output := NewBoundedOutput(maxBytes)
	for _, chunk := range chunks {
		_, _ = output.Write([]byte(chunk))
	}
	return output
}

func TestOfWhatDoesNotFitTheBeginningAndTheEndAreKept(t *testing.T) {
	letters := strings.Split("abcdefghijklmnopqrstuvwxyz", "")
	for _, one := range []struct {
		output   *BoundedOutput
		expected string
	}{
		{collect(10), ""},
		{collect(10, "01234", "56789"), "0123456789"},
		{collect(10, letters...), "abcde\n[Cut: 16 of 26 bytes are left out here]\nvwxyz"},
		{collect(10, strings.Join(letters, "")), "abcde\n[Cut: 16 of 26 bytes are left out here]\nvwxyz"},
		{collect(10, "世界世界世界世界"), "世\n[Cut: 14 of 24 bytes are left out here]\n界"},
	} {
		if text := one.output.Text(); text != one.expected {
			t.Errorf("got %q, expected %q", text, one.expected)
		}
	}
}

func TestHoweverOutputComesInPiecesTheSameIsKept(t *testing.T) {
	whole := strings.Repeat("0123456789abcdef", 20)
	for half := 1; half < 40; half++ {
		expected := collect(2*half, whole).Text()
		for size := 1; size < 50; size += 3 {
			output := NewBoundedOutput(2 * half)
			for at := 0; at < len(whole); at += size {
				_, _ = output.Write([]byte(whole[at:min(at+size, len(whole))]))
			}
			if text := output.Text(); text != expected || output.Total() != len(whole) {
				t.Fatalf("%d bytes in pieces of %d: got %q, expected %q", half, size, text, expected)
			}
		}
	}
}

func limits() Limits { return Limits{Timeout: 20 * time.Second, MaxOutputBytes: 100} }

func TestAProgramThatCannotBeStartedLeavesNothingBehind(t *testing.T) {
	before := descriptors(t)
	for _, command := range []Command{
		{File: "/no/such", Dir: "/"}, {File: "/bin/sh", Args: []string{"-c", "true"}, Dir: "/no/such"},
	} {
		if _, err := RunInGroup(t.Context(), command, limits()); err == nil {
			t.Errorf("%v was started", command)
		}
	}
	sh := Command{File: "/bin/sh", Args: []string{"-c", "echo a; exit 4"}, Dir: "/"}
	result, err := RunInGroup(t.Context(), sh, limits())
	if err != nil || result.ExitCode != 4 || result.Stdout.Text() != "a\n" {
		t.Errorf("got %v and %v", result, err)
	}
	if after := descriptors(t); after > before {
		t.Errorf("%d descriptors are open, %d were before", after, before)
	}
}

// descriptors returns the number of open ones.
func descriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		t.Skipf("SKIPPED: %v", err)
	}
	return len(entries)
}

func TestTheFirstReasonToStopIsReported(t *testing.T) {
	asked := filepath.Join(t.TempDir(), "asked")
	const stubborn = `trap ': > "$1"' TERM; while :; do sleep 0.1; done`
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		// The second reason comes while it is being asked to end.
		for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			if _, err := os.Lstat(asked); err == nil {
				return
			}
		}
	}()
	command := Command{
		File: "/bin/sh", Args: []string{"-c", stubborn, "sh", asked}, Dir: "/",
		Env: []string{"PATH=/bin:/usr/bin"},
	}
	result, err := RunInGroup(ctx, command, Limits{Timeout: 1_500 * time.Millisecond, MaxOutputBytes: 100})
	if err != nil || result.Stopped != StopTimeout || result.Signal != "SIGKILL" {
		t.Errorf("got %v and %v", result, err)
	}
}

func TestARunThatIsEndedBeforeItStartsEndsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	command := Command{File: "/bin/sh", Args: []string{"-c", "sleep 300"}, Dir: "/"}
	result, err := RunInGroup(ctx, command, limits())
	if err != nil || result.Stopped != StopAbort {
		t.Errorf("got %v and %v", result, err)
	}
}

func sleeper(t *testing.T, environment string) *exec.Cmd {
	t.Helper()
	command := exec.Command("sleep", "300")
	command.Env = []string{environment}
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = command.Process.Kill() })
	return command
}

func signalOf(t *testing.T, command *exec.Cmd) syscall.Signal {
	t.Helper()
	_ = command.Wait()
	return command.ProcessState.Sys().(syscall.WaitStatus).Signal()
}

func TestProcessesAreFoundByTheirMarkAndNoOthersAre(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the environment of processes is known on Linux only")
	}
	const id = "a-mark-of-this-test"
	own, other := sleeper(t, "MARK="+id), sleeper(t, "MARK=other")
	killStragglers(id, marked)
	if signal := signalOf(t, own); signal != syscall.SIGKILL {
		t.Errorf("it ended by %v", signal)
	}
	if err := other.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if signal := signalOf(t, other); signal != syscall.SIGTERM {
		t.Errorf("the other one ended by %v", signal)
	}
}

func TestAProcessThatAScanMissesIsFoundByTheNext(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("SKIPPED: the environment of processes is known on Linux only")
	}
	missed := sleeper(t, "A=1")
	scans := [][]int{nil, {missed.Process.Pid}, nil, nil}
	count := 0
	killStragglers("mark", func(string) []int {
		count++
		return scans[count-1]
	})
	if signal := signalOf(t, missed); signal != syscall.SIGKILL || count != 4 {
		t.Errorf("it ended by %v after %d scans", signal, count)
	}
	endless := 0
	// No process has this number.
	killStragglers("mark", func(string) []int { endless++; return []int{1<<30 + endless} })
	if endless != 20 {
		t.Errorf("%d scans", endless)
	}
}
