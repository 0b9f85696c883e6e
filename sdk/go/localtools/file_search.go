package localtools

import (
	"context"
	"time"

	"svc.example/sdk/go/localtools/internal/ignore"
	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

const (
	defaultResults  = 100
	maxSearchUnits  = 50_000
	maxWalked       = 50_000
	maxSearchedFile = 4 << 20
	maxSearchedAll  = 256 << 20
	maxGlobUnits    = 256
	maxAlternatives = 16
	// searchLastStep is for files that are being read when the time limit ends.
	searchLastStep = 10 * time.Second
)

// FoundLine is a line that contains the query.
type FoundLine struct {
	// Path of the file from the workspace on.
	Path string `json:"path"`
	// Line is the line number, from 1.
	Line int `json:"line"`
	// Text is the line; of a long one the part around the match.
	Text string `json:"text"`
}

// FileSearchResult is the result of file_search for the model: files without a query, lines with one.
type FileSearchResult struct {
	// Files are those whose name matches, for a search without a query; else nil.
	Files []string `json:"files,omitzero"`
	// Matches are the lines that contain the query; nil for a search without one.
	Matches []FoundLine `json:"matches,omitzero"`
	// Truncated is true when there may be more matches.
	Truncated bool `json:"truncated"`
	// Partial is true when the time limit ended the search; the result has the matches so far.
	Partial bool `json:"partial,omitzero"`
	// TooLarge are files too large to be searched, at most twenty.
	TooLarge []string `json:"too_large,omitzero"`
}

// FileSearch returns the tool file_search: files of the workspace by name, lines by what they
// contain. Names match globs; contents are compared as plain text, so that no query can be slow. Its
// result is a [FileSearchResult].
func FileSearch(options Options) (tool.Tool, error) {
	workspace, err := options.workspace()
	if err != nil {
		return tool.Tool{}, err
	}
	timeout, err := limit("SearchTimeout", options.SearchTimeout, defaultSearchTimeout)
	if err != nil {
		return tool.Tool{}, err
	}
	created := declared("file_search", func(ctx context.Context, input *value.Object) (any, error) {
		if !input.Has("query") && !input.Has("glob") {
			return nil, invalid("Cannot search for nothing: give a query, a glob, or both")
		}
		path := input.Text("path")
		if path == "" {
			path = "."
		}
		result, err := search(ctx, workspace, path, input, timeout)
		if err != nil {
			return nil, sandbox.Explain("search "+sandbox.Quoted(path), err)
		}
		return result, nil
	})
	created.Timeout = timeout + searchLastStep
	return created, nil
}

func search(ctx context.Context, workspace *sandbox.Workspace, path string, input *value.Object, timeout time.Duration) (FileSearchResult, error) {
	target, err := workspace.Locate(path)
	if err != nil {
		return FileSearchResult{}, err
	}
	if err := workspace.RefuseDenied(path, target); err != nil {
		return FileSearchResult{}, err
	}
	glob := "*"
	if input.Has("glob") {
		glob = input.Text("glob")
	}
	isWanted, err := globMatcher(glob)
	if err != nil {
		return FileSearchResult{}, err
	}
	walk := &sandbox.Walk{
		Workspace: workspace, Parts: target.Parts, IncludeIgnored: input.Bool("include_ignored"),
		IsWanted: isWanted, MaxEntries: maxWalked, Timeout: timeout,
	}
	found := &found{most: input.Int("max_results", defaultResults)}
	visit := found.addFile
	if input.Has("query") {
		found.result.Matches = []FoundLine{}
		visit = newNeedle(input.Text("query"), input.Bool("case_sensitive")).searchIn(found)
	} else {
		found.result.Files = []string{}
	}
	if err := walk.Files(ctx, visit); err != nil {
		return FileSearchResult{}, err
	}
	result := found.result
	result.Truncated = found.isCut || !walk.IsComplete()
	result.Partial = walk.IsOutOfTime()
	return result, nil
}

// globMatcher returns a matcher of paths for a glob: with the rules of a .gitignore line, and {a,b}
// in addition. A glob without a slash matches names, one that names a folder everything in it.
func globMatcher(glob string) (func(path string) bool, error) {
	if value.Units(glob) > maxGlobUnits || !ignore.IsAffordable(glob) {
		return nil, refused("invalid_glob",
			"Cannot use the glob: at most 256 characters and two ** are possible")
	}
	patterns := ignore.Expand(glob, maxAlternatives)
	for index, pattern := range patterns {
		patterns[index] = literalStart(pattern)
	}
	return ignore.New(patterns, true).Ignores, nil
}

// literalStart escapes the beginning of a glob, which is neither a comment nor a negation, and starts
// at the workspace.
func literalStart(pattern string) string {
	if len(pattern) > 1 && pattern[0] == '.' && pattern[1] == '/' {
		pattern = pattern[1:]
	}
	if pattern != "" && (pattern[0] == '!' || pattern[0] == '#') {
		return `\` + pattern
	}
	return pattern
}
