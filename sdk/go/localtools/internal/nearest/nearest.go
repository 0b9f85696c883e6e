// Package nearest finds the name that was probably meant.
package nearest

import (
	"strings"
	"unicode/utf8"
)

const longest = 64

// Name returns the most similar name when at most a third of its characters differ.
func Name(text string, names []string) (string, bool) {
	if utf8.RuneCountInString(text) > longest {
		return "", false
	}
	best, fewest := "", -1
	for _, name := range names {
		edits := distance(strings.ToLower(text), strings.ToLower(name))
		if edits*3 <= utf8.RuneCountInString(name) && (fewest < 0 || edits < fewest) {
			best, fewest = name, edits
		}
	}
	return best, fewest >= 0
}

// distance returns the number of edits that turn one text into another: characters added, removed
// or replaced.
func distance(one, other string) int {
	letters := []rune(other)
	row := make([]int, len(letters)+1)
	for index := range row {
		row[index] = index
	}
	for above, letter := range []rune(one) {
		next := make([]int, len(row))
		next[0] = above + 1
		for index, candidate := range letters {
			replaced := row[index]
			if letter != candidate {
				replaced++
			}
			next[index+1] = min(replaced, row[index+1]+1, next[index]+1)
		}
		row = next
	}
	return row[len(letters)]
}
