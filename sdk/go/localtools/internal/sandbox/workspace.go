// Package sandbox holds a workspace as a boundary: it resolves paths inside it, and opens only
// entries that are certainly there.
//
// A path is resolved first, links included, and what lies outside is refused. Then the folders of
// the result are entered one by one through [os.Root], that is, by openat relative to the folder
// before, and no link is followed any more: a folder that is swapped for a link in the meantime
// leads nowhere. On Linux, macOS and Windows a rename of a folder, or of one above it, changes
// nothing for a call that has entered it.
package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"svc.example/sdk/go/localtools/internal/ignore"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const (
	maxPathUnits = 4_096
	maxParts     = 100
	shownUnits   = 200
)

// Shared is a folder that several tools work in. Its path is resolved once, at the first use of any
// of them.
type Shared struct {
	path  string
	mutex sync.Mutex
	root  *root
}

// root is the root of a workspace at its first use.
type root struct {
	// path is absolute and without links.
	path string
	info os.FileInfo
}

// NewShared returns a folder without accessing the file system.
func NewShared(path string) *Shared { return &Shared{path: path} }

func (s *Shared) open() (*root, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.root != nil {
		return s.root, nil
	}
	path, err := filepath.Abs(s.path)
	if err != nil {
		return nil, err
	}
	if path, err = realPath(path); err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, refused("no_workspace", "Cannot use the workspace: it is not a folder")
	}
	s.root = &root{path, info}
	return s.root, nil
}

// Workspace is a shared folder with the files that one tool denies.
type Workspace struct {
	folder *Shared
	deny   *ignore.Rules
}

// New returns a workspace without accessing the file system. It fails for a folder without a path,
// and for a pattern that would have to be left out.
func New(folder *Shared, deny []string) (*Workspace, error) {
	if folder == nil || folder.path == "" {
		return nil, errors.New("cannot use the workspace: it is not a path")
	}
	rules, err := denyRules(deny)
	if err != nil {
		return nil, err
	}
	return &Workspace{folder, rules}, nil
}

// Root returns the root, absolute and without links.
func (w *Workspace) Root() (string, error) {
	root, err := w.folder.open()
	if err != nil {
		return "", err
	}
	return root.path, nil
}

// Target is what a path leads to: inside the workspace, with all links resolved.
type Target struct {
	// Path from the root on, with forward slashes; the root itself is ".".
	Path string
	// Parts are the names along the path.
	Parts []string
	// Exists is true when there is an entry.
	Exists bool
}

// Locate resolves a path. Links are followed as long as they stay inside. It fails for a path that
// leads outside, or is none.
func (w *Workspace) Locate(path string) (Target, error) {
	root, err := w.folder.open()
	if err != nil {
		return Target{}, err
	}
	parts, err := w.lexical(path, root.path)
	if err != nil {
		return Target{}, err
	}
	for known := len(parts); known >= 0; known-- {
		real, err := realPath(filepath.Join(root.path, filepath.Join(parts[:known]...)))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return Target{}, err
		}
		inside, isInside := partsBelow(root.path, real)
		if !isInside {
			return Target{}, outside(path)
		}
		all := slices.Concat(inside, parts[known:])
		target := Target{Path: strings.Join(all, "/"), Parts: all, Exists: known == len(parts)}
		if target.Path == "" {
			target.Path = "."
		}
		return target, nil
	}
	return Target{}, refused("no_workspace", "Cannot use the workspace: it is gone")
}

// lexical returns the names of a path as written: ".." is removed before any link is followed.
func (w *Workspace) lexical(path, root string) ([]string, error) {
	isPath := value.Units(path) <= maxPathUnits && !strings.Contains(path, "\x00") &&
		utf8.ValidString(path)
	if !isPath {
		return nil, noPath(path)
	}
	whole := path
	if !filepath.IsAbs(path) {
		whole = filepath.Join(root, path)
	}
	parts, isInside := partsBelow(root, whole)
	if !isInside && filepath.IsAbs(w.folder.path) {
		parts, isInside = partsBelow(w.folder.path, whole)
	}
	if !isInside {
		return nil, outside(path)
	}
	if len(parts) > maxParts || slices.ContainsFunc(parts, isNoName) {
		return nil, noPath(path)
	}
	return parts, nil
}

// isNoName is true for a name that Windows would read as something else.
func isNoName(name string) bool {
	return runtime.GOOS == "windows" && strings.ContainsAny(name, `<>:"|?*`)
}

// partsBelow returns the names from a folder to a path below it; false when it is not below.
func partsBelow(root, path string) ([]string, bool) {
	relative, err := filepath.Rel(root, filepath.Clean(path))
	if err != nil {
		return nil, false
	}
	if relative == "." {
		return nil, true
	}
	parts := strings.Split(relative, string(filepath.Separator))
	return parts, parts[0] != ".."
}

// realPath returns a path without links. Failures are those of the system.
func realPath(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err == nil {
		return real, nil
	}
	// The standard library tells of a loop in words only.
	if _, system := os.Stat(path); system != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", system
	}
	return "", err
}

// Leaf splits a target into the folder and the name in it.
func (t Target) Leaf() (folder []string, name string, err error) {
	last := len(t.Parts) - 1
	if last < 0 {
		return nil, "", refused("not_a_file", "Cannot use the workspace itself as a file")
	}
	return t.Parts[:last], t.Parts[last], nil
}

// Quoted returns a path for a sentence: hostile characters are escaped, long paths are cut.
func Quoted(path string) string {
	if value.Units(path) > shownUnits {
		path = value.Cut(path, shownUnits) + "…"
	}
	return value.Quote(path)
}

func refused(code, message string) error { return &tool.Error{Code: code, Message: message} }

func noPath(path string) error {
	return refused("invalid_path", "Cannot use the path "+Quoted(path)+": it is not a path")
}

func outside(path string) error {
	return refused("outside_workspace", "Cannot use the path "+Quoted(path)+
		": it leads outside the workspace; give a path relative to the workspace")
}
