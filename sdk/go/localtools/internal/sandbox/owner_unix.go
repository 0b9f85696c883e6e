//go:build unix

package sandbox

import (
	"os"
	"syscall"
)

type owner struct{ user, group int }

func ownerOf(info os.FileInfo) (owner, bool) {
	status, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return owner{}, false
	}
	return owner{int(status.Uid), int(status.Gid)}, true
}

// namesOf returns the number of hard links of a file; 0 when the system does not tell.
func namesOf(info os.FileInfo) uint64 {
	status, isKnown := info.Sys().(*syscall.Stat_t)
	if !isKnown {
		return 0
	}
	return uint64(status.Nlink)
}
