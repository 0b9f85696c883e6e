package svc

import (
	"maps"
	"slices"

	"svc.example/sdk/go/tool"
)

// declarations are the tools that a request declares.
type declarations struct {
	// functions are tools that this process runs.
	functions []Tool
	// hosted are types of tools that the service runs.
	hosted []string
}

// selection are the tools of one call.
type selection struct {
	// declared are tools to add to the request; nil: the request has its own, or there are none.
	declared *declarations
	// executable are the tools that the loop runs.
	executable []Tool
}

// registered are tools that an application has registered, for the client or for a run.
type registered struct {
	tools    []Tool
	handlers map[string]ToolHandler
}

func (r *registered) setHandler(name string, handler ToolHandler) {
	if r.handlers == nil {
		r.handlers = map[string]ToolHandler{}
	}
	r.handlers[name] = handler
}

// check returns an error when a registered tool can be neither declared nor called.
func (r *registered) check() error {
	names := map[string]bool{}
	for _, one := range r.tools {
		if one.Name == "" {
			return configurationError("cannot register a tool without a name: give it one")
		}
		if names[one.Name] {
			return configurationError("cannot register two tools named %q: rename one", one.Name)
		}
		names[one.Name] = true
		if err := checkParameters(one); err != nil {
			return err
		}
	}
	for name, handler := range r.handlers {
		if handler == nil {
			return configurationError("cannot register a handler for %q that is nil", name)
		}
	}
	return nil
}

// toolbox selects the tools that a call declares and runs: those of the request, even an empty list,
// come first; then those that the application registered; only without either, the defaults.
type toolbox struct {
	registered registered
	defaults   defaultTools
}

// forRequest selects for one request, streamed or not: it runs the defaults alone.
func (t *toolbox) forRequest(hasOwnTools bool) selection {
	if hasOwnTools {
		return selection{}
	}
	if len(t.registered.tools) == 0 && len(t.registered.handlers) == 0 {
		return t.fallback()
	}
	return selection{declared: declared(t.registered.tools)}
}

// forRun selects for a run: it runs the tools that are registered for the client or for this run.
func (t *toolbox) forRun(own *registered, hasOwnTools bool) (selection, error) {
	if err := own.check(); err != nil {
		return selection{}, err
	}
	tools, executable := merged(&t.registered, own)
	switch {
	case hasOwnTools:
		return selection{executable: executable}, nil
	case len(executable) == 0:
		return t.fallback(), nil
	}
	return selection{declared: declared(tools), executable: executable}, nil
}

func (t *toolbox) fallback() selection {
	functions, hosted := t.defaults.localTools(), t.defaults.hostedTools()
	if len(functions) == 0 && len(hosted) == 0 {
		return selection{}
	}
	return selection{declared: &declarations{functions, hosted}, executable: functions}
}

func declared(functions []Tool) *declarations {
	if len(functions) == 0 {
		return nil
	}
	return &declarations{functions: functions}
}

// merged returns the tools of a client and then those of a run, which win on equal names, and beside them
// the handlers for tools that the request declares itself.
func merged(client, run *registered) (tools, executable []Tool) {
	handlers := maps.Clone(client.handlers)
	if handlers == nil {
		handlers = map[string]ToolHandler{}
	}
	maps.Copy(handlers, run.handlers)
	places := map[string]int{}
	for _, one := range client.tools {
		if handler, ok := run.handlers[one.Name]; ok {
			one.Handler = handler
		}
		places[one.Name] = len(tools)
		tools = append(tools, one)
	}
	for _, one := range run.tools {
		if at, ok := places[one.Name]; ok {
			tools[at] = one
			continue
		}
		tools = append(tools, one)
	}
	known := map[string]bool{}
	for at, one := range tools {
		known[one.Name] = true
		if one.Handler == nil {
			tools[at].Handler = handlers[one.Name]
		}
	}
	executable = slices.Clone(tools)
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		if !known[name] {
			executable = append(executable, tool.Tool{Name: name, Handler: handlers[name]})
		}
	}
	return tools, executable
}
