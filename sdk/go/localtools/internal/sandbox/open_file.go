package sandbox

import (
	"errors"
	"os"
	"syscall"

	"svc.example/sdk/go/localtools/internal/value"
)

// attempts to open a file: an editor that saves replaces the file once; more often indicates an
// attack.
const attempts = 3

// File is an open regular file that is certainly in the workspace.
type File struct {
	*os.File
	// Info is the status of the open file.
	Info os.FileInfo
}

// OpenFile opens a regular file for reading. It is opened first, and used only when it is the file
// that the folder holds under that name.
func (f *Folder) OpenFile(name string) (*File, error) {
	for range attempts {
		// No proof, but it avoids touching pipes and devices.
		info, err := f.Status(name)
		if err != nil {
			return nil, err
		}
		if err := refuseSpecial(info); err != nil {
			return nil, err
		}
		file, err := f.openCertain(name)
		if err != nil || file != nil {
			return file, err
		}
	}
	return nil, refused("file_changed",
		"Cannot open "+value.Quote(name)+": it is being replaced; try again")
}

// openCertain returns nil for an entry that is not, or not certainly, a regular file of the folder.
func (f *Folder) openCertain(name string) (*File, error) {
	// A pipe or a device does not block it.
	opened, err := f.held.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		var number syscall.Errno
		if errors.As(err, &number) {
			return nil, err
		}
		// It is a link to the outside by now.
		return nil, nil
	}
	info, err := opened.Stat()
	if err == nil && info.Mode().IsRegular() {
		if now, err := f.Status(name); err == nil && os.SameFile(info, now) {
			return &File{opened, info}, nil
		}
	}
	return nil, errors.Join(err, opened.Close())
}

func refuseSpecial(info os.FileInfo) error {
	kind := "it is a pipe, a socket or a device"
	switch mode := info.Mode(); {
	case mode.IsRegular():
		return nil
	case mode.IsDir():
		kind = "it is a folder"
	case mode&os.ModeSymlink != 0:
		kind = "it is a link that leads nowhere inside the workspace"
	}
	return refused("not_a_file", "Cannot open it as a file: "+kind)
}

// WithFile opens a file of the workspace for reading, and closes it afterwards.
func (w *Workspace) WithFile(target Target, use func(*File) error) error {
	parts, name, err := target.Leaf()
	if err != nil {
		return err
	}
	return w.WithFolder(parts, func(folder *Folder) error {
		file, err := folder.OpenFile(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return use(file)
	})
}
