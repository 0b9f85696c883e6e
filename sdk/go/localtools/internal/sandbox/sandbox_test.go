//go:build unix

package sandbox

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is the time after which a test fails rather than hang.
const patience = 20 * time.Second

func scratch(t *testing.T, files map[string]string) (*Workspace, string) {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644))
		if err != nil {
			t.Fatal(err)
		}
	}
	workspace, err := New(NewShared(root), DefaultFileDeny)
	if err != nil {
		t.Fatal(err)
	}
	return workspace, root
}

func in(t *testing.T, workspace *Workspace, use func(folder *Folder)) {
	t.Helper()
	if err := workspace.WithFolder(nil, func(folder *Folder) error { use(folder); return nil }); err != nil {
		t.Fatal(err)
	}
}

// The checks before an entry is opened are no proof: these are the ones after it.
func TestAnEntryThatIsSwappedBeforeItIsOpenedIsNotUsed(t *testing.T) {
	workspace, root := scratch(t, map[string]string{"folder/a.txt": "a", "b.txt": "b"})
	err := errors.Join(
		os.Symlink("folder", root+"/link"), os.Symlink("..", root+"/outside"),
		os.Symlink("b.txt", root+"/file_link"), os.Symlink("../b.txt", root+"/file_outside"),
		syscall.Mkfifo(root+"/pipe", 0o600))
	if err != nil {
		t.Fatal(err)
	}
	in(t, workspace, func(folder *Folder) {
		for _, name := range []string{"link", "outside", "b.txt", "pipe"} {
			done := make(chan error, 1)
			go func() {
				_, err := folder.enterCertain(name)
				done <- err
			}()
			select {
			case err := <-done:
				if !errors.Is(err, syscall.ENOTDIR) {
					t.Errorf("%s was entered: %v", name, err)
				}
			case <-time.After(patience):
				t.Fatalf("entering %s waits", name)
			}
		}
		for _, name := range []string{"file_link", "file_outside", "folder", "pipe"} {
			if file, err := folder.openCertain(name); file != nil || err != nil {
				t.Errorf("%s was opened: %v", name, err)
			}
		}
		file, err := folder.openCertain("b.txt")
		if err != nil || file == nil {
			t.Fatalf("a plain file was not opened: %v", err)
		}
		_ = file.Close()
	})
}

func TestAWorkspaceThatIsReplacedIsClosed(t *testing.T) {
	workspace, root := scratch(t, nil)
	if _, err := workspace.Root(); err != nil {
		t.Fatal(err)
	}
	err := errors.Join(os.Rename(root, root+"-away"), os.Mkdir(root, 0o755))
	defer os.RemoveAll(root + "-away")
	if err != nil {
		t.Fatal(err)
	}
	err = workspace.WithFolder(nil, func(*Folder) error { return nil })
	if !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("it was entered: %v", err)
	}
}

func TestAFileThatChangesWhileItIsEditedIsNotReplaced(t *testing.T) {
	workspace, root := scratch(t, map[string]string{"a.txt": "old"})
	in(t, workspace, func(folder *Folder) {
		_, err := folder.WriteFile("a.txt", func(*File) ([]byte, error) {
			return []byte("new"), os.WriteFile(root+"/a.txt", []byte("the user's own"), 0o644)
		})
		if err == nil || !strings.Contains(err.Error(), "changed by something else") {
			t.Errorf("got %v", err)
		}
		_, err = folder.WriteFile("b.txt", func(*File) ([]byte, error) {
			return []byte("new"), os.WriteFile(root+"/b.txt", []byte("the user's own"), 0o644)
		})
		if !errors.Is(err, os.ErrExist) {
			t.Errorf("got %v", err)
		}
		entries, _, err := folder.Entries()
		if err != nil || len(entries) != 2 {
			t.Errorf("something was left behind: %v %v", entries, err)
		}
	})
	for _, name := range []string{"a.txt", "b.txt"} {
		if text, _ := os.ReadFile(root + "/" + name); string(text) != "the user's own" {
			t.Errorf("%s has %q", name, text)
		}
	}
}

func TestACharacterThatAPieceSplitsIsWhole(t *testing.T) {
	// Characters of three bytes never end where a piece does.
	text := "a" + strings.Repeat("世", chunkBytes)
	workspace, _ := scratch(t, map[string]string{"a.txt": text, "cut": text[:len(text)-1]})
	in(t, workspace, func(folder *Folder) {
		file, err := folder.OpenFile("a.txt")
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		if read, err := file.Text(1 << 30); err != nil || read != text {
			t.Errorf("%d bytes were read, and %v", len(read), err)
		}
		// The limit may split a character.
		if _, err := file.Text(chunkBytes); err != nil {
			t.Error(err)
		}
		cut, err := folder.OpenFile("cut")
		if err != nil {
			t.Fatal(err)
		}
		defer cut.Close()
		if _, err := cut.Text(1 << 30); err == nil {
			t.Error("half of a character was read as text")
		}
	})
}

func TestOnlyTrueInTimeIsAGrant(t *testing.T) {
	type answer func(context.Context) (bool, error)
	asked := func(ctx context.Context, timeout time.Duration, ask answer) bool {
		return IsGranted(ctx, timeout, ask)
	}
	yes := func(context.Context) (bool, error) { return true, nil }
	if !asked(t.Context(), patience, yes) {
		t.Error("a grant was refused")
	}
	for name, ask := range map[string]answer{
		"no":      func(context.Context) (bool, error) { return false, nil },
		"error":   func(context.Context) (bool, error) { return true, errors.New("no") },
		"panic":   func(context.Context) (bool, error) { panic("no") },
		"silence": func(ctx context.Context) (bool, error) { <-ctx.Done(); return true, nil },
	} {
		if asked(t.Context(), 10*time.Millisecond, ask) {
			t.Errorf("%s was a grant", name)
		}
	}
	// The answer and the end of the context race: neither order may grant.
	for range 50 {
		ended, cancel := context.WithCancel(t.Context())
		cancelling := func(context.Context) (bool, error) { cancel(); return true, nil }
		if asked(ended, patience, cancelling) || asked(ended, patience, yes) {
			t.Fatal("a call that is not wanted any more was granted")
		}
	}
}

func TestCallsOfOneKeyRunOneAfterTheOther(t *testing.T) {
	running, most := 0, 0
	var calls sync.WaitGroup
	for range 20 {
		calls.Go(func() {
			err := InSequence(t.Context(), "key", func() error {
				running++
				most = max(most, running)
				time.Sleep(time.Millisecond)
				running--
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	calls.Wait()
	if most != 1 || len(turns) != 0 {
		t.Errorf("%d ran at once, and %d keys are left", most, len(turns))
	}
	ended, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	err := InSequence(ended, "key", func() error { t.Error("it ran"); return nil })
	if !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}
