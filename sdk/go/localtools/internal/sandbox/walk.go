package sandbox

import (
	"context"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"time"

	"svc.example/sdk/go/localtools/internal/ignore"
)

const (
	maxDepth      = 40
	maxRulesBytes = 65_536
)

var (
	ruleFiles = []string{".gitignore", ".ignore"}
	// never are folders without text of the user's own.
	never = []string{".git", "node_modules"}
)

// Walk visits the files of a tree in the order of their names. It follows no links, and leaves out
// denied and ignored files. One walk is used once.
type Walk struct {
	Workspace *Workspace
	// Parts is the path of the first folder, from the workspace on.
	Parts []string
	// IncludeIgnored is true when ignored files are walked, too.
	IncludeIgnored bool
	// IsWanted is true for the path of a wanted file, from the workspace on.
	IsWanted func(path string) bool
	// MaxEntries is the largest number of entries to read.
	MaxEntries int
	// Timeout is the longest walk.
	Timeout time.Duration

	end         time.Time
	entries     int
	isCut       bool
	isOutOfTime bool
}

// Visit processes a file: its folder, its name in it and its path from the workspace on. It returns
// false to end the walk.
type Visit func(folder *Folder, name, path string) (goesOn bool, err error)

// rules of an ignore file, for everything below the folder it is in.
type rules struct {
	// base is the path of the folder: empty, or with a slash at its end.
	base  string
	rules *ignore.Rules
}

type tree struct {
	folder *Folder
	parts  []string
	rules  []rules
}

// IsComplete is true when nothing was left out, neither by a limit nor as unreadable.
func (w *Walk) IsComplete() bool { return !w.isCut }

// IsOutOfTime is true when the time limit ended the walk.
func (w *Walk) IsOutOfTime() bool { return w.isOutOfTime }

// Files passes all files to visit. A context whose deadline is over ends the walk as its own time
// limit does; one that is cancelled makes it fail.
func (w *Walk) Files(ctx context.Context, visit Visit) error {
	w.end = time.Now().Add(w.Timeout)
	var found []rules
	for depth := range w.Parts {
		above := w.Parts[:depth]
		err := w.Workspace.WithFolder(above, func(folder *Folder) error {
			inner, err := w.rulesOf(folder, above, ruleFiles)
			found = append(found, inner...)
			return err
		})
		if err != nil {
			return err
		}
	}
	return w.Workspace.WithFolder(w.Parts, func(folder *Folder) error {
		entries, isAll, err := folder.Entries()
		if err != nil {
			return err
		}
		_, err = w.tree(ctx, tree{folder, w.Parts, found}, entries, isAll, visit)
		return err
	})
}

func (w *Walk) tree(ctx context.Context, above tree, entries []Entry, isAll bool, visit Visit) (bool, error) {
	w.isCut = w.isCut || !isAll
	present := slices.DeleteFunc(slices.Clone(ruleFiles), func(name string) bool {
		return !slices.ContainsFunc(entries, func(entry Entry) bool { return entry.Name == name })
	})
	own, err := w.rulesOf(above.folder, above.parts, present)
	if err != nil {
		return false, err
	}
	above.rules = slices.Concat(above.rules, own)
	prefix := prefixOf(above.parts)
	for _, entry := range entries {
		if isOver, err := w.isOver(ctx); isOver || err != nil {
			return false, err
		}
		w.entries++
		path := prefix + entry.Name
		if slices.Contains(never, entry.Name) || w.isLeftOut(above, path, entry.Kind) {
			continue
		}
		goesOn := true
		switch {
		case entry.Kind == KindFolder:
			goesOn, err = w.inner(ctx, above, entry.Name, visit)
		case w.IsWanted(path):
			goesOn, err = visit(above.folder, entry.Name, path)
		}
		if err != nil || !goesOn {
			return false, err
		}
	}
	isOver, err := w.isOver(ctx)
	return !isOver, err
}

func (w *Walk) inner(ctx context.Context, above tree, name string, visit Visit) (bool, error) {
	parts := slices.Concat(above.parts, []string{name})
	if len(parts) > maxDepth {
		w.isCut = true
		return true, nil
	}
	folder, err := above.folder.Enter(name)
	if err != nil {
		return true, w.unlessUnreadable(err)
	}
	defer folder.Close()
	entries, isAll, err := folder.Entries()
	if err != nil {
		return true, w.unlessUnreadable(err)
	}
	return w.tree(ctx, tree{folder, parts, above.rules}, entries, isAll, visit)
}

// isOver is true when the limit of entries or time is reached.
func (w *Walk) isOver(ctx context.Context) (bool, error) {
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return true, context.Cause(ctx)
	}
	w.isOutOfTime = w.isOutOfTime || ctx.Err() != nil || !time.Now().Before(w.end)
	isOver := w.isOutOfTime || w.entries > w.MaxEntries
	w.isCut = w.isCut || isOver
	return isOver, nil
}

// unlessUnreadable passes over an entry that vanished, is not permitted or is not text, and marks
// the walk as incomplete.
func (w *Walk) unlessUnreadable(err error) error {
	if !IsUnreadable(err) {
		return err
	}
	w.isCut = w.isCut || !errors.Is(err, fs.ErrNotExist)
	return nil
}

func (w *Walk) rulesOf(folder *Folder, parts, names []string) ([]rules, error) {
	if w.IncludeIgnored {
		return nil, nil
	}
	var found []rules
	for _, name := range names {
		text, err := readRules(folder, name)
		if err != nil {
			if err := w.unlessUnreadable(err); err != nil {
				return nil, err
			}
			continue
		}
		lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
		read := ignore.New(ignore.Affordable(lines), true)
		found = append(found, rules{prefixOf(parts), read})
	}
	return found, nil
}

func readRules(folder *Folder, name string) (string, error) {
	file, err := folder.OpenFile(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	return file.Text(maxRulesBytes)
}

// prefixOf returns the prefix of the paths of a folder's entries.
func prefixOf(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, "/") + "/"
}

func (w *Walk) isLeftOut(above tree, path string, kind Kind) bool {
	if kind != KindFile && kind != KindFolder {
		return true
	}
	if kind == KindFolder {
		path += "/"
	}
	if w.Workspace.IsDenied(path) {
		return true
	}
	// The innermost matching file decides.
	for _, rules := range slices.Backward(above.rules) {
		if verdict := rules.rules.Test(path[len(rules.base):]); verdict != ignore.None {
			return verdict == ignore.Ignored
		}
	}
	return false
}
