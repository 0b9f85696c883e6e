package svc

import (
	"log/slog"
	"maps"
	"net/http"
	"time"

	"svc.example/sdk/go/tool"
)

// Tool is a function that a model may call.
type Tool = tool.Tool

// ToolHandler runs one call of a tool.
type ToolHandler = tool.Handler

// Option sets an option of a client. An option takes precedence over the environment.
type Option func(*settings)

// settings are the options of a client.
type settings struct {
	apiKey, apiBaseURL, openAIBaseURL *string
	httpClient                        *http.Client
	headers                           http.Header
	timeout                           time.Duration
	maxRetries                        int
	auto                              AutoOptions
	tags                              Tags
	logger                            *slog.Logger
	tools                             registered
	defaults                          defaultTools
}

// WithAPIKey sets the key of the service; every call except ListModels needs one. Default:
// SERVICE_API_KEY.
func WithAPIKey(key string) Option { return func(s *settings) { s.apiKey = &key } }

// WithAPIBaseURL sets the base of the service: models are called under /openai/v1, the catalog
// under /api/v1. Default: SERVICE_API_BASE_URL, else http://127.0.0.1:8787.
func WithAPIBaseURL(base string) Option { return func(s *settings) { s.apiBaseURL = &base } }

// WithOpenAIBaseURL sets the base of model calls alone. Without WithAPIBaseURL, the catalog's base
// is the part before /openai/v1; for a base without that ending, catalog calls fail before they are
// sent. Default: the base of the service and /openai/v1; where that is not given,
// SERVICE_OPENAI_BASE_URL.
func WithOpenAIBaseURL(base string) Option { return func(s *settings) { s.openAIBaseURL = &base } }

// WithAnthropicBaseURL does nothing.
//
// Deprecated: Messages are converted locally.
func WithAnthropicBaseURL(string) Option { return func(*settings) {} }

// WithAnthropicVersion does nothing.
//
// Deprecated: no anthropic-version header is ever sent.
func WithAnthropicVersion(string) Option { return func(*settings) {} }

// WithHTTPClient sets the client that sends the requests; its Transport may be any
// http.RoundTripper that obeys the context of a request. It is copied, and the copy follows no
// redirect: one could send the key and the prompt to another host.
func WithHTTPClient(client *http.Client) Option { return func(s *settings) { s.httpClient = client } }

// WithHeader adds a header to every request. It may carry a key instead of WithAPIKey: as
// Authorization or X-API-Key.
func WithHeader(name, value string) Option { return func(s *settings) { s.headers.Add(name, value) } }

// WithTimeout limits the whole request, or the life of a consumed stream; 0 or less: no limit.
// Default: 60 seconds. In a run, the limit is for each of its requests.
func WithTimeout(limit time.Duration) Option { return func(s *settings) { s.timeout = limit } }

// WithMaxRetries sets the retries after the first attempt when the service answers 429 or 5xx, or
// not at all. Model calls are not idempotent: a repeated attempt may have been executed, and may be
// billed twice. Default: 0.
func WithMaxRetries(retries int) Option { return func(s *settings) { s.maxRetries = retries } }

// WithAuto chooses the models of calls that state no choice themselves.
func WithAuto(auto AutoOptions) Option { return func(s *settings) { s.auto = auto } }

// WithTags sets the tags of calls that state none themselves.
func WithTags(tags Tags) Option { return func(s *settings) { s.tags = maps.Clone(tags) } }

// WithLogger sets a logger. It receives requests and answers at the level debug and retries at the
// level warn; never keys, headers, prompts or tool inputs.
func WithLogger(logger *slog.Logger) Option { return func(s *settings) { s.logger = logger } }

// WithTools registers tools for the Run methods. A set that is not empty replaces the defaults. A
// call of a tool that has neither a Handler nor one from [WithToolHandler] gets the result
// tool_handler_not_found.
func WithTools(tools ...Tool) Option {
	return func(s *settings) { s.tools.tools = append(s.tools.tools, tools...) }
}

// WithToolHandler registers a function by tool name: for tools without a Handler, and for those that
// a request declares. It replaces the defaults too.
func WithToolHandler(name string, handler ToolHandler) Option {
	return func(s *settings) { s.tools.setHandler(name, handler) }
}

// WithDefaultLocalTools offers the built-in local tools where neither the request nor the client has
// tools: calculator, datetime, file_read, list_dir, file_search, file_write and shell. Default: true.
func WithDefaultLocalTools(on bool) Option { return func(s *settings) { s.defaults.local = on } }

// WithDefaultBuiltinTools offers the hosted tool web_search_preview, which the service runs and
// bills. Default: false.
func WithDefaultBuiltinTools(on bool) Option { return func(s *settings) { s.defaults.hosted = on } }

// WithoutDefaultTools leaves out default tools by name. Registered tools are never affected.
func WithoutDefaultTools(names ...string) Option {
	return func(s *settings) { s.defaults.without = append(s.defaults.without, names...) }
}

// WithFileWorkspace sets the folder that the file tools work in and cannot leave. Default: the
// current folder.
func WithFileWorkspace(path string) Option { return func(s *settings) { s.defaults.files = path } }

// WithFileDeny sets the files that are neither read nor searched, as patterns of a .gitignore. They
// take the place of the default, files that hold secrets; without a pattern, no file is denied. To
// add to the default, pass the patterns of localtools.DefaultFileDeny too.
func WithFileDeny(patterns ...string) Option {
	return func(s *settings) { s.defaults.deny = append([]string{}, patterns...) }
}

// WithShellWorkspace sets the folder that commands start in. Default: the current folder.
func WithShellWorkspace(path string) Option { return func(s *settings) { s.defaults.shell = path } }

// WithFilePermission decides on each write of file_write. Without it, every write is refused.
func WithFilePermission(permit FilePermission) Option {
	return func(s *settings) { s.defaults.permitFile = permit }
}

// WithShellPermission decides on each command of shell. Without it, every command is refused.
func WithShellPermission(permit ShellPermission) Option {
	return func(s *settings) { s.defaults.permitShell = permit }
}
