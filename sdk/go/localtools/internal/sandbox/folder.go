package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// Folder is a folder of a workspace that was reached without following a link. Its entries are
// reached through it, whatever other processes rename meanwhile.
type Folder struct{ held *os.Root }

func notFolder(path string) error {
	return &fs.PathError{Op: "enter", Path: path, Err: syscall.ENOTDIR}
}

// inside returns the path of a folder's own entry. A plain name would do, but os.Root opens it
// without asking for a folder, and an attacker's pipe of that name would keep the call waiting.
func inside(name string) string { return name + "/." }

// openRoot opens the root of a workspace, if it is the folder of the first use.
func openRoot(root *root) (*Folder, error) {
	held, err := os.OpenRoot(inside(root.path))
	if err != nil {
		return nil, err
	}
	reached, err := held.Stat(".")
	if err != nil || !os.SameFile(reached, root.info) {
		return nil, errors.Join(notFolder(root.path), held.Close())
	}
	return &Folder{held}, nil
}

// Close closes the folder. Nothing was written through it that could be lost.
func (f *Folder) Close() { _ = f.held.Close() }

// Status returns the status of an entry itself: of a link, not of its target.
func (f *Folder) Status(name string) (os.FileInfo, error) { return f.held.Lstat(name) }

// Enter opens a subfolder. It never follows a link.
func (f *Folder) Enter(name string) (*Folder, error) {
	info, err := f.held.Lstat(name)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, notFolder(name)
	}
	return f.enterCertain(name)
}

// enterCertain opens a subfolder, and fails when it is not the entry itself.
func (f *Folder) enterCertain(name string) (*Folder, error) {
	held, err := f.held.OpenRoot(inside(name))
	if err != nil {
		return nil, ofSystem(err, name)
	}
	// A link that was put there in between may have been followed, though not to the outside.
	reached, errReached := held.Stat(".")
	entry, errEntry := f.held.Lstat(name)
	if errReached != nil || errEntry != nil || !os.SameFile(reached, entry) {
		_ = held.Close()
		return nil, notFolder(name)
	}
	return &Folder{held}, nil
}

// ofSystem returns a failure of the system; that of os.Root about a link to the outside becomes the
// one about an entry that is no folder.
func ofSystem(err error, name string) error {
	var number syscall.Errno
	if errors.As(err, &number) {
		return err
	}
	return notFolder(name)
}

// enterOrCreate enters a folder, and creates it when it is missing.
func (f *Folder) enterOrCreate(name string) (*Folder, error) {
	inner, err := f.Enter(name)
	if !errors.Is(err, fs.ErrNotExist) {
		return inner, err
	}
	// Another process may create the entry first; if it is a folder, it is entered.
	if err := f.held.Mkdir(name, 0o777); err != nil && !errors.Is(err, fs.ErrExist) {
		return nil, err
	}
	return f.Enter(name)
}

// WithFolder enters a folder of the workspace, part by part, and closes it afterwards.
func (w *Workspace) WithFolder(parts []string, use func(*Folder) error) error {
	return w.with(parts, (*Folder).Enter, use)
}

// WithNewFolder is like WithFolder, and creates missing folders.
func (w *Workspace) WithNewFolder(parts []string, use func(*Folder) error) error {
	return w.with(parts, (*Folder).enterOrCreate, use)
}

func (w *Workspace) with(parts []string, enter func(*Folder, string) (*Folder, error), use func(*Folder) error) error {
	root, err := w.folder.open()
	if err != nil {
		return err
	}
	folder, err := openRoot(root)
	if err != nil {
		return err
	}
	for _, part := range parts {
		inner, err := enter(folder, part)
		folder.Close()
		if err != nil {
			return err
		}
		folder = inner
	}
	defer folder.Close()
	return use(folder)
}
