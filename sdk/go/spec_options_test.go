package svc

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// addressOfCalls returns where a client sends model calls and catalog calls.
func addressOfCalls(t *testing.T, options ...Option) string {
	t.Helper()
	var seen []string
	client := &http.Client{Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
		seen = append(seen, request.URL.String())
		return nil, errors.New("no network")
	})}
	c := mustClient(t, append([]Option{WithAPIKey("k"), WithHTTPClient(client)}, options...)...)
	_, _ = c.CreateChatCompletion(background, say("Hi"))
	_, err := c.GetPricing(background)
	var configuration *ConfigurationError
	if errors.As(err, &configuration) {
		seen = append(seen, "unsent")
	}
	return strings.NewReplacer("/chat/completions", "", "/api/v1/pricing", "").Replace(strings.Join(seen, " "))
}

func TestSpec_4_1_WithAPIKey(t *testing.T) {
	s := newService(t, spokenAnswer("a"))
	if _, err := s.client(t, WithAPIKey("svc_live_other")).CreateChatCompletion(background, say("Hi")); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Headers.Get("Authorization"), "Bearer svc_live_other")
	for _, wrong := range []string{"svc live", "svc\n"} {
		if _, err := NewClient(WithAPIKey(wrong)); err == nil || strings.Contains(err.Error(), wrong) {
			t.Errorf("the key %q gives %v", wrong, err)
		}
	}
}

func TestSpec_4_1_WithAPIBaseURL(t *testing.T) {
	t.Setenv("SERVICE_OPENAI_BASE_URL", "https://other.example/openai/v1")
	equal(t, addressOfCalls(t, WithAPIBaseURL("https://svc.example/base/")),
		"https://svc.example/base/openai/v1 https://svc.example/base")
	for _, wrong := range []string{"svc.example", "ftp://svc.example", "https://u:p@svc.example", "https://svc.example?a=1"} {
		if _, err := NewClient(WithAPIBaseURL(wrong)); err == nil || strings.Contains(err.Error(), wrong) {
			t.Errorf("the base %q gives %v", wrong, err)
		}
	}
}

func TestSpec_4_1_WithOpenAIBaseURL(t *testing.T) {
	equal(t, addressOfCalls(t, WithOpenAIBaseURL("https://models.example/openai/v1"), WithAPIBaseURL("https://svc.example")),
		"https://models.example/openai/v1 https://svc.example")
	equal(t, addressOfCalls(t, WithOpenAIBaseURL("https://models.example/openai/v1")),
		"https://models.example/openai/v1 https://models.example")
	equal(t, addressOfCalls(t, WithOpenAIBaseURL("https://models.example/v1")), "https://models.example/v1 unsent")
}

func TestSpec_4_1_Environment(t *testing.T) {
	t.Setenv("SERVICE_API_KEY", "svc_live_environment")
	t.Setenv("SERVICE_API_BASE_URL", "https://env.example")
	equal(t, addressOfCalls(t), "https://env.example/openai/v1 https://env.example")
	t.Setenv("SERVICE_OPENAI_BASE_URL", "https://models.example/openai/v1")
	equal(t, addressOfCalls(t), "https://models.example/openai/v1 https://env.example")
	t.Setenv("SERVICE_OPENAI_BASE_URL", "")
	t.Setenv("SERVICE_API_BASE_URL", "")
	equal(t, addressOfCalls(t), "http://127.0.0.1:8787/openai/v1 http://127.0.0.1:8787")
	c := mustClient(t, WithHTTPClient(&http.Client{Transport: roundTripper(func(request *http.Request) (*http.Response, error) {
		equal(t, request.Header.Get("Authorization"), "Bearer svc_live_environment")
		return nil, errors.New("no network")
	})}))
	_, _ = c.CreateChatCompletion(background, say("Hi"))
}

func TestSpec_4_1_WithHTTPClient(t *testing.T) {
	own := &http.Client{Transport: roundTripper(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: 200, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(spokenAnswer("own").body))}, nil
	})}
	completion, err := mustClient(t, WithAPIKey("k"), WithHTTPClient(own)).CreateChatCompletion(background, say("Hi"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, completion.Text(), "own")
	if own.CheckRedirect != nil {
		t.Error("the caller's client was changed")
	}
}

func TestSpec_4_1_WithHeader(t *testing.T) {
	s := newService(t, spokenAnswer("a"))
	c := mustClient(t, WithAPIBaseURL(s.URL), WithHeader("X-API-Key", "svc_live_header"), WithHeader("X-Team", "tea"))
	if _, err := c.CreateChatCompletion(background, say("Hi")); err != nil {
		t.Fatal(err)
	}
	headers := s.requests()[0].Headers
	equal(t, headers.Get("X-API-Key")+headers.Get("Authorization")+headers.Get("X-Team"), "svc_live_headertea")
	if _, err := NewClient(WithHeader("X-Team", "a\nb")); err == nil || strings.Contains(err.Error(), "b") && strings.Contains(err.Error(), "\n") {
		t.Error("a line break in a header gives", err)
	}
}

func TestSpec_4_1_WithTimeout(t *testing.T) {
	silent := reply{handle: func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }}
	s := newService(t, silent)
	_, err := s.client(t, WithTimeout(20*time.Millisecond)).CreateChatCompletion(background, say("Hi"))
	var late *TimeoutError
	if !errors.As(err, &late) || late.Limit != 20*time.Millisecond || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a TimeoutError", err)
	}
}

func TestSpec_4_1_WithMaxRetries(t *testing.T) {
	busy := reply{status: 429, body: `{"error":{"message":"busy"}}`, headers: map[string]string{"retry-after": "0"}}
	s := newService(t, busy, reply{status: 503, headers: map[string]string{"retry-after": "0"}}, spokenAnswer("a"))
	if _, err := s.client(t, WithMaxRetries(2)).CreateChatCompletion(background, say("Hi")); err != nil {
		t.Fatal(err)
	}
	equal(t, len(s.requests()), 3)
	if _, err := NewClient(WithMaxRetries(-1)); err == nil {
		t.Error("a negative count was taken")
	}
}

// declaredNames returns the names of the tools that a call declares.
func declaredNames(t *testing.T, options ...Option) []string {
	t.Helper()
	s := newService(t, spokenAnswer("a"))
	c := mustClient(t, append([]Option{WithAPIKey("k"), WithAPIBaseURL(s.URL)}, options...)...)
	if _, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{}); err != nil {
		t.Fatal(err)
	}
	var request ChatRequest
	if err := json.Unmarshal([]byte(s.requests()[0].Raw), &request); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range request.Tools {
		if tool.Function != nil {
			names = append(names, tool.Function.Name)
		} else {
			names = append(names, tool.Type)
		}
	}
	return names
}

func names(list ...string) string { return strings.Join(list, " ") }

const allLocal = "calculator datetime file_read list_dir file_search file_write shell"

func TestSpec_4_1_WithTools(t *testing.T) {
	equal(t, names(declaredNames(t, WithTools(echo("look")))...), "look")
	equal(t, names(declaredNames(t, WithTools())...), allLocal)
	if _, err := NewClient(WithTools(echo("look"), echo("look"))); err == nil {
		t.Error("two tools of one name were taken")
	}
}

func TestSpec_4_1_WithToolHandler(t *testing.T) {
	s := newService(t, called("look", `{}`), spokenAnswer("a"))
	c := s.client(t, WithTools(Tool{Name: "look"}), WithToolHandler("look", echo("").Handler))
	result, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, result.Steps[0].Results[0].Text, "{}")
	equal(t, names(declaredNames(t, WithToolHandler("look", echo("").Handler))...), "")
}

func TestSpec_4_1_WithDefaultLocalTools(t *testing.T) {
	equal(t, names(declaredNames(t)...), allLocal)
	equal(t, names(declaredNames(t, WithDefaultLocalTools(false))...), "")
}

func TestSpec_4_1_WithDefaultBuiltinTools(t *testing.T) {
	equal(t, names(declaredNames(t, WithDefaultBuiltinTools(true))...), allLocal+" web_search_preview")
	equal(t, names(declaredNames(t, WithDefaultBuiltinTools(true), WithDefaultLocalTools(false))...), "web_search_preview")
}

func TestSpec_4_1_WithoutDefaultTools(t *testing.T) {
	kept := strings.Replace(allLocal, " shell", "", 1)
	equal(t, names(declaredNames(t, WithoutDefaultTools("shell", "web_search_preview"), WithDefaultBuiltinTools(true))...), kept)
	equal(t, names(declaredNames(t, WithoutDefaultTools("shell"), WithTools(echo("shell")))...), "shell")
	if _, err := NewClient(WithoutDefaultTools("shel")); err == nil {
		t.Error("an unknown name was taken")
	}
}

// toolText returns the result of a default tool.
func toolText(t *testing.T, name, arguments string, options ...Option) string {
	t.Helper()
	s := newService(t, called(name, arguments), spokenAnswer("a"))
	c := mustClient(t, append([]Option{WithAPIKey("k"), WithAPIBaseURL(s.URL)}, options...)...)
	result, err := c.RunChatCompletion(background, say("Hi"), RunChatOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return result.Steps[0].Results[0].Text
}

func workspace(t *testing.T) string {
	t.Helper()
	folder, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "a.txt"), []byte("milk"), 0o600); err != nil {
		t.Fatal(err)
	}
	return folder
}

func TestSpec_4_1_WithFileWorkspace(t *testing.T) {
	text := toolText(t, "file_read", `{"path":"a.txt"}`, WithFileWorkspace(workspace(t)))
	if !strings.Contains(text, "milk") {
		t.Error(text)
	}
	if text := toolText(t, "file_read", `{"path":"../a.txt"}`, WithFileWorkspace(workspace(t))); !strings.Contains(text, "error") {
		t.Error(text)
	}
}

func TestSpec_4_1_WithShellWorkspace(t *testing.T) {
	folder := workspace(t)
	text := toolText(t, "shell", `{"command":"pwd"}`, WithShellWorkspace(folder),
		WithShellPermission(func(context.Context, ShellPermissionRequest) (bool, error) { return true, nil }))
	if !strings.Contains(text, folder) {
		t.Error(text)
	}
}

func TestSpec_4_1_WithFilePermission(t *testing.T) {
	folder := workspace(t)
	var root string
	permit := WithFilePermission(func(_ context.Context, request FilePermissionRequest) (bool, error) {
		root = request.Root
		return true, nil
	})
	toolText(t, "file_write", `{"path":"b.txt","mode":"create","content":"tea"}`, WithFileWorkspace(folder), permit)
	equal(t, root, folder)
	written, err := os.ReadFile(filepath.Join(folder, "b.txt"))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, string(written), "tea")
}

func TestSpec_4_1_WithShellPermission(t *testing.T) {
	var asked ShellPermissionRequest
	folder := workspace(t)
	toolText(t, "shell", `{"command":"true"}`, WithShellWorkspace(folder),
		WithShellPermission(func(_ context.Context, request ShellPermissionRequest) (bool, error) {
			asked = request
			return false, nil
		}))
	equal(t, asked.Command+" "+asked.WorkingDir, "true "+folder)
}

func TestSpec_4_1_Rule_06_WritingNeedsPermission(t *testing.T) {
	declared := declaredNames(t)
	if !slices.Contains(declared, "file_write") || !slices.Contains(declared, "shell") {
		t.Error("they are not declared:", declared)
	}
	folder := workspace(t)
	for name, arguments := range map[string]string{
		"file_write": `{"path":"b.txt","mode":"create","content":"tea"}`, "shell": `{"command":"touch b.txt"}`,
	} {
		text := toolText(t, name, arguments, WithFileWorkspace(folder), WithShellWorkspace(folder))
		if !strings.Contains(text, `"error"`) {
			t.Error(name, text)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "b.txt")); err == nil {
		t.Error("a refused tool wrote")
	}
	if text := toolText(t, "list_dir", `{"path":"."}`, WithFileWorkspace(folder)); !strings.Contains(text, "a.txt") {
		t.Error(text)
	}
	if text := toolText(t, "file_search", `{"query":"milk"}`, WithFileWorkspace(folder)); !strings.Contains(text, "a.txt") {
		t.Error(text)
	}
}
