//go:build unix

package process

import (
	"context"
	"crypto/rand"
	"errors"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// RunInGroup runs a program in a session and process group of its own, without input. When it ends,
// reaches a limit of time or output, or the context ends, every process of the group is killed:
// first by a request, then by force.
//
// A process that makes itself the leader of another group or session (setsid) is not in the group.
// On Linux it is found by a mark in its environment and killed as well, unless it has cleared that;
// only a container stops such processes.
func RunInGroup(ctx context.Context, command Command, limits Limits) (Result, error) {
	result := Result{
		Stdout: NewBoundedOutput(limits.MaxOutputBytes), Stderr: NewBoundedOutput(limits.MaxOutputBytes),
	}
	outputs, err := newPipes(result.Stdout, result.Stderr)
	if err != nil {
		return Result{}, err
	}
	id := rand.Text()
	child := exec.Command(command.File, command.Args...)
	child.Dir = command.Dir
	child.Env = append(command.Env[:len(command.Env):len(command.Env)], mark+"="+id)
	child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	child.Stdout, child.Stderr = outputs[0].write, outputs[1].write
	err = child.Start()
	for _, output := range outputs {
		err = errors.Join(err, output.write.Close())
	}
	if err != nil {
		for _, output := range outputs {
			_ = output.read.Close()
		}
		return Result{}, err
	}
	group := &group{pid: child.Process.Pid, ended: make(chan struct{}), asked: make(chan struct{})}
	var reading sync.WaitGroup
	for _, output := range outputs {
		reading.Go(func() { output.copy(group) })
	}
	var watching sync.WaitGroup
	watching.Go(func() { group.watch(ctx, limits.Timeout) })
	waited := child.Wait()
	close(group.ended)
	watching.Wait()
	result.Stopped = group.reason()
	group.kill(syscall.SIGKILL)
	killStragglers(id, marked)
	drainPipes(outputs, &reading)
	var exit *exec.ExitError
	if waited != nil && !errors.As(waited, &exit) {
		return Result{}, waited
	}
	result.ExitCode, result.Signal = endOf(child.ProcessState)
	return result, nil
}

func endOf(state *os.ProcessState) (code int, signal string) {
	status, isUnix := state.Sys().(syscall.WaitStatus)
	if isUnix && status.Signaled() {
		return -1, signalName(status.Signal())
	}
	return state.ExitCode(), ""
}

// group of processes that a command leads.
type group struct {
	pid int
	// ended is closed when the leader has ended.
	ended chan struct{}
	// asked is closed with the first reason to stop, which stopped tells.
	asked   chan struct{}
	once    sync.Once
	stopped StopReason
}

// stop asks the group to end, for the first reason given.
func (g *group) stop(reason StopReason) {
	g.once.Do(func() {
		g.stopped = reason
		g.kill(syscall.SIGTERM)
		close(g.asked)
	})
}

// kill does nothing when no process of the group is left.
func (g *group) kill(signal syscall.Signal) { _ = syscall.Kill(-g.pid, signal) }

// watch stops the group at the end of the context or of the time, and kills it when it does not
// heed that.
func (g *group) watch(ctx context.Context, timeout time.Duration) {
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-g.ended:
		return
	case <-g.asked:
	case <-ctx.Done():
		g.stop(StopAbort)
	case <-timer.C:
		g.stop(StopTimeout)
	}
	grace := time.NewTimer(Grace)
	defer grace.Stop()
	select {
	case <-g.ended:
	case <-grace.C:
		g.kill(syscall.SIGKILL)
	}
}

// reason returns the reason to stop, once the leader has ended.
func (g *group) reason() StopReason {
	// From here on, no reason counts any more.
	g.once.Do(func() {})
	return g.stopped
}
