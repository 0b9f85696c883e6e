package localtools

import (
	"context"
	"fmt"
	"strings"
	"time"

	"svc.example/sdk/go/localtools/internal/sandbox"
)

const maxWriteBytes = 16 << 20

type writer struct {
	workspace  *sandbox.Workspace
	permission FilePermission
	timeout    time.Duration
}

// write writes a file after permission. The path of the change is the requested one.
func (w writer) write(ctx context.Context, change FilePermissionRequest) (FileWriteResult, error) {
	requested := change.Path
	if w.permission == nil {
		return FileWriteResult{}, notPermitted(requested)
	}
	if err := checkSize(change.Bytes); err != nil {
		return FileWriteResult{}, err
	}
	target, err := w.workspace.Locate(requested)
	if err != nil {
		return FileWriteResult{}, err
	}
	parts, name, err := target.Leaf()
	if err != nil {
		return FileWriteResult{}, err
	}
	if change.Mode == FileReplace || change.Mode == FileAppend {
		if err := w.workspace.RefuseDenied(requested, target); err != nil {
			return FileWriteResult{}, err
		}
	}
	if change.Root, err = w.workspace.Root(); err != nil {
		return FileWriteResult{}, err
	}
	change.Path, change.Exists = target.Path, target.Exists
	isGranted := sandbox.IsGranted(ctx, w.timeout, func(ctx context.Context) (bool, error) {
		return w.permission(ctx, change)
	})
	if ctx.Err() != nil {
		return FileWriteResult{}, context.Cause(ctx)
	}
	if !isGranted {
		return FileWriteResult{}, notPermitted(requested)
	}
	// The approved target, not the path again: links are no longer followed.
	enter := w.workspace.WithNewFolder
	if change.Mode == FileReplace {
		enter = w.workspace.WithFolder
	}
	result := FileWriteResult{Path: target.Path}
	err = sandbox.InSequence(ctx, change.Root, func() error {
		return enter(parts, func(folder *sandbox.Folder) error {
			result.SizeBytes, err = folder.WriteFile(name, editOf(change))
			return err
		})
	})
	return result, err
}

func notPermitted(path string) error {
	return refused("permission_denied",
		"Cannot write "+sandbox.Quoted(path)+": the permission was not given")
}

func checkSize(bytes int) error {
	if bytes <= maxWriteBytes {
		return nil
	}
	return refused("file_too_large",
		fmt.Sprintf("Cannot write %d bytes: at most %d are possible", bytes, maxWriteBytes))
}

// editOf returns the edit of a change, which knows whether the file existed at the time of approval.
func editOf(change FilePermissionRequest) sandbox.Edit {
	return func(current *sandbox.File) ([]byte, error) {
		switch isThere := current != nil; {
		case change.Mode == FileCreate && isThere:
			return nil, refused("file_exists",
				"There is a file of that name already; to replace it, use overwrite")
		case change.Mode == FileOverwrite && isThere != change.Exists:
			return nil, refused("file_changed",
				"The file was made or removed by something else meanwhile")
		case change.Mode == FileCreate, change.Mode == FileOverwrite,
			change.Mode == FileAppend && !isThere:
			return []byte(change.Content), nil
		}
		before, err := textBefore(current)
		if err != nil {
			return nil, err
		}
		after := before + change.Content
		if change.Mode == FileReplace {
			if after, err = replaceOnce(before, change.OldText, change.Content); err != nil {
				return nil, err
			}
		}
		if err := checkSize(len(after)); err != nil {
			return nil, err
		}
		return []byte(after), nil
	}
}

func textBefore(current *sandbox.File) (string, error) {
	if current == nil {
		return "", refused("file_not_found", "There is no file of that name")
	}
	if size := current.Info.Size(); size > maxWriteBytes {
		return "", refused("file_too_large",
			fmt.Sprintf("The file has %d bytes, more than %d", size, maxWriteBytes))
	}
	return current.Text(maxWriteBytes + 1)
}

func replaceOnce(text, old, replacement string) (string, error) {
	at := strings.Index(text, old)
	if at < 0 {
		hint := ""
		if strings.Contains(text, "\r\n") && !strings.Contains(old, "\r\n") {
			hint = `; the lines of this file end in \r\n`
		}
		return "", refused("text_not_found",
			"old_text does not occur in the file; copy it exactly from file_read"+hint)
	}
	if strings.Contains(text[at+1:], old) {
		return "", refused("text_not_unique",
			"old_text occurs more than once; add lines around it")
	}
	return text[:at] + replacement + text[at+len(old):], nil
}
