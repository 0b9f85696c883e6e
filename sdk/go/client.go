// Package svc is the client of the model gateway: chat completions, responses and messages, each as
// one request, as a stream, and as a run that calls tools.
//
// Use it on servers only: a browser or an application on a phone must not hold a key.
//
// # Calls
//
// Each surface has four methods: Create makes one request, Stream returns its events, Run calls tools
// until the model is done, and RunStream does so with streamed turns. The model is always
// [ModelAuto]: leave the member Model empty. What no member of a struct holds stands in its member
// Extra, in requests and in answers.
//
// # Tools
//
// [NewTool] makes a tool of a Go function. Where neither the request nor the client has tools, these
// methods offer and run the tools of the package localtools, of which file_write and shell are
// refused without [WithFilePermission] and [WithShellPermission]. [WithDefaultLocalTools] turns them
// off.
//
// # Errors
//
// A failure is an [*APIError], a [*TimeoutError], a [*ConnectionError], a [*ConfigurationError] or the
// error of the context; errors.As and errors.Is find each. A run that fails in a later turn returns
// its partial result together with the error.
package svc

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"
)

// Client is the client of the service. It is safe for concurrent use, holds no connection of its own
// beside those of its HTTP client, and need not be closed. Printed with any verb, it does not show
// its key. Calls of a client that [NewClient] did not make return a [ConfigurationError].
type Client struct{ core *core }

type core struct {
	transport *transport
	toolbox   *toolbox
}

// unmade stands in for the parts of a client that NewClient did not make: its calls fail unsent.
var unmade = &core{&transport{}, &toolbox{}}

func (c *Client) parts() *core {
	if c == nil || c.core == nil {
		return unmade
	}
	return c.core
}

// NewClient returns a client; it sends nothing. It returns a [ConfigurationError] when an option
// cannot be used.
func NewClient(options ...Option) (*Client, error) {
	settings := &settings{
		headers:  http.Header{},
		timeout:  time.Minute,
		defaults: defaultTools{local: true, files: ".", shell: "."},
	}
	for _, option := range options {
		if option != nil {
			option(settings)
		}
	}
	transport, err := newTransport(settings)
	if err != nil {
		return nil, err
	}
	if err := settings.tools.check(); err != nil {
		return nil, err
	}
	if err := settings.defaults.prepare(); err != nil {
		return nil, err
	}
	toolbox := &toolbox{registered: settings.tools, defaults: settings.defaults}
	return &Client{&core{transport, toolbox}}, nil
}

// Format writes the addresses of the client, whatever the verb, and never its key.
func (c Client) Format(state fmt.State, _ rune) {
	if c.core == nil {
		_, _ = fmt.Fprint(state, "svc.Client(none)")
		return
	}
	_, _ = fmt.Fprintf(state, "svc.Client(%s)", c.core.transport.modelBase)
}

// LogValue returns the addresses of the client, for slog.
func (c Client) LogValue() slog.Value { return slog.StringValue(fmt.Sprint(c)) }
