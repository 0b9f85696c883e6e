package sandbox

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Edit computes the new content from the present file, or from nil without one.
type Edit func(current *File) ([]byte, error)

const (
	permissionBits = 0o777
	writeBits      = 0o222
)

// WriteFile writes a file atomically: the content goes to a new file beside it, which takes its name
// once it is complete and on the disk. A reader sees the old content or the new, also after a crash.
// It returns the new size in bytes.
func (f *Folder) WriteFile(name string, edit Edit) (int, error) {
	current, err := f.OpenFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		current = nil
	case err != nil:
		return 0, err
	default:
		defer current.Close()
		if err := refuseProtected(current.Info); err != nil {
			return 0, err
		}
	}
	content, err := edit(current)
	if err != nil {
		return 0, err
	}
	temporary := "." + rand.Text() + ".unfinished"
	if err := f.fill(temporary, content, current); err != nil {
		return 0, errors.Join(err, f.removeTemporary(temporary))
	}
	err = f.publish(temporary, name, current)
	return len(content), errors.Join(err, f.removeTemporary(temporary))
}

// fill creates a file with the content, on the disk.
func (f *Folder) fill(name string, content []byte, current *File) (err error) {
	created, err := f.held.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, created.Close()) }()
	if current != nil {
		if err := copyOwnership(current.Info, created); err != nil {
			return err
		}
	}
	if _, err := created.Write(content); err != nil {
		return err
	}
	return created.Sync()
}

func (f *Folder) removeTemporary(name string) error {
	if err := f.held.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// copyOwnership gives the new file the owner and the permissions of the old one.
func copyOwnership(old os.FileInfo, created *os.File) error {
	info, err := created.Stat()
	if err != nil {
		return err
	}
	owner, hasOwner := ownerOf(old)
	if now, _ := ownerOf(info); hasOwner && now != owner {
		if err := created.Chown(owner.user, owner.group); err != nil {
			return err
		}
	}
	return created.Chmod(old.Mode() & permissionBits)
}

// publish gives the file its name. A new file is published by a link, which unlike a rename fails
// when an entry exists; an existing one must be the one that was read, unchanged.
func (f *Folder) publish(temporary, name string, current *File) error {
	if current == nil {
		return f.held.Link(temporary, name)
	}
	now, err := f.Status(name)
	if err != nil {
		return err
	}
	if err := refuseLinked(now); err != nil {
		return err
	}
	expected := current.Info
	isUnchanged := os.SameFile(now, expected) && now.ModTime().Equal(expected.ModTime()) &&
		now.Size() == expected.Size()
	if !isUnchanged {
		return refused("file_changed",
			"The file was changed by something else meanwhile; read it again")
	}
	return f.held.Rename(temporary, name)
}

// refuseLinked refuses a file with several names: another name may be outside, which cannot be
// detected.
func refuseLinked(info os.FileInfo) error {
	names := namesOf(info)
	if names <= 1 {
		return nil
	}
	return refused("hard_linked", fmt.Sprintf(
		"The file has %d names (hard links), and another one may be outside the workspace", names))
}

// refuseProtected refuses a protected file: a rename does not check whether the replaced file is
// writable.
func refuseProtected(info os.FileInfo) error {
	if err := refuseLinked(info); err != nil {
		return err
	}
	if info.Mode()&writeBits != 0 {
		return nil
	}
	return refused("access_denied", "The file is write-protected")
}
