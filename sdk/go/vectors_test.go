package svc

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// vectorFolder holds the conformance vectors, which the client library of every language runs.
const vectorFolder = "../../tests/conformance/vectors"

// vectorCase is one case, with its members as the kind of its file defines them.
type vectorCase struct {
	Name string `json:"name"`
	raw  json.RawMessage
	// answers are those that the cases of a file share, by their names.
	answers map[string]scriptedAnswer
}

// into reads the members of a case. A member without a field in the struct is an error: no check of
// a case is passed over.
func (c vectorCase) into(t *testing.T, into any) {
	t.Helper()
	strictly(t, c.raw, into)
}

func strictly(t *testing.T, data []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(string(data)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("the runner does not know what the case says: %v", err)
	}
}

// vectorKinds has a runner for each kind of file.
var vectorKinds = map[string]func(*testing.T, vectorCase){
	"calls":              runCallCase,
	"streams":            runStreamCase,
	"event-streams":      runEventStreamCase,
	"retry-waits":        runRetryWaitCase,
	"transient-statuses": runTransientStatusCase,
	"addresses":          runAddressCase,
	"messages-to-chat":   runMessagesToChatCase,
	"chat-to-messages":   runChatToMessagesCase,
}

// TestVectors runs every file of the client. Files of the local tools have names that begin with
// tools-; their package reads them.
func TestVectors(t *testing.T) {
	if _, err := os.Stat("../../deno.json"); err != nil {
		t.Skip("SKIPPED: the conformance vectors are in the repository of this module, not in the module")
	}
	paths, err := filepath.Glob(filepath.Join(vectorFolder, "*.json"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("there are no vectors in %s: %v", vectorFolder, err)
	}
	seen := map[string]bool{}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if name == "schema" || strings.HasPrefix(name, "tools-") {
			continue
		}
		seen[runVectorFile(t, name, path)] = true
	}
	for _, kind := range slices.Sorted(maps.Keys(vectorKinds)) {
		if !seen[kind] {
			t.Errorf("no file has the kind %s", kind)
		}
	}
}

// runVectorFile runs the cases of a file and returns its kind.
func runVectorFile(t *testing.T, name, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Schema  string                    `json:"$schema"`
		Kind    string                    `json:"kind"`
		About   string                    `json:"about"`
		Answers map[string]scriptedAnswer `json:"answers"`
		Cases   []json.RawMessage         `json:"cases"`
	}
	strictly(t, data, &file)
	run := vectorKinds[file.Kind]
	if run == nil || len(file.Cases) == 0 {
		t.Fatalf("%s: there is no runner for the kind %q, or no case", path, file.Kind)
	}
	t.Run(name, func(t *testing.T) {
		for _, raw := range file.Cases {
			one := vectorCase{raw: raw, answers: file.Answers}
			if err := json.Unmarshal(raw, &one); err != nil {
				t.Fatal(err)
			}
			t.Run(one.Name, func(t *testing.T) { run(t, one) })
		}
	})
	return file.Kind
}
