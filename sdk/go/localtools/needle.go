package localtools

import (
	"strings"

	"svc.example/sdk/go/localtools/internal/sandbox"
	"svc.example/sdk/go/localtools/internal/value"
)

const (
	maxLineUnits = 300
	// leadUnits of a long line are shown before the match.
	leadUnits = 100
	// maxNamed is the largest number of files named as too large.
	maxNamed = 20
)

// found are the matches, up to the limits.
type found struct {
	most   int
	result FileSearchResult
	// isCut is true when any match or file was left out.
	isCut bool
	units int
	bytes int64
}

// takes is true for a match of that length which the limits allow.
func (f *found) takes(units int) bool {
	f.units += units
	takes := len(f.result.Files)+len(f.result.Matches) < f.most && f.units <= maxSearchUnits
	f.isCut = f.isCut || !takes
	return takes
}

func (f *found) addFile(_ *sandbox.Folder, _, path string) (bool, error) {
	if !f.takes(value.Units(path)) {
		return false, nil
	}
	f.result.Files = append(f.result.Files, path)
	return true, nil
}

// needle is the text of a query.
type needle struct {
	folded string
	fold   func(string) string
}

func newNeedle(query string, isCaseSensitive bool) needle {
	fold := strings.ToLower
	if isCaseSensitive {
		fold = func(text string) string { return text }
	}
	return needle{fold(query), fold}
}

// searchIn returns the visit that adds the lines of a file.
func (n needle) searchIn(found *found) sandbox.Visit {
	return func(folder *sandbox.Folder, name, path string) (bool, error) {
		text, isText, err := found.textOf(folder, name, path)
		if err != nil {
			return false, err
		}
		if isText && strings.Contains(n.fold(text), n.folded) && !n.addLines(found, text, path) {
			return false, nil
		}
		return found.bytes <= maxSearchedAll, nil
	}
}

// textOf returns the text of a file; false for one that is binary, too large or not to be read.
func (f *found) textOf(folder *sandbox.Folder, name, path string) (string, bool, error) {
	file, err := folder.OpenFile(name)
	if err != nil {
		return "", false, unlessUnreadable(err)
	}
	defer file.Close()
	size := file.Info.Size()
	if size > maxSearchedFile {
		if len(f.result.TooLarge) < maxNamed {
			f.result.TooLarge = append(f.result.TooLarge, path)
		}
		return "", false, nil
	}
	if f.bytes += size; f.bytes > maxSearchedAll {
		f.isCut = true
		return "", false, nil
	}
	text, err := file.Text(maxSearchedFile)
	return text, err == nil, unlessUnreadable(err)
}

func unlessUnreadable(err error) error {
	if err == nil || sandbox.IsUnreadable(err) {
		return nil
	}
	return err
}

func (n needle) addLines(found *found, text, path string) bool {
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		folded := n.fold(line)
		at := strings.Index(folded, n.folded)
		if at < 0 {
			continue
		}
		from := 0
		if value.Units(line) > maxLineUnits {
			from = max(0, value.Units(folded[:at])-leadUnits)
		}
		shown := value.Slice(line, from, maxLineUnits)
		if !found.takes(value.Units(path) + value.Units(shown)) {
			return false
		}
		found.result.Matches = append(found.result.Matches, FoundLine{path, number, shown})
	}
	return true
}
