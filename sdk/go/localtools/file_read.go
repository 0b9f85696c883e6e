package localtools

import (
	"context"
	"fmt"
	"math"
	"strings"

	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const (
	maxReadUnits = 50_000
	// maxScanBytes is the largest part of a file whose lines are counted.
	maxScanBytes = 64 << 20
)

// FileReadResult is the result of file_read for the model.
type FileReadResult struct {
	// Path of the file from the workspace on, with all links resolved.
	Path string `json:"path"`
	// Content has the lines, exactly as they are in the file; at most 50,000 UTF-16 code units.
	Content string `json:"content"`
	// StartLine is the number of the first line in Content, from 1.
	StartLine int `json:"start_line"`
	// Truncated is true when the range has more lines than were returned.
	Truncated bool `json:"truncated"`
	// NextLine is the line to continue from; 0 when nothing was cut.
	NextLine int `json:"next_line,omitempty"`
	// TotalLines is the number of lines in the file, when it was read to its end; else nil.
	TotalLines *int `json:"total_lines,omitempty"`
	// SizeBytes is the size of the file.
	SizeBytes int64 `json:"size_bytes"`
}

// FileRead returns the tool file_read: a text file of the workspace, whole or by lines. Its result
// is a [FileReadResult].
func FileRead(options Options) (tool.Tool, error) {
	workspace, err := options.workspace()
	if err != nil {
		return tool.Tool{}, err
	}
	return declared("file_read", func(ctx context.Context, input *value.Object) (any, error) {
		lines := lineRange{start: input.Int("start_line", 1), end: input.Int("end_line", math.MaxInt)}
		if lines.end < lines.start {
			return nil, refused("invalid_range", fmt.Sprintf(
				"Cannot read lines %d to %d: the end comes first", lines.start, lines.end))
		}
		path := input.Text("path")
		result, err := readRange(ctx, workspace, path, lines)
		if err != nil {
			return nil, sandbox.Explain("read "+sandbox.Quoted(path), err)
		}
		return result, nil
	}), nil
}

// lineRange are lines of a file, counted from 1, the end included.
type lineRange struct{ start, end int }

func readRange(ctx context.Context, workspace *sandbox.Workspace, path string, lines lineRange) (FileReadResult, error) {
	target, err := workspace.Locate(path)
	if err != nil {
		return FileReadResult{}, err
	}
	if err := workspace.RefuseDenied(path, target); err != nil {
		return FileReadResult{}, err
	}
	var result FileReadResult
	err = workspace.WithFile(target, func(file *sandbox.File) error {
		result, err = readLines(ctx, file, lines)
		result.Path = target.Path
		return err
	})
	return result, err
}

// scanned is what was read of a file.
type scanned struct {
	content       strings.Builder
	units         int
	line          int
	isAtLineStart bool
}

// add takes the lines of a piece of text that are in the range. It returns false when no more are
// needed.
func (s *scanned) add(text string, lines lineRange) bool {
	for len(text) > 0 {
		if s.line > lines.end || s.units > maxReadUnits {
			return false
		}
		to := strings.IndexByte(text, '\n') + 1
		s.isAtLineStart = to > 0
		if to == 0 {
			to = len(text)
		}
		if s.line >= lines.start {
			taken := text[:min(to, maxReadUnits*4)]
			s.content.WriteString(taken)
			s.units += value.Units(taken)
		}
		if s.isAtLineStart {
			s.line++
		}
		text = text[to:]
	}
	return true
}

func readLines(ctx context.Context, file *sandbox.File, lines lineRange) (FileReadResult, error) {
	read := &scanned{line: 1, isAtLineStart: true}
	err := file.EachText(maxScanBytes, func(text string) bool {
		return ctx.Err() == nil && read.add(text, lines)
	})
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		return FileReadResult{}, err
	}
	result := FileReadResult{
		Content: read.content.String(), StartLine: lines.start, SizeBytes: file.Info.Size(),
	}
	switch {
	case read.units > maxReadUnits:
		result.Truncated = true
		result.Content, result.NextLine = cut(result.Content, lines.start)
	case read.line > lines.end:
	case result.SizeBytes > maxScanBytes:
		return FileReadResult{}, refused("file_too_large", fmt.Sprintf(
			"The file has %d bytes; only the lines in its first %d can be read",
			result.SizeBytes, maxScanBytes))
	default:
		total := read.line
		if read.isAtLineStart {
			total--
		}
		result.TotalLines = &total
	}
	return result, nil
}

// cut returns the content up to the last whole line, or a part of the only one, and the line to
// continue from.
func cut(content string, start int) (part string, nextLine int) {
	part = value.Cut(content, maxReadUnits)
	end := strings.LastIndexByte(part, '\n') + 1
	if end == 0 {
		return part, start + 1
	}
	return part[:end], start + strings.Count(part[:end], "\n")
}
