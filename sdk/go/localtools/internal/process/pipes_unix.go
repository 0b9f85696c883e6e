//go:build unix

package process

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
)

// pipe carries one output of a command.
type pipe struct {
	read, write *os.File
	to          *BoundedOutput
}

func newPipes(outputs ...*BoundedOutput) ([]*pipe, error) {
	var pipes []*pipe
	for _, to := range outputs {
		read, write, err := os.Pipe()
		if err != nil {
			for _, made := range pipes {
				err = errors.Join(err, made.read.Close(), made.write.Close())
			}
			return nil, err
		}
		pipes = append(pipes, &pipe{read, write, to})
	}
	return pipes, nil
}

// copy reads until no process can write any more, or the pipe is closed.
func (p *pipe) copy(group *group) {
	const bufferBytes = 32 << 10
	buffer := make([]byte, bufferBytes)
	for {
		count, err := p.read.Read(buffer)
		_, _ = p.to.Write(buffer[:count])
		if p.to.Total() > MaxTotalBytes {
			group.stop(StopOutput)
		}
		if err != nil {
			return
		}
	}
}

// drainPipes reads the rest, for a bounded time when a remaining process may still write, and closes
// the pipes.
func drainPipes(pipes []*pipe, reading *sync.WaitGroup) {
	for _, pipe := range pipes {
		_ = pipe.read.SetReadDeadline(time.Now().Add(drain))
	}
	reading.Wait()
	for _, pipe := range pipes {
		_ = pipe.read.Close()
	}
}

var signalNames = map[syscall.Signal]string{
	syscall.SIGHUP: "SIGHUP", syscall.SIGINT: "SIGINT", syscall.SIGQUIT: "SIGQUIT",
	syscall.SIGILL: "SIGILL", syscall.SIGTRAP: "SIGTRAP", syscall.SIGABRT: "SIGABRT",
	syscall.SIGBUS: "SIGBUS", syscall.SIGFPE: "SIGFPE", syscall.SIGKILL: "SIGKILL",
	syscall.SIGUSR1: "SIGUSR1", syscall.SIGSEGV: "SIGSEGV", syscall.SIGUSR2: "SIGUSR2",
	syscall.SIGPIPE: "SIGPIPE", syscall.SIGALRM: "SIGALRM", syscall.SIGTERM: "SIGTERM",
	syscall.SIGXCPU: "SIGXCPU", syscall.SIGXFSZ: "SIGXFSZ", syscall.SIGSYS: "SIGSYS",
}

// signalName returns the name of a signal, such as SIGTERM; for a rare one, the words of the system.
func signalName(signal syscall.Signal) string {
	if name, isKnown := signalNames[signal]; isKnown {
		return name
	}
	return signal.String()
}
