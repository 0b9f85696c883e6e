//go:build unix

package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func namesIn(t *testing.T, folder string) []string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := []string{}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

func TestTheFilePermissionSeesTheCall(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "real/a.txt", "old")
	if err := os.Symlink("real", workspace+"/link"); err != nil {
		t.Fatal(err)
	}
	var seen []FilePermissionRequest
	options := Options{Workspace: NewFolder(workspace)}
	options.FilePermission = func(_ context.Context, request FilePermissionRequest) (bool, error) {
		seen = append(seen, request)
		return true, nil
	}
	input := map[string]string{
		"path": "link/a.txt", "mode": "replace", "content": "né", "old_text": "old",
	}
	if _, err := call(t, must(t)(FileWrite(options)), input); err != nil {
		t.Fatal(err)
	}
	expected := []FilePermissionRequest{{
		Root: workspace, Path: "real/a.txt", Mode: FileReplace, Exists: true, Content: "né",
		OldText: "old", Bytes: 3, CallID: "call_1",
	}}
	if !reflect.DeepEqual(seen, expected) || read(t, workspace+"/real/a.txt") != "né" {
		t.Errorf("got %+v", seen)
	}
}

func TestAFolderThatIsSwappedAfterTheApprovalDoesNotRedirectTheWrite(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "folder/a.txt", "old")
	options := Options{Workspace: NewFolder(workspace)}
	options.FilePermission = func(context.Context, FilePermissionRequest) (bool, error) {
		return true, errors.Join(os.Rename(workspace+"/folder", workspace+"/away"),
			os.Symlink("..", workspace+"/folder"))
	}
	input := map[string]string{"path": "folder/outside.txt", "mode": "overwrite", "content": "changed"}
	refusal(t, must(t)(FileWrite(options)), input, "not_a_folder")
	if read(t, workspace+"/../outside.txt") != "outside" {
		t.Error("the outside was changed")
	}
}

func TestFileWriteReplacesNoFileThatWasNotThereWhenItWasApproved(t *testing.T) {
	workspace := lab(t)
	options := Options{Workspace: NewFolder(workspace)}
	options.FilePermission = func(_ context.Context, request FilePermissionRequest) (bool, error) {
		return !request.Exists, os.WriteFile(workspace+"/a.txt", []byte("the user's own"), 0o644)
	}
	input := map[string]string{"path": "a.txt", "mode": "overwrite", "content": "x"}
	refusal(t, must(t)(FileWrite(options)), input, "file_changed")
	if read(t, workspace+"/a.txt") != "the user's own" {
		t.Error("the file was changed")
	}
}

func TestFileToolsEndWhenTheyAreNotWantedAnyMore(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "a.txt", "a")
	enough := errors.New("enough")
	ended, cancel := context.WithCancelCause(t.Context())
	options := Options{Workspace: NewFolder(workspace)}
	options.FilePermission = func(context.Context, FilePermissionRequest) (bool, error) {
		cancel(enough)
		return true, nil
	}
	tools := fileTools(t, options)
	for _, one := range []struct{ name, arguments string }{
		{"file_write", `{"path": "b.txt", "mode": "create", "content": "x"}`},
		{"file_read", `{"path": "a.txt"}`},
		{"file_search", `{"query": "a"}`},
	} {
		_, err := callWith(t, ended, tools[one.name], json.RawMessage(one.arguments))
		if !errors.Is(err, enough) {
			t.Errorf("%s: got %v", one.name, err)
		}
	}
	if names := namesIn(t, workspace); !slices.Equal(names, []string{"a.txt"}) {
		t.Errorf("got %v", names)
	}
}

func TestFileWriteLosesNothingOfWhatIsWrittenAtOnce(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "a.txt", "[0][1][2][3]")
	var writing sync.WaitGroup
	for number := range 4 {
		options := Options{Workspace: NewFolder(workspace), FilePermission: permissions[""]}
		write := must(t)(FileWrite(options))
		for _, input := range []map[string]string{
			{"path": "a.txt", "mode": "replace", "old_text": fmt.Sprintf("[%d]", number),
				"content": fmt.Sprintf("<%d>", number)},
			{"path": "log.txt", "mode": "append", "content": fmt.Sprintln(number)},
		} {
			writing.Go(func() {
				if _, err := call(t, write, input); err != nil {
					t.Error(err)
				}
			})
		}
	}
	writing.Wait()
	lines := strings.Split(strings.TrimSpace(read(t, workspace+"/log.txt")), "\n")
	slices.Sort(lines)
	if read(t, workspace+"/a.txt") != "<0><1><2><3>" || strings.Join(lines, "") != "0123" {
		t.Errorf("got %s and %v", read(t, workspace+"/a.txt"), lines)
	}
	if names := namesIn(t, workspace); !slices.Equal(names, []string{"a.txt", "log.txt"}) {
		t.Errorf("got %v", names)
	}
}

func TestFileWriteKeepsPermissionsOwnerAndProtection(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "run.sh", "old")
	putEntry(t, workspace, "kept", "kept")
	err := errors.Join(os.Chmod(workspace+"/run.sh", 0o750), os.Chmod(workspace+"/kept", 0o444))
	if os.Getuid() == 0 {
		err = errors.Join(err, os.Chown(workspace+"/run.sh", 1, 2))
	} else {
		t.Log("SKIPPED: only the administrator can give files to another owner")
	}
	if err != nil {
		t.Fatal(err)
	}
	before, _ := os.Stat(workspace + "/run.sh")
	options := Options{Workspace: NewFolder(workspace), FilePermission: permissions[""]}
	write := must(t)(FileWrite(options))
	if _, err := call(t, write, map[string]string{"path": "run.sh", "mode": "overwrite", "content": "x"}); err != nil {
		t.Fatal(err)
	}
	after, err := os.Stat(workspace + "/run.sh")
	if err != nil || after.Mode() != before.Mode() || !sameOwner(before, after) {
		t.Errorf("got %v and %v", after, err)
	}
	for _, mode := range []string{"overwrite", "append"} {
		refusal(t, write, map[string]string{"path": "kept", "mode": mode, "content": "x"}, "access_denied")
	}
	if read(t, workspace+"/kept") != "kept" {
		t.Error("a protected file was changed")
	}
}

func TestFileReadContinuesToTheEnd(t *testing.T) {
	workspace := lab(t)
	var lines strings.Builder
	for number := range 30_000 {
		fmt.Fprintf(&lines, "line %d é\n", number)
	}
	putEntry(t, workspace, "a.txt", lines.String())
	options := Options{Workspace: NewFolder(workspace)}
	fileRead, text, calls := must(t)(FileRead(options)), "", 0
	for next := any(1); next != nil; calls++ {
		part, err := call(t, fileRead, map[string]any{"path": "a.txt", "start_line": next})
		if err != nil {
			t.Fatal(err)
		}
		text += part["content"].(string)
		next = part["next_line"]
	}
	if text != lines.String() || calls < 2 {
		t.Errorf("got %d bytes in %d calls", len(text), calls)
	}
}

func TestToolsThatShareAFolderHaveOneRoot(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "one/a.txt", "one")
	putEntry(t, workspace, "other/a.txt", "other")
	link := workspace + "/link"
	if err := os.Symlink("one", link); err != nil {
		t.Fatal(err)
	}
	folder := NewFolder(link)
	tools := fileTools(t, Options{Workspace: folder, FilePermission: permissions[""]})
	for _, path := range []string{"a.txt", link + "/a.txt", workspace + "/one/a.txt"} {
		result, err := call(t, tools["file_read"], map[string]string{"path": path})
		if err != nil || result["path"] != "a.txt" || result["content"] != "one" {
			t.Errorf("%s: got %v and %v", path, result, err)
		}
	}
	if err := errors.Join(os.Remove(link), os.Symlink("other", link)); err != nil {
		t.Fatal(err)
	}
	input := map[string]string{"path": "b.txt", "mode": "create", "content": "b"}
	if _, err := call(t, tools["file_write"], input); err != nil {
		t.Fatal(err)
	}
	if names := namesIn(t, workspace+"/other"); len(names) != 1 {
		t.Errorf("the other folder has %v", names)
	}
	fresh := must(t)(FileRead(Options{Workspace: NewFolder(link)}))
	if result, err := call(t, fresh, map[string]string{"path": "a.txt"}); err != nil || result["content"] != "other" {
		t.Errorf("got %v and %v", result, err)
	}
}

func TestASearchThatRunsOutOfTimeSaysSo(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "d/a.txt", "a")
	late, cancel := context.WithDeadline(t.Context(), time.Now().Add(-time.Second))
	defer cancel()
	for name, ctx := range map[string]context.Context{"limit": t.Context(), "deadline": late} {
		options := Options{Workspace: NewFolder(workspace)}
		if name == "limit" {
			options.SearchTimeout = 1
		}
		search := must(t)(FileSearch(options))
		result, err := callWith(t, ctx, search, json.RawMessage(`{"query": "a"}`))
		if err != nil || result["partial"] != true || result["truncated"] != true ||
			!reflect.DeepEqual(result["matches"], []any{}) {
			t.Errorf("%s: got %v and %v", name, result, err)
		}
	}
}

func TestListDirReturnsNoMoreThanAModelCanRead(t *testing.T) {
	workspace := lab(t)
	for number := range maxListed + 1 {
		putEntry(t, workspace, fmt.Sprintf("%d.txt", number), "")
	}
	result, err := call(t, must(t)(ListDir(Options{Workspace: NewFolder(workspace)})), map[string]any{})
	if err != nil || len(result["entries"].([]any)) != maxListed || result["truncated"] != true {
		t.Errorf("got %v and %v", result["truncated"], err)
	}
}

func TestAWorkspaceThatIsNoneIsRefused(t *testing.T) {
	workspace := lab(t)
	putEntry(t, workspace, "a.txt", "a")
	for path, code := range map[string]string{"a.txt": "no_workspace", "gone": "file_not_found"} {
		fileRead := must(t)(FileRead(Options{Workspace: NewFolder(workspace + "/" + path)}))
		refusal(t, fileRead, map[string]string{"path": "x"}, code)
	}
}

func sameOwner(one, other os.FileInfo) bool {
	first, second := one.Sys().(*syscall.Stat_t), other.Sys().(*syscall.Stat_t)
	return first.Uid == second.Uid && first.Gid == second.Gid
}
