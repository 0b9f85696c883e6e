package svc

import "svc.example/sdk/go/localtools"

// localToolNames are those of the built-in local tools, in the order of their declaration.
var localToolNames = []string{"calculator", "datetime", "file_read", "list_dir", "file_search",
	"file_write", "shell"}

type (
	// FilePermission permits a write of file_write by true without an error.
	FilePermission = localtools.FilePermission
	// FilePermissionRequest is a write that the application is asked to permit.
	FilePermissionRequest = localtools.FilePermissionRequest
	// ShellPermission permits a command of shell by true without an error.
	ShellPermission = localtools.ShellPermission
	// ShellPermissionRequest is a command that the application is asked to permit.
	ShellPermissionRequest = localtools.ShellPermissionRequest
)

// makeLocalTools returns the local tools of a client. Nothing of the file system is read before one
// of them is called.
func makeLocalTools(d *defaultTools) ([]Tool, error) {
	files := localtools.NewFolder(d.files)
	shell := files
	if d.shell != d.files {
		shell = localtools.NewFolder(d.shell)
	}
	tools, err := localtools.All(localtools.Options{
		Workspace: files, ShellWorkspace: shell, FileDeny: d.deny,
		FilePermission: d.permitFile, ShellPermission: d.permitShell,
	})
	if err != nil {
		return nil, &ConfigurationError{Message: err.Error(), Err: err}
	}
	return tools, nil
}
