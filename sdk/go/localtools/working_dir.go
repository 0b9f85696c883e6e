package localtools

import (
	"os"
	"path/filepath"

	"svc.example/sdk/go/localtools/internal/sandbox"
)

// workingDir is a folder inside a workspace, without links in its path.
type workingDir struct {
	// root is the workspace.
	root string
	path string
	// isSame is true when the path still leads to the same folder.
	isSame func() bool
}

// findWorkingDir finds a folder of a workspace; an empty one is the workspace itself.
func findWorkingDir(workspace *sandbox.Workspace, folder string) (workingDir, error) {
	if folder == "" {
		folder = "."
	}
	action := "run in " + sandbox.Quoted(folder)
	root, path, err := absoluteIn(workspace, folder)
	if err != nil {
		return workingDir{}, sandbox.Explain(action, err)
	}
	entry, err := os.Lstat(path)
	if err != nil {
		return workingDir{}, sandbox.Explain(action, err)
	}
	if !entry.IsDir() {
		return workingDir{}, refused("not_a_folder", "Cannot "+action+": it is not a folder")
	}
	return workingDir{root, path, func() bool {
		_, now, err := absoluteIn(workspace, folder)
		if err != nil || now != path {
			return false
		}
		present, err := os.Lstat(path)
		return err == nil && os.SameFile(present, entry)
	}}, nil
}

func absoluteIn(workspace *sandbox.Workspace, folder string) (root, path string, err error) {
	if root, err = workspace.Root(); err != nil {
		return "", "", err
	}
	target, err := workspace.Locate(folder)
	return root, filepath.Join(root, filepath.FromSlash(target.Path)), err
}
