//go:build unix

package localtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"

	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const (
	// fromOutside is the content of every file outside the workspace; it must never be in an answer.
	fromOutside = "SECRET-FROM-OUTSIDE"
	// deniedInside is the content of every file inside that holds secrets.
	deniedInside = "DENIED-INSIDE"
)

// attack is one call and its possible outcomes: codes, or "harmless" for an answer without anything
// from outside.
type attack struct {
	tool       string
	input      *value.Object
	ends       []string
	permission string
}

// world is the place of the attacks.
type world struct {
	root, workspace, sibling, outside string
	vectors                           *value.Object
}

func (w world) fill(text string) string {
	return strings.NewReplacer(
		"{workspace}", w.workspace, "{sibling}", w.sibling, "{outside}", w.outside).Replace(text)
}

func get(object *value.Object, name string) any {
	member, _ := object.Get(name)
	return member
}

func texts(listed any) []string {
	items, _ := listed.([]any)
	read := make([]string, len(items))
	for index, item := range items {
		read[index] = item.(string)
	}
	return read
}

// joined returns a text that may be given as pieces with the number of their repetitions, or as
// UTF-16 code units.
func joined(given any) string {
	if text, isText := given.(string); isText {
		return text
	}
	var built strings.Builder
	if units, isUnits := given.(*value.Object); isUnits {
		for _, unit := range get(units, "units").([]any) {
			fmt.Fprintf(&built, `\u%04x`, int(unit.(float64)))
		}
		parsed, err := value.Parse([]byte(`"` + built.String() + `"`))
		if err != nil {
			panic(err)
		}
		return parsed.(string)
	}
	for _, piece := range given.([]any) {
		pair := piece.([]any)
		built.WriteString(strings.Repeat(pair[0].(string), int(pair[1].(float64))))
	}
	return built.String()
}

func object(members ...any) *value.Object {
	made := value.NewObject()
	for index := 0; index < len(members); index += 2 {
		made.Set(members[index].(string), members[index+1])
	}
	return made
}

func (w world) onPaths() []attack {
	var attacks []attack
	for _, given := range get(w.vectors, "targets").([]any) {
		target := given.(*value.Object)
		path, ends := w.fill(joined(get(target, "path"))), texts(get(target, "ends"))
		list, write := ends, ends
		if target.Has("list") {
			list = texts(get(target, "list"))
		}
		if target.Has("write") {
			write = texts(get(target, "write"))
		}
		attacks = append(attacks,
			attack{tool: "file_read", input: object("path", path), ends: ends},
			attack{tool: "list_dir", input: object("path", path), ends: list},
			attack{tool: "file_search", input: object("path", path, "query", "SECRET"), ends: list})
		for _, mode := range []string{"create", "overwrite", "append"} {
			attacks = append(attacks, attack{
				tool: "file_write", input: object("path", path, "mode", mode, "content", "changed"),
				// The file of another mode may exist by now.
				ends: slices.Concat(write, []string{"file_exists"}),
			})
		}
		attacks = append(attacks, attack{
			tool:  "file_write",
			input: object("path", path, "mode", "replace", "old_text", "FROM", "content", "changed"),
			ends:  slices.Concat(write, []string{"text_not_found", "file_not_found", "not_a_folder"}),
		})
	}
	return attacks
}

func (w world) onSecrets() []attack {
	var attacks []attack
	given := get(w.vectors, "world").(*value.Object)
	names := slices.Concat(texts(get(given, "secretFiles")), texts(get(w.vectors, "secretNames")))
	for _, path := range names {
		denied := []string{"file_denied"}
		attacks = append(attacks,
			attack{tool: "file_read", input: object("path", path), ends: denied},
			attack{
				tool: "file_write", ends: denied,
				input: object("path", path, "mode", "replace", "old_text", "DENIED", "content", "x"),
			})
	}
	return attacks
}

func (w world) attacks() []attack {
	attacks := slices.Concat(w.onPaths(), w.onSecrets())
	for _, given := range get(w.vectors, "calls").([]any) {
		call := given.(*value.Object)
		input := value.NewObject()
		written := get(call, "input").(*value.Object)
		for _, name := range written.Names() {
			member := get(written, name)
			if _, isPieces := member.([]any); isPieces {
				member = joined(member)
			}
			input.Set(name, member)
		}
		attacks = append(attacks,
			attack{call.Text("tool"), input, texts(get(call, "ends")), call.Text("permission")})
	}
	return attacks
}

// permissions by name; no name grants. An answer that is not plainly true is an error in Go.
var permissions = map[string]FilePermission{
	"":       func(context.Context, FilePermissionRequest) (bool, error) { return true, nil },
	"throws": func(context.Context, FilePermissionRequest) (bool, error) { panic("no") },
	"truthy": func(context.Context, FilePermissionRequest) (bool, error) {
		return true, errors.New("yes, but")
	},
}

func (w world) end(t *testing.T, attack attack) string {
	options := Options{
		Workspace: NewFolder(w.workspace), FilePermission: permissions[attack.permission],
	}
	create := map[string]func(Options) (tool.Tool, error){
		"file_read": FileRead, "list_dir": ListDir, "file_search": FileSearch, "file_write": FileWrite,
	}[attack.tool]
	created, err := create(options)
	if err != nil {
		return "bug: " + err.Error()
	}
	result, err := created.Handler(context.Background(), json.RawMessage(value.Canonical(attack.input)))
	return endOf(t, result, err)
}

// endOf returns the code of an outcome, and what went wrong for the ones that must not happen.
func endOf(t *testing.T, result any, err error) string {
	var refused *tool.Error
	switch {
	case errors.As(err, &refused):
		return refused.Code
	case err != nil:
		return "bug: " + err.Error()
	}
	answer := string(raw(t, result))
	if strings.Contains(answer, fromOutside) || strings.Contains(answer, deniedInside) {
		return "leaked " + answer[:min(len(answer), 200)]
	}
	return "harmless"
}

func (w world) put(t *testing.T, path, text string) {
	t.Helper()
	whole := filepath.Join(w.root, path)
	err := errors.Join(os.MkdirAll(filepath.Dir(whole), 0o755), os.WriteFile(whole, []byte(text), 0o644))
	if err != nil {
		t.Fatal(err)
	}
}

func buildWorld(t *testing.T) world {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(vectors + "tools-attacks.json")
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := value.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	w := world{
		root, root + "/workspace", root + "/workspace-evil", root + "/outside", parsed.(*value.Object),
	}
	for _, folder := range []string{"workspace-evil", "outside"} {
		w.put(t, folder+"/secret.txt", fromOutside)
		// The file has another name in the workspace: its content is no secret of the outside.
		w.put(t, folder+"/linked.txt", "linked")
	}
	given := get(w.vectors, "world").(*value.Object)
	for _, name := range texts(get(given, "secretFiles")) {
		w.put(t, "workspace/"+name, deniedInside)
	}
	w.put(t, "workspace/.env.example", "KEY=")
	w.put(t, "workspace/id_rsa.pub", "ssh-rsa")
	links := get(given, "links").(*value.Object)
	for _, name := range links.Names() {
		if err := os.Symlink(w.fill(links.Text(name)), w.workspace+"/"+name); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(w.outside+"/linked.txt", w.workspace+"/hard.txt"); err != nil {
		t.Fatal(err)
	}
	w.putLarge(t)
	w.putSpecial(t)
	return w
}

func (w world) putLarge(t *testing.T) {
	t.Helper()
	w.put(t, "workspace/sparse", "")
	if err := os.Truncate(w.workspace+"/sparse", 1<<40); err != nil {
		t.Fatal(err)
	}
	w.put(t, "workspace/long_line.txt", strings.Repeat("é", 3_000_000))
	for number := range 600 {
		w.put(t, fmt.Sprintf("workspace/many/%d.log", number), "")
	}
	w.put(t, "workspace/"+strings.Repeat("a/", 45)+"a", "")
	w.put(t, "workspace/patterns/"+strings.Repeat("a", 250), "a")
	w.put(t, "workspace/patterns/"+strings.Repeat("a/", 30)+strings.Repeat("a", 250), "a")
	w.put(t, "workspace/slow_rules/"+strings.Repeat("a/", 30)+"a", "")
	rules := strings.Repeat(strings.Repeat("**/a/", 20)+"b\n", 50)
	w.put(t, "workspace/slow_rules/.gitignore", rules)
}

func (w world) putSpecial(t *testing.T) {
	t.Helper()
	if err := syscall.Mkfifo(w.workspace+"/pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	// Its path may be longer than the address of a socket.
	t.Chdir(w.workspace)
	err = errors.Join(syscall.Bind(socket, &syscall.SockaddrUnix{Name: "socket"}), syscall.Close(socket))
	if err != nil {
		t.Fatal(err)
	}
}

// outsideOf returns the state outside the workspace: names, status and contents.
func (w world) outsideOf(t *testing.T) string {
	t.Helper()
	var seen strings.Builder
	err := filepath.WalkDir(w.root, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if path == w.workspace {
			return filepath.SkipDir
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		fmt.Fprintln(&seen, path, info.Mode())
		if info.Mode().IsRegular() {
			text, err := os.ReadFile(path)
			fmt.Fprintln(&seen, info.ModTime(), string(text), info.Sys().(*syscall.Stat_t).Ino)
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seen.String()
}

func TestNothingLeadsOutOfTheWorkspace(t *testing.T) {
	world := buildWorld(t)
	before := world.outsideOf(t)
	attacks := world.attacks()
	const leastAttacks = 100
	if len(attacks) < leastAttacks {
		t.Fatalf("only %d attacks", len(attacks))
	}
	check := func(attack attack) {
		if end := world.end(t, attack); !slices.Contains(attack.ends, end) {
			t.Errorf("%s %.120s: %s, expected %v",
				attack.tool, value.Canonical(attack.input), end, attack.ends)
		}
	}
	// Reads cannot disturb each other; writes run alone, as each one changes its folder.
	const lanes = 4
	next := make(chan attack)
	var reading sync.WaitGroup
	for range lanes {
		reading.Go(func() {
			for attack := range next {
				check(attack)
			}
		})
	}
	for _, attack := range attacks {
		if attack.tool != "file_write" {
			next <- attack
		}
	}
	close(next)
	reading.Wait()
	for _, attack := range attacks {
		if attack.tool == "file_write" {
			check(attack)
		}
	}
	if after := world.outsideOf(t); after != before {
		t.Errorf("the outside was changed from\n%s\nto\n%s", before, after)
	}
}
