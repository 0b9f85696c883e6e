// Package localtools has the seven tools that a model may use on this machine: calculator, datetime,
// file_read, list_dir, file_search, file_write and shell.
//
// A file tool works in a folder and cannot leave it: links may lead around inside, never out, also
// when another process swaps folders for links in the middle of a call. Files that may hold secrets
// stay closed (see [DefaultFileDeny]). file_write and shell refuse every call unless a callback
// grants that very call. A shell command starts inside the folder, but it has all rights of its
// user.
//
// Failures that a model can act on are a [*tool.Error] with a code.
package localtools
