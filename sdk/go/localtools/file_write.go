package localtools

import (
	"context"
	"time"
	"unicode/utf8"

	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// FileWriteMode is the mode of a write.
type FileWriteMode string

// The modes: a new file, all of the content, text at the end, and one text in place of another.
const (
	FileCreate    FileWriteMode = "create"
	FileOverwrite FileWriteMode = "overwrite"
	FileAppend    FileWriteMode = "append"
	FileReplace   FileWriteMode = "replace"
)

// FilePermissionRequest is a write that the application is asked to permit: this call and no other.
type FilePermissionRequest struct {
	// Root is the root of the workspace, absolute, all links resolved.
	Root string
	// Path of the file from the root on, with all links resolved.
	Path string
	// Mode of the write.
	Mode FileWriteMode
	// Exists is true when there is an entry at that path.
	Exists bool
	// Content is the text to write; in the mode replace the new text.
	Content string
	// OldText is the text to replace, in the mode replace.
	OldText string
	// Bytes is the size of Content.
	Bytes int
	// CallID is the id of the call that the model made.
	CallID string
}

// FilePermission permits a write by true without an error; an error, a panic and silence refuse it.
// The context ends when the permission is no longer needed.
type FilePermission func(ctx context.Context, request FilePermissionRequest) (bool, error)

// FileWriteResult is the result of file_write for the model.
type FileWriteResult struct {
	// Path of the file from the workspace on, with all links resolved.
	Path string `json:"path"`
	// SizeBytes is the new size of the file.
	SizeBytes int `json:"size_bytes"`
}

// writeTime is the longest write, once it is permitted.
const writeTime = time.Minute

// FileWrite returns the tool file_write: it creates and changes text files of the workspace, each
// atomically. Every call needs the application's permission. Its result is a [FileWriteResult].
func FileWrite(options Options) (tool.Tool, error) {
	workspace, err := options.workspace()
	if err != nil {
		return tool.Tool{}, err
	}
	timeout, err := limit("PermissionTimeout", options.PermissionTimeout, defaultPermissionTimeout)
	if err != nil {
		return tool.Tool{}, err
	}
	writer := writer{workspace, options.FilePermission, timeout}
	created := declared("file_write", func(ctx context.Context, input *value.Object) (any, error) {
		change := FilePermissionRequest{
			Path: input.Text("path"), Mode: FileWriteMode(input.Text("mode")),
			Content: input.Text("content"), OldText: input.Text("old_text"),
			Bytes: len(input.Text("content")), CallID: tool.CallID(ctx),
		}
		if (change.Mode == FileReplace) != input.Has("old_text") {
			return nil, invalid("Give old_text in the mode replace, and only there")
		}
		if !utf8.ValidString(change.Content) || !utf8.ValidString(change.OldText) {
			return nil, invalid("Cannot write half of a character: the text has a lone surrogate")
		}
		result, err := writer.write(ctx, change)
		if err != nil {
			return nil, sandbox.Explain("write "+sandbox.Quoted(change.Path), err)
		}
		return result, nil
	})
	created.Timeout = timeout + writeTime
	return created, nil
}
