package localtools

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

const insideNamespaces = "LOCALTOOLS_INSIDE_NAMESPACES"

// A small disk, a read-only disk and processes of their own need namespaces, which not every machine
// gives to its users.
func TestInNamespaces(t *testing.T) {
	if os.Getenv(insideNamespaces) != "" {
		t.Skip("this is the inside")
	}
	inside := exec.Command(os.Args[0], "-test.run=^TestInside", "-test.v")
	inside.Env = append(os.Environ(), insideNamespaces+"=1")
	inside.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS | syscall.CLONE_NEWPID,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	output, err := inside.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) {
		t.Skipf("SKIPPED: this machine gives no namespaces: %v", err)
	}
	t.Log(string(output))
	if strings.Contains(string(output), "--- SKIP") {
		t.Skip("SKIPPED: this machine gives no mounts in namespaces")
	}
	if err != nil || strings.Count(string(output), "--- PASS") < 3 {
		t.Errorf("the tests inside failed: %v", err)
	}
}

func mount(t *testing.T, source, target, kind string, flags uintptr, data string) {
	t.Helper()
	if os.Getenv(insideNamespaces) == "" {
		t.Skip("only for namespaces")
	}
	if err := syscall.Mount(source, target, kind, flags, data); err != nil {
		t.Skipf("cannot mount: %v", err)
	}
	// Before the folder is removed.
	t.Cleanup(func() { _ = syscall.Unmount(target, syscall.MNT_DETACH) })
}

func TestInsideAFullDiskAWriteChangesNothing(t *testing.T) {
	workspace := lab(t)
	mount(t, "tmpfs", workspace, "tmpfs", 0, "size=128k")
	putEntry(t, workspace, "kept.txt", "kept")
	options := Options{Workspace: NewFolder(workspace), FilePermission: permissions[""]}
	write, content := must(t)(FileWrite(options)), strings.Repeat("x", 1_000_000)
	for _, input := range []map[string]string{
		{"path": "new.txt", "mode": "create"}, {"path": "kept.txt", "mode": "overwrite"},
		{"path": "kept.txt", "mode": "append"},
		{"path": "kept.txt", "mode": "replace", "old_text": "kept"},
	} {
		input["content"] = content
		refusal(t, write, input, "disk_full")
	}
	if names := namesIn(t, workspace); fmt.Sprint(names) != "[kept.txt]" || read(t, workspace+"/kept.txt") != "kept" {
		t.Errorf("got %v", names)
	}
}

func TestInsideAReadOnlyDiskIsNamed(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "a.txt", "a")
	mount(t, workspace, workspace, "", syscall.MS_BIND, "")
	mount(t, "", workspace, "", syscall.MS_BIND|syscall.MS_REMOUNT|syscall.MS_RDONLY, "")
	options := Options{Workspace: NewFolder(workspace), FilePermission: permissions[""]}
	input := map[string]string{"path": "b.txt", "mode": "create", "content": "x"}
	wantText(t, refusal(t, must(t)(FileWrite(options)), input, "access_denied"), "read-only")
	if result, err := call(t, must(t)(FileRead(options)), map[string]string{"path": "a.txt"}); err != nil {
		t.Errorf("got %v and %v", result, err)
	}
}

func TestInsideItsProcessesEndWithTheCommand(t *testing.T) {
	workspace := lab(t)
	mount(t, "proc", "/proc", "proc", 0, "")
	const daemon = `setsid sh -c 'echo $$; touch there; exec sleep 300' & ` + there
	result := runs(t, Options{Workspace: NewFolder(workspace)}, line(daemon))
	assertGone(t, result["stdout"])
}
