package process

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
	"time"
)

const (
	maxPasses = 20
	// emptyScans in a row end the search: during a fork or exec, a process has no environment to
	// scan for a moment.
	emptyScans = 2
	pause      = 10 * time.Millisecond
)

// killStragglers kills the processes that left a process group and have a mark in their
// environment: all descendants of a command inherit it, whatever their session or parent. It ends
// when several scans in a row find none. A process with a replaced environment is not found.
func killStragglers(id string, scan func(id string) []int) {
	empty := 0
	for pass := 0; pass < maxPasses && empty < emptyScans; pass++ {
		if pass > 0 {
			// Between two scans, a process that was missed becomes visible.
			time.Sleep(pause)
		}
		pids := scan(id)
		if len(pids) == 0 {
			empty++
			continue
		}
		empty = 0
		for _, pid := range pids {
			killMarked(pid)
		}
	}
}

// killMarked kills a process. It does nothing when the process is gone.
func killMarked(pid int) {
	if process, err := os.FindProcess(pid); err == nil {
		_ = process.Kill()
		_ = process.Release()
	}
}

// marked returns the ids of the processes with a mark in their environment.
func marked(id string) []int {
	paths, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		return nil
	}
	var pids []int
	for _, path := range paths {
		// The processes of other users cannot be read, and some are gone by now.
		environment, err := os.ReadFile(path)
		if err != nil || !bytes.Contains(environment, []byte(id)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}
