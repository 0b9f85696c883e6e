// Command spectable prints every row of the specification that speaks of the Go library beside the
// test that shows it, and fails when a test is missing. With -mutate it also removes the behaviour of
// each row in a copy of the module, and fails when the row's test does not notice.
package main

import (
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

//go:embed rows.json
var rowsText []byte

type row struct {
	Section  string   `json:"section"`
	Row      string   `json:"row"`
	Test     string   `json:"test"`
	Mutation mutation `json:"mutation"`
}

// mutation is a change that removes the behaviour of a row.
type mutation struct {
	File    string `json:"file"`
	Find    string `json:"find"`
	Replace string `json:"replace"`
}

func main() {
	module := flag.String("module", ".", "folder of the module")
	mutates := flag.Bool("mutate", false, "remove the behaviour of each row, and run its test")
	only := flag.String("row", "", "look only at rows whose text or test contains this")
	flag.Parse()
	if err := run(*module, *mutates, *only); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(module string, mutates bool, only string) error {
	var rows []row
	if err := json.Unmarshal(rowsText, &rows); err != nil {
		return err
	}
	tests, err := testsIn(module)
	if err != nil {
		return err
	}
	faults := 0
	for _, one := range rows {
		if !strings.Contains(one.Row+" "+one.Test, only) {
			continue
		}
		verdict := ""
		if !tests[one.Test] {
			verdict = "MISSING"
		} else if mutates {
			if verdict, err = survives(module, one); err != nil {
				return err
			}
		}
		if verdict != "" && verdict != "noticed" {
			faults++
		}
		fmt.Printf("%-12s %-80s %s %s\n", one.Section, one.Row, one.Test, verdict)
	}
	fmt.Printf("%d rows, %d without a test that shows them\n", len(rows), faults)
	if faults > 0 {
		return fmt.Errorf("%d rows are not shown", faults)
	}
	return nil
}

var testPattern = regexp.MustCompile(`(?m)^func (TestSpec_\w+)\(`)

func testsIn(module string) (map[string]bool, error) {
	files, err := filepath.Glob(filepath.Join(module, "*_test.go"))
	if err != nil {
		return nil, err
	}
	tests := map[string]bool{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		for _, match := range testPattern.FindAllStringSubmatch(string(text), -1) {
			tests[match[1]] = true
		}
	}
	return tests, nil
}

// survives runs the test of a row over a copy of one changed file, laid over the module.
func survives(module string, one row) (string, error) {
	file, err := filepath.Abs(filepath.Join(module, one.Mutation.File))
	if err != nil {
		return "", err
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if !strings.Contains(string(text), one.Mutation.Find) {
		return "STALE MUTATION", nil
	}
	folder, err := os.MkdirTemp("", "spectable-")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.RemoveAll(folder) }()
	changed := filepath.Join(folder, "changed.go")
	mutated := strings.Replace(string(text), one.Mutation.Find, one.Mutation.Replace, 1)
	if err := os.WriteFile(changed, []byte(mutated), 0o600); err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		return "", err
	}
	overlayFile := filepath.Join(folder, "overlay.json")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		return "", err
	}
	command := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=60s", "-overlay", overlayFile, "-run", "^"+one.Test+"$", ".")
	command.Dir = module
	output, err := command.CombinedOutput()
	switch {
	case err == nil:
		return "NOT NOTICED", nil
	case strings.Contains(string(output), "[build failed]"), strings.Contains(string(output), "[setup failed]"):
		return "DOES NOT COMPILE: " + strings.Join(strings.Fields(string(output)), " "), nil
	}
	return "noticed", nil
}
