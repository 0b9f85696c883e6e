package sandbox

import (
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"unicode/utf8"
)

const maxEntries = 20_000

// Kind of an entry: links are not followed.
type Kind string

// The kinds of entries; KindOther are pipes, sockets and devices.
const (
	KindFile   Kind = "file"
	KindFolder Kind = "folder"
	KindLink   Kind = "link"
	KindOther  Kind = "other"
)

// Entry is an entry of a folder.
type Entry struct {
	Name string
	Kind Kind
}

// Entries returns the entries of a folder, sorted by name, and true when these are all; of a folder
// beyond the limit, some in the system's order. Names that are no text are left out.
func (f *Folder) Entries() (entries []Entry, isComplete bool, err error) {
	opened, err := f.held.Open(".")
	if err != nil {
		return nil, false, err
	}
	defer opened.Close()
	const atOnce = 256
	for {
		listed, err := opened.ReadDir(atOnce)
		for _, entry := range listed {
			if len(entries) == maxEntries {
				return sorted(entries), false, nil
			}
			if utf8.ValidString(entry.Name()) {
				entries = append(entries, Entry{entry.Name(), kindOf(entry.Type())})
			}
		}
		if errors.Is(err, io.EOF) {
			return sorted(entries), true, nil
		}
		if err != nil {
			return nil, false, err
		}
	}
}

func sorted(entries []Entry) []Entry {
	slices.SortFunc(entries, func(one, other Entry) int { return strings.Compare(one.Name, other.Name) })
	return entries
}

func kindOf(mode os.FileMode) Kind {
	switch {
	case mode.IsRegular():
		return KindFile
	case mode.IsDir():
		return KindFolder
	case mode&os.ModeSymlink != 0:
		return KindLink
	default:
		return KindOther
	}
}
