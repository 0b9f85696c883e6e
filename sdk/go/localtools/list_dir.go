package localtools

import (
	"context"
	"errors"
	"io/fs"

	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const maxListed = 500

// ListedEntry is an entry of a folder.
type ListedEntry struct {
	// Name of the entry.
	Name string `json:"name"`
	// Type is "file", "folder", "link" or "other"; other are pipes, sockets and devices.
	Type string `json:"type"`
	// SizeBytes is the size of a file; nil for another entry.
	SizeBytes *int64 `json:"size_bytes,omitempty"`
}

// ListDirResult is the result of list_dir for the model.
type ListDirResult struct {
	// Path of the folder from the workspace on, with all links resolved.
	Path string `json:"path"`
	// Entries of the folder, at most 500.
	Entries []ListedEntry `json:"entries"`
	// Truncated is true when the folder has more entries than were returned.
	Truncated bool `json:"truncated"`
}

// ListDir returns the tool list_dir: the entries of a folder of the workspace. Its result is a
// [ListDirResult].
func ListDir(options Options) (tool.Tool, error) {
	workspace, err := options.workspace()
	if err != nil {
		return tool.Tool{}, err
	}
	return declared("list_dir", func(_ context.Context, input *value.Object) (any, error) {
		path := input.Text("path")
		if path == "" {
			path = "."
		}
		result, err := listFolder(workspace, path)
		if err != nil {
			return nil, sandbox.Explain("list "+sandbox.Quoted(path), err)
		}
		return result, nil
	}), nil
}

func listFolder(workspace *sandbox.Workspace, path string) (ListDirResult, error) {
	target, err := workspace.Locate(path)
	if err != nil {
		return ListDirResult{}, err
	}
	if err := workspace.RefuseDenied(path, target); err != nil {
		return ListDirResult{}, err
	}
	result := ListDirResult{Path: target.Path, Entries: []ListedEntry{}}
	err = workspace.WithFolder(target.Parts, func(folder *sandbox.Folder) error {
		entries, isAll, err := folder.Entries()
		if err != nil {
			return err
		}
		result.Truncated = !isAll || len(entries) > maxListed
		for _, entry := range entries[:min(len(entries), maxListed)] {
			info, err := folder.Status(entry.Name)
			if errors.Is(err, fs.ErrNotExist) {
				// It was removed meanwhile.
				continue
			}
			if err != nil {
				return err
			}
			listed := ListedEntry{Name: entry.Name, Type: string(entry.Kind)}
			if entry.Kind == sandbox.KindFile {
				size := info.Size()
				listed.SizeBytes = &size
			}
			result.Entries = append(result.Entries, listed)
		}
		return nil
	})
	return result, err
}
