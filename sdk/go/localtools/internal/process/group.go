package process

import "time"

// Command is a program to run.
type Command struct {
	// File is the path of the program.
	File string
	// Args are the arguments of the program, without its name.
	Args []string
	// Dir is the working directory.
	Dir string
	// Env is the complete environment, as NAME=value.
	Env []string
}

// Limits of a run.
type Limits struct {
	// Timeout is the longest run.
	Timeout time.Duration
	// MaxOutputBytes are kept of each output.
	MaxOutputBytes int
}

// StopReason is the reason for ending a run from outside.
type StopReason string

// The reasons; empty when the program ended by itself.
const (
	StopTimeout StopReason = "timeout"
	StopOutput  StopReason = "output"
	StopAbort   StopReason = "abort"
)

// Result of a run.
type Result struct {
	// ExitCode is -1 when a signal ended the program.
	ExitCode int
	// Signal is the name of the signal that ended it, such as SIGKILL; else empty.
	Signal string
	// Stopped is the reason for ending it from outside; else empty.
	Stopped StopReason
	Stdout  *BoundedOutput
	Stderr  *BoundedOutput
}

const (
	// Grace is the time between SIGTERM and SIGKILL for a group of processes.
	Grace = time.Second
	// MaxTotalBytes is the largest output; more ends the run, because reading it would keep the
	// service busy.
	MaxTotalBytes = 16 << 20
	// mark is the environment variable that identifies the run, so that processes that left the
	// group can be found.
	mark = "SVC_TOOLS_RUN"
	// drain is the longest wait for the end of the pipes: a process that left the group may hold
	// them open.
	drain = 500 * time.Millisecond
)
