package sandbox

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"svc.example/sdk/go/localtools/internal/ignore"
	"svc.example/sdk/go/localtools/internal/value"
)

// DefaultFileDeny are the files that hold secrets, as lines of a .gitignore without regard to case.
var DefaultFileDeny = []string{
	".env", ".env.*", ".env~", ".envrc", "*.env", ".dev.vars*",
	"*.pem", "*.key", "*.p8", "*.p12", "*.pfx", "*.ppk", "*.jks", "*.keystore",
	"id_rsa*", "id_dsa*", "id_ecdsa*", "id_ed25519*", "!id_*.pub",
	".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".htpasswd", ".git-credentials",
	"**/.git/config", "**/.git/config.worktree", "**/.git/worktrees/*/config.worktree",
	"**/.git/modules/**/config",
	".dockercfg", ".vault-token", ".ssh/", "svc.json", "*.admin.json", "kubeconfig",
	"credentials.json", "application_default_credentials.json",
	"service-account*.json", "service_account*.json", "*.tfstate", "*.tfstate.*",
	"**/.aws/credentials", "**/.cargo/credentials*", "**/.docker/config.json", "**/.kube/config",
	"!*.example", "!*.sample", "!*.template",
}

// denyRules returns the rules of a list of patterns. It fails for a pattern that would have to be
// left out.
func denyRules(patterns []string) (*ignore.Rules, error) {
	affordable := ignore.Affordable(patterns)
	for _, pattern := range patterns {
		if !slices.Contains(affordable, pattern) {
			return nil, fmt.Errorf("cannot deny the files %s: at most %d patterns are possible, "+
				"at most two ** in each, and at most 16 with two", value.Quote(pattern), ignore.MaxRules)
		}
	}
	normal := make([]string, len(patterns))
	for index, pattern := range patterns {
		// Letters with accents have two encodings, and some systems treat both as one name.
		normal[index] = norm.NFC.String(pattern)
	}
	return ignore.New(normal, false), nil
}

// IsDenied is true for the path of a file that holds secrets, from the root on, and for entries of
// such folders. The path of a folder itself ends in a slash.
func (w *Workspace) IsDenied(path string) bool { return w.deny.Ignores(norm.NFC.String(path)) }

// RefuseDenied refuses files that hold secrets, by the requested path and by its target.
func (w *Workspace) RefuseDenied(requested string, target Target) error {
	root, err := w.folder.open()
	if err != nil {
		return err
	}
	written, err := w.lexical(requested, root.path)
	if err != nil {
		return err
	}
	for _, path := range []string{strings.Join(written, "/"), strings.Join(target.Parts, "/")} {
		if path != "" && (w.IsDenied(path) || w.IsDenied(path+"/")) {
			return refused("file_denied",
				"Cannot open "+Quoted(requested)+": files that may hold secrets stay closed")
		}
	}
	return nil
}
