// Package ignore matches paths against rules as in a .gitignore.
//
// The rules become regular expressions of the standard library, whose time grows with the length of
// a path only: no rule can be slow. The packages for this on the module proxy either ask the file
// system, or leave out parts of the rules.
package ignore

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

const (
	// MaxRules is the largest number of rules in a list.
	MaxRules = 1_000
	// maxGlobstars is the largest number of ** in a pattern, as in the TypeScript tools.
	maxGlobstars = 2
	// maxSlowRules is the largest number of rules with several **.
	maxSlowRules = 16
)

// Verdict of a list of rules on a path.
type Verdict int

// The verdicts: no rule matches, or the last that does ignores the path, or keeps it.
const (
	None Verdict = iota
	Ignored
	Kept
)

type rule struct {
	pattern *regexp.Regexp
	// head and tail are what a matching name begins and ends with. Most rules differ there already,
	// which is faster to see than by the pattern.
	head, tail string
	// isFolder is true for a rule that matches folders only.
	isFolder  bool
	isNegated bool
}

// Rules are a list of rules, of which the last that matches decides. They are safe for concurrent
// use.
type Rules struct {
	rules []rule
	// fold brings a name into the case of the rules.
	fold    func(string) string
	folders sync.Map // Verdicts on folders, by path.
}

// New reads rules. Comments, blank lines and patterns that match nothing are passed over.
func New(lines []string, isCaseSensitive bool) *Rules {
	rules := &Rules{fold: strings.ToLower}
	if isCaseSensitive {
		rules.fold = func(name string) string { return name }
	}
	for _, line := range lines {
		if read, isRule := parse(line, isCaseSensitive); isRule {
			read.head, read.tail = rules.fold(read.head), rules.fold(read.tail)
			rules.rules = append(rules.rules, read)
		}
	}
	return rules
}

// Test returns the verdict on a path with forward slashes; that of a folder ends in one. Nothing in
// an ignored folder is kept.
func (r *Rules) Test(path string) Verdict {
	isFolder := strings.HasSuffix(path, "/")
	name := strings.TrimSuffix(path, "/")
	if isFolder {
		if known, isKnown := r.folders.Load(name); isKnown {
			return known.(Verdict)
		}
	}
	verdict := r.test(name, isFolder)
	if isFolder {
		r.folders.Store(name, verdict)
	}
	return verdict
}

func (r *Rules) test(name string, isFolder bool) Verdict {
	if slash := strings.LastIndexByte(name, '/'); slash > 0 {
		if r.Test(name[:slash+1]) == Ignored {
			return Ignored
		}
	}
	last := r.fold(name[strings.LastIndexByte(name, '/')+1:])
	for _, rule := range slices.Backward(r.rules) {
		mayMatch := (isFolder || !rule.isFolder) && strings.HasPrefix(last, rule.head) &&
			strings.HasSuffix(last, rule.tail)
		if mayMatch && rule.pattern.MatchString(name) {
			if rule.isNegated {
				return Kept
			}
			return Ignored
		}
	}
	return None
}

// Ignores is true for an ignored path.
func (r *Rules) Ignores(path string) bool { return r.Test(path) == Ignored }

// IsAffordable is true for a pattern with few **.
func IsAffordable(pattern string) bool { return globstars(pattern) <= maxGlobstars }

func globstars(pattern string) int { return strings.Count(pattern, "**") }

// Affordable returns the rules within the limits. The others occur only in attempts to slow a
// search down.
func Affordable(lines []string) []string {
	var kept []string
	slow, count := 0, 0
	for _, line := range lines {
		if !IsAffordable(line) {
			continue
		}
		if count++; count > MaxRules {
			break
		}
		if globstars(line) == maxGlobstars {
			if slow++; slow > maxSlowRules {
				continue
			}
		}
		kept = append(kept, line)
	}
	return kept
}
