package svc

import (
	"context"
	"encoding/json"
	"errors"
	"sort"
	"sync"
	"testing"
)

// scriptedTool is a tool of an application as the vectors state it.
type scriptedTool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
	Does        *behaviour      `json:"does"`
}

// behaviour is that of a handler; without a member it returns nil.
type behaviour struct {
	Returns json.RawMessage `json:"returns"`
	Echoes  bool            `json:"echoes"`
	Throws  string          `json:"throws"`
	Waits   bool            `json:"waits"`
	After   string          `json:"after"`
}

// scriptedTools makes the tools of one case, and keeps what they received.
type scriptedTools struct {
	t *testing.T
	// panics: a handler that throws panics, in place of returning an error.
	panics   bool
	mutex    sync.Mutex
	received []string
	ends     map[string]chan struct{}
}

func (s *scriptedTools) tool(given scriptedTool) Tool {
	one := Tool{Name: given.Name, Description: given.Description, Parameters: given.Parameters}
	if given.Does != nil {
		one.Handler = s.handler(given.Name, *given.Does)
	}
	return one
}

func (s *scriptedTools) tools(given []scriptedTool) []Tool {
	tools := []Tool{}
	for _, one := range given {
		tools = append(tools, s.tool(one))
	}
	return tools
}

func (s *scriptedTools) handlers(given map[string]behaviour) map[string]ToolHandler {
	handlers := map[string]ToolHandler{}
	for name, does := range given {
		handlers[name] = s.handler(name, does)
	}
	return handlers
}

func (s *scriptedTools) handler(name string, does behaviour) ToolHandler {
	return func(ctx context.Context, arguments json.RawMessage) (any, error) {
		s.receive(name, arguments)
		if does.After != "" {
			select {
			case <-s.end(does.After):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
		if does.Waits {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		s.finish(name)
		return does.outcome(arguments, s.panics)
	}
}

func (b behaviour) outcome(arguments json.RawMessage, panics bool) (any, error) {
	switch {
	case b.Throws != "" && panics:
		panic(b.Throws)
	case b.Throws != "":
		return nil, errors.New(b.Throws)
	case b.Echoes:
		return arguments, nil
	case b.Returns == nil:
		return nil, nil
	}
	var value any
	err := json.Unmarshal(b.Returns, &value)
	return value, err
}

func (s *scriptedTools) receive(name string, arguments json.RawMessage) {
	var input any
	if err := json.Unmarshal(arguments, &input); err != nil {
		s.t.Errorf("%s received no JSON: %v", name, err)
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.received = append(s.received, jsonText(receivedCall{name, input}))
}

// receivedCall is a call that a handler received.
type receivedCall struct {
	Tool  string `json:"tool"`
	Input any    `json:"input"`
}

// end returns a channel that is closed when the tool of that name has ended.
func (s *scriptedTools) end(name string) chan struct{} {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.ends[name] == nil {
		s.ends[name] = make(chan struct{})
	}
	return s.ends[name]
}

func (s *scriptedTools) finish(name string) {
	end := s.end(name)
	s.mutex.Lock()
	defer s.mutex.Unlock()
	select {
	case <-end:
	default:
		close(end)
	}
}

// checkReceived compares what the handlers received; those of one turn begin in any order.
func (s *scriptedTools) checkReceived(calls []receivedCall) {
	s.t.Helper()
	want := []string{}
	for _, call := range calls {
		want = append(want, jsonText(call))
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	got := append([]string{}, s.received...)
	sort.Strings(want)
	sort.Strings(got)
	equalJSON(s.t, "calls of handlers", got, want)
}
