package localtools

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"svc.example/sdk/go/tool"
)

const (
	raceRounds = 25
	pipeRounds = 40
	// longestRace is the time in which every expected outcome must have been met.
	longestRace = 60 * time.Second
)

// exchange swaps two entries atomically (renameat2, RENAME_EXCHANGE).
func exchange(one, other string) error {
	number, isKnown := map[string]uintptr{"amd64": 316, "arm64": 276}[runtime.GOARCH]
	if !isKnown {
		return errors.ErrUnsupported
	}
	first, err := syscall.BytePtrFromString(one)
	if err != nil {
		return err
	}
	second, err := syscall.BytePtrFromString(other)
	if err != nil {
		return err
	}
	const atCurrent, renameExchange = -100, 2
	from := atCurrent
	_, _, failure := syscall.Syscall6(number, uintptr(from), uintptr(unsafe.Pointer(first)),
		uintptr(from), uintptr(unsafe.Pointer(second)), renameExchange, 0)
	if failure != 0 {
		return failure
	}
	return nil
}

// arena is a workspace beside a folder outside.
type arena struct{ workspace, outside string }

func buildArena(t *testing.T) arena {
	t.Helper()
	w := world{root: t.TempDir()}
	a := arena{w.root + "/workspace", w.root + "/outside"}
	for _, name := range []string{"folder/file.txt", "file.txt", "pipe.txt"} {
		w.put(t, "workspace/"+name, "inside")
	}
	for _, name := range []string{"file.txt", "secret_name_" + fromOutside} {
		w.put(t, "outside/"+name, fromOutside)
	}
	aside := a.workspace + "/.aside"
	err := errors.Join(
		syscall.Mkfifo(a.outside+"/pipe", 0o600), os.Mkdir(aside, 0o755),
		os.Symlink(a.outside, aside+"/folder"), os.Symlink(a.outside+"/file.txt", aside+"/file.txt"),
		os.Symlink(a.outside+"/pipe", aside+"/pipe.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// swapped are the entries that attackers swap for those of the same name aside.
var swapped = []string{"folder", "file.txt", "pipe.txt"}

// byExchange swaps atomically: at no time is there nothing of the name.
func byExchange(a arena, name string) error {
	return exchange(a.workspace+"/"+name, a.workspace+"/.aside/"+name)
}

// byRename swaps as any program may. A tool may create the entry again in between: it is removed.
func byRename(a arena, name string) error {
	here, there := a.workspace+"/"+name, a.workspace+"/.aside/"+name
	away := here + ".away"
	err := os.Rename(here, away)
	const attempts = 1_000
	for range attempts {
		if placed := os.Rename(there, here); placed == nil {
			break
		}
		err = errors.Join(err, os.RemoveAll(here))
	}
	return errors.Join(err, os.Rename(away, there))
}

// attackUntil swaps all entries to and fro until it is stopped, which leaves them in their places.
func attackUntil(t *testing.T, a arena, swap func(arena, string) error, stop <-chan struct{}) int {
	random := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	pause := func(most time.Duration) {
		// Bursts without a pause, short ones, and sometimes a rest.
		if dice := random.Float64(); dice < 0.3 {
			time.Sleep(time.Duration(dice * float64(most)))
		}
	}
	for swaps := 0; ; swaps++ {
		select {
		case <-stop:
			return swaps
		default:
		}
		for _, name := range swapped {
			if err := swap(a, name); err != nil {
				t.Errorf("the swap of %s failed: %v", name, err)
				return swaps
			}
		}
		const isAway, isBack = 20 * time.Millisecond, 60 * time.Millisecond
		if swaps%2 == 0 {
			pause(isAway)
		} else {
			pause(isBack)
		}
	}
}

// racer calls the tools and counts the outcomes.
type racer struct {
	mutex                     sync.Mutex
	counts                    map[string]int
	read, list, search, write tool.Tool
}

func newRacer(t *testing.T, a arena) *racer {
	t.Helper()
	options := Options{Workspace: NewFolder(a.workspace), FilePermission: permissions[""]}
	return &racer{
		counts: map[string]int{}, read: must(t)(FileRead(options)), list: must(t)(ListDir(options)),
		search: must(t)(FileSearch(options)), write: must(t)(FileWrite(options)),
	}
}

func (r *racer) call(t *testing.T, name string, called tool.Tool, input map[string]any) {
	result, err := called.Handler(context.Background(), raw(t, input))
	end := endOf(t, result, err)
	if end == "harmless" {
		end = "answered"
	}
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.counts[name+": "+end]++
}

func (r *racer) round(t *testing.T, number int) {
	content := "written inside"
	calls := []struct {
		name   string
		called tool.Tool
		input  map[string]any
	}{
		{"read in folder", r.read, map[string]any{"path": "folder/file.txt"}},
		{"read", r.read, map[string]any{"path": "file.txt"}},
		{"read pipe", r.read, map[string]any{"path": "pipe.txt"}},
		{"list", r.list, map[string]any{"path": "folder"}},
		{"search", r.search, map[string]any{"query": "SECRET", "path": "folder", "glob": "file*"}},
		{"names", r.search, map[string]any{"glob": "*", "path": "folder"}},
		{"overwrite", r.write, map[string]any{
			"path": "folder/file.txt", "mode": "overwrite", "content": content}},
		{"replace", r.write, map[string]any{
			"path": "file.txt", "mode": "replace", "old_text": "inside", "content": content}},
		{"create", r.write, map[string]any{
			"path": fmt.Sprintf("folder/new_%d.txt", number), "mode": "create", "content": content}},
		{"create in root", r.write, map[string]any{
			"path": fmt.Sprintf("new_%d.txt", number), "mode": "create", "content": content}},
		{"make folder", r.write, map[string]any{
			"path": fmt.Sprintf("folder/made_%d/a.txt", number), "mode": "append", "content": content}},
	}
	var running sync.WaitGroup
	for _, call := range calls {
		running.Go(func() { r.call(t, call.name, call.called, call.input) })
	}
	running.Wait()
}

func TestNoSwapOpensTheWorkspace(t *testing.T) {
	for name, swap := range map[string]func(arena, string) error{
		"rename": byRename, "exchange": byExchange,
	} {
		t.Run(name, func(t *testing.T) {
			a := buildArena(t)
			before := world{root: a.outside}.outsideOf(t)
			if err := byExchange(a, "folder"); errors.Is(err, errors.ErrUnsupported) {
				t.Skip("SKIPPED: entries cannot be exchanged on this architecture")
			} else if err = errors.Join(err, byExchange(a, "folder")); err != nil {
				t.Fatal(err)
			}
			counts := race(t, a, swap)
			for end := range counts {
				if strings.Contains(end, "leaked") || strings.Contains(end, "bug") {
					t.Errorf("%s: %d times", end, counts[end])
				}
			}
			if after := (world{root: a.outside}).outsideOf(t); after != before {
				t.Errorf("the outside was changed from\n%s\nto\n%s", before, after)
			}
			t.Log(counts)
		})
	}
}

// race runs the calls during an attack, until all outcomes were met that show both states.
func race(t *testing.T, a arena, swap func(arena, string) error) map[string]int {
	t.Helper()
	shown := []string{
		"read in folder: answered", "read in folder: outside_workspace", "create: answered",
		"overwrite: answered", "create in root: answered",
	}
	racer := newRacer(t, a)
	stop, swaps := make(chan struct{}), make(chan int)
	go func() { swaps <- attackUntil(t, a, swap, stop) }()
	met := func() bool {
		return !slices.ContainsFunc(shown, func(end string) bool { return racer.counts[end] == 0 })
	}
	end := time.Now().Add(longestRace)
	for number := 0; number < raceRounds || !met() && time.Now().Before(end); number++ {
		racer.round(t, number)
		time.Sleep(rand.N(20 * time.Millisecond))
	}
	close(stop)
	if count := <-swaps; count < 2 {
		t.Errorf("only %d swaps", count)
	}
	// A busy machine may never run a call while the entries are away: then both states are shown at rest.
	for number := raceRounds; !met() && number < raceRounds+2; number++ {
		for _, name := range swapped {
			if err := swap(a, name); err != nil {
				t.Fatal(err)
			}
		}
		racer.round(t, 1_000_000+number)
	}
	if !met() {
		t.Errorf("not every outcome was met: %v", slices.Sorted(maps.Keys(racer.counts)))
	}
	return racer.counts
}

// A folder that is swapped for a pipe must not keep a call waiting: os.Root alone opens it without
// asking for a folder.
func TestNoPipeKeepsACallWaiting(t *testing.T) {
	a := buildArena(t)
	for _, name := range swapped {
		aside := a.workspace + "/.aside/" + name
		if err := errors.Join(os.Remove(aside), syscall.Mkfifo(aside, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	racer := newRacer(t, a)
	stop, swaps := make(chan struct{}), make(chan int)
	go func() { swaps <- attackUntil(t, a, byExchange, stop) }()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for number := range pipeRounds {
			racer.round(t, number)
		}
	}()
	select {
	case <-done:
	case <-time.After(longestRace):
		t.Fatal("a call waits for a pipe")
	}
	close(stop)
	<-swaps
	for end := range racer.counts {
		if strings.Contains(end, "bug") {
			t.Errorf("%s: %d times", end, racer.counts[end])
		}
	}
	t.Log(racer.counts)
}
