package sandbox

import (
	"errors"
	"io/fs"
	"syscall"

	"svc.example/sdk/go/tool"
)

type fault struct{ code, reason string }

// faults has the message for the model for each failure of the system: a code, and the end of a
// sentence.
var faults = map[syscall.Errno]fault{
	syscall.ENOENT:       {"file_not_found", "there is nothing of that name"},
	syscall.ENOTDIR:      {"not_a_folder", "a part of the path is not a folder"},
	syscall.EISDIR:       {"not_a_file", "it is a folder"},
	syscall.EEXIST:       {"file_exists", "there is something of that name already"},
	syscall.ELOOP:        {"link_loop", "its links lead in a circle, or a part of it is a link"},
	syscall.ENAMETOOLONG: {"invalid_path", "a name in the path is too long"},
	syscall.EINVAL:       {"invalid_path", "the system does not accept such a name"},
	syscall.EILSEQ:       {"invalid_path", "the system does not accept such a name"},
	syscall.ENXIO:        {"not_a_file", "it is a pipe, a socket or a device"},
	syscall.ENODEV:       {"not_a_file", "it is a pipe, a socket or a device"},
	syscall.EACCES:       {"access_denied", "the operating system does not allow it"},
	syscall.EPERM:        {"access_denied", "the operating system does not allow it"},
	syscall.EROFS:        {"access_denied", "the file system is read-only"},
	syscall.ENOSPC:       {"disk_full", "the disk is full"},
	syscall.EDQUOT:       {"disk_full", "the disk quota is used up"},
	syscall.EFBIG:        {"file_too_large", "the file would be too large"},
	syscall.EMFILE:       {"system_busy", "too many files are open; try again"},
	syscall.ENFILE:       {"system_busy", "too many files are open; try again"},
	syscall.EBUSY:        {"system_busy", "something else is using it; try again"},
}

// Explain turns a failure of the system into an error that a model can act on. The action is the
// beginning of a sentence, as in `read "a.txt"`. Other errors stay as they are.
func Explain(action string, err error) error {
	var known *tool.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	found, isKnown := faultOf(err)
	if !isKnown {
		return err
	}
	return &tool.Error{
		Code: found.code, Message: "Cannot " + action + ": " + found.reason, Err: err,
	}
}

func faultOf(err error) (fault, bool) {
	var number syscall.Errno
	if errors.As(err, &number) {
		if found, isKnown := faults[number]; isKnown {
			return found, true
		}
	}
	// The numbers of Windows are others.
	for kind, number := range map[error]syscall.Errno{
		fs.ErrNotExist: syscall.ENOENT, fs.ErrExist: syscall.EEXIST, fs.ErrPermission: syscall.EACCES,
	} {
		if errors.Is(err, kind) {
			return faults[number], true
		}
	}
	return fault{}, false
}

// IsUnreadable is true for a failure that concerns only one entry.
func IsUnreadable(err error) bool {
	var known *tool.Error
	if errors.As(err, &known) {
		return true
	}
	for _, number := range []syscall.Errno{
		syscall.ENOENT, syscall.ENOTDIR, syscall.ELOOP, syscall.EACCES, syscall.EPERM,
		syscall.ENAMETOOLONG,
	} {
		if errors.Is(err, number) {
			return true
		}
	}
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)
}
