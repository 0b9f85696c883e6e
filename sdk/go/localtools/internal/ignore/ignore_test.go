package ignore

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Patterns and paths that together meet every part of the syntax.
var (
	patterns = []string{
		"a", "/a", "a/", "a/b", "/a/b/", "*", "*.c", "a*", "?", "??", "a?c", "**", "**/a", "a/**", "a/**/b",
		"***/a", "a**b", "[ab]", "[!a]", "[^a]*", "[a-c]x", "[]]", "[[:digit:]]", "[[:alpha:]x]*", "[a",
		`\*`, `\!a`, `\#a`, "#a", "!a", `a\ `, "a ", "", " ", `a\`, "[z-a]", `[\]]`, "a/*", "*/b", "**/b/c",
		"a.b", "a+b", "(a)", "a|b", "{a,b}", "$a", "^a", "a/**/", "/*", "/**", "b/[!c]", "*[!b]",
	}
	paths = []string{
		"a", "b", "c", "x", "ab", "abc", "a.c", "a.b", "axb", "1", "]", "[a", "*", "!a", "#a", "a ", " ", "cx",
		"a+b", "(a)", "a|b", "{a,b}", "$a", "^a", "d/a", "d/a.c", "d/e/a", "z", "q/b/c", "q/x", "zz", "b1",
	}
)

// git is the authority on these rules. It counts bytes, though, and these rules count characters.
func TestRulesMatchLikeThoseOfGit(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("SKIPPED: git is not installed")
	}
	repository := t.TempDir()
	run := func(input string, args ...string) string {
		command := exec.Command(git, append([]string{"-C", repository}, args...)...)
		command.Env = []string{"HOME=" + repository, "GIT_CONFIG_NOSYSTEM=1"}
		command.Stdin = strings.NewReader(input)
		// It fails when nothing is ignored.
		output, _ := command.Output()
		return string(output)
	}
	run("", "init", "-q")
	compared := 0
	for _, pattern := range patterns {
		for _, lines := range [][]string{{pattern}, {"*", pattern}, {pattern, "!*c"}} {
			if pattern == "" && len(lines) == 1 {
				continue
			}
			writeFile(t, filepath.Join(repository, ".gitignore"), strings.Join(lines, "\n")+"\n")
			output := run(strings.Join(paths, "\x00"), "check-ignore", "--no-index", "-z", "--stdin")
			ignored := strings.Split(strings.TrimSuffix(output, "\x00"), "\x00")
			rules := New(lines, true)
			for _, path := range paths {
				compared++
				if rules.Ignores(path) != slices.Contains(ignored, path) {
					t.Errorf("%q: %q is ignored: %v", lines, path, !slices.Contains(ignored, path))
				}
			}
		}
	}
	if compared < 4_000 {
		t.Errorf("only %d were compared", compared)
	}
}

func TestExpandTakesBraces(t *testing.T) {
	for pattern, expected := range map[string][]string{
		"a":               {"a"},
		"{a,b}":           {"a", "b"},
		"x{a,b{1,2}}y":    {"xay", "xb1y", "xb2y"},
		"{a,b}{c,d}":      {"ac", "ad", "bc", "bd"},
		"{1..3}":          {"1", "2", "3"},
		"{3..1}":          {"3", "2", "1"},
		"{01..3}":         {"01", "02", "03"},
		"{1..9..4}":       {"1", "5", "9"},
		"{a..c}":          {"a", "b", "c"},
		"{a}":             {"{a}"},
		"{a,b":            {"{a,b"},
		"a}{b,c}":         {"a}b", "a}c"},
		`\{a,b}`:          {`\{a,b}`},
		"${a,b}":          {"${a,b}"},
		"{,a}":            {"", "a"},
		"{a{b,c}":         {"{ab", "{ac"},
		"{1..9999999}":    {"1", "2", "3", "4"},
		"{a..}":           {"{a..}"},
		"{a,b,c,d,e,f,g}": {"a", "b", "c", "d"},
	} {
		if expanded := Expand(pattern, 4); !slices.Equal(expanded, expected) {
			t.Errorf("%s: got %q, expected %q", pattern, expanded, expected)
		}
	}
}

func TestRulesThatCouldBeSlowAreDropped(t *testing.T) {
	var lines []string
	for range 20 {
		lines = append(lines, "**/a/**", "**/a/**/b/**", "c")
	}
	kept := Affordable(lines)
	if len(kept) != maxSlowRules+20 || slices.Contains(kept, "**/a/**/b/**") {
		t.Errorf("kept %d rules", len(kept))
	}
	if kept := Affordable(slices.Repeat([]string{"a"}, 2*MaxRules)); len(kept) != MaxRules {
		t.Errorf("kept %d rules", len(kept))
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
