//go:build unix

package svc_test

import (
	"bufio"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	svc "svc.example/sdk/go"
)

const (
	gatewayKey   = "svc_live_the_key_of_the_go_tests"
	gatewayToken = "svc_admin_the_token_of_the_go_tests"
)

// gateway is a running gateway.
type gateway struct{ public, admin string }

// startGateway starts the gateway of this checkout on free ports with a store in memory. Without a
// configuration, its simulator answers. The test is skipped where the gateway cannot be started.
func startGateway(t *testing.T, configuration any) gateway {
	t.Helper()
	if testing.Short() {
		t.Skip("SKIPPED: the running gateway is not tested with -short")
	}
	if _, err := exec.LookPath("deno"); err != nil {
		t.Skip("SKIPPED: there is no deno: the client is not tested against the running gateway")
	}
	checkout, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(checkout, "gateway", "main.ts")); err != nil {
		t.Skip("SKIPPED: there is no checkout around the module: the client is not tested against the running gateway")
	}
	file := ""
	if configuration != nil {
		file = filepath.Join(t.TempDir(), "svc.json")
		text, err := json.Marshal(configuration)
		if err == nil {
			err = os.WriteFile(file, text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	command := exec.Command("deno", "task", "--quiet", "serve")
	command.Dir = checkout
	command.Env = append(gatewayEnvironment(), "SERVICE_KV_PATH=:memory:", "SERVICE_PORT=0", "SERVICE_ADMIN_PORT=0",
		"SERVICE_CONFIG="+file, "SERVICE_BOOTSTRAP_KEY="+gatewayKey, "SERVICE_ADMIN_TOKEN="+gatewayToken, "NO_COLOR=1")
	if file != "" {
		command.Env = append(command.Env, "SERVE_OPTIONS=--allow-read="+file)
	}
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	command.Stderr = command.Stdout
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	started := make(chan gateway, 1)
	ended := make(chan string, 1)
	go readAddresses(output, started, ended)
	t.Cleanup(func() {
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		stubborn := time.AfterFunc(40*time.Second, func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) })
		defer stubborn.Stop()
		<-ended
		_ = command.Wait()
	})
	select {
	case running := <-started:
		return running
	case said := <-ended:
		ended <- said
		t.Fatal("the gateway ended before it told its addresses: ", said)
	case <-time.After(2 * time.Minute):
		t.Fatal("the gateway did not start")
	}
	return gateway{}
}

// gatewayEnvironment returns the variables that Deno needs, and nothing else: no provider's key, so
// that no test calls a provider, and no setting of the service.
func gatewayEnvironment() []string {
	needed := regexp.MustCompile(`(?i)^(PATH|HOME|TMPDIR|XDG_\w+|DENO_\w+|NODE_\w+|NPM_CONFIG_\w+|SSL_CERT_\w+|HTTPS?_PROXY)=`)
	environment := slices.DeleteFunc(os.Environ(), func(one string) bool { return !needed.MatchString(one) })
	return append(environment, "NO_PROXY="+strings.Join([]string{os.Getenv("NO_PROXY"), os.Getenv("no_proxy"), "127.0.0.1,localhost"}, ","))
}

var (
	publicAddress = regexp.MustCompile(`^ +public +(http://127\.0\.0\.1:\d+)`)
	adminAddress  = regexp.MustCompile(`^ +admin +(http://127\.0\.0\.1:\d+)`)
)

// readAddresses tells the addresses that the gateway prints, and then reads until its end, which it
// tells with the output.
func readAddresses(output io.Reader, started chan<- gateway, ended chan<- string) {
	var running gateway
	var said strings.Builder
	for lines := bufio.NewScanner(output); lines.Scan(); {
		said.WriteString(lines.Text() + "\n")
		if found := publicAddress.FindStringSubmatch(lines.Text()); found != nil {
			running.public = found[1]
		}
		if found := adminAddress.FindStringSubmatch(lines.Text()); found != nil {
			running.admin = found[1]
			started <- running
		}
	}
	ended <- said.String()
}

// client returns a client of the gateway.
func (g gateway) client(t *testing.T, options ...svc.Option) *svc.Client {
	t.Helper()
	client, err := svc.NewClient(append([]svc.Option{svc.WithAPIKey(gatewayKey), svc.WithAPIBaseURL(g.public)}, options...)...)
	if err != nil {
		t.Fatal(err)
	}
	return client
}

// vectorStore makes a vector store of the key's wallet with one file, and returns its id.
func (g gateway) vectorStore(t *testing.T, name, text string) string {
	t.Helper()
	made := struct {
		ID string `json:"id"`
	}{}
	if err := json.Unmarshal(g.post(t, "vector-stores", "application/json", `{"name":"Store","wallet":"default"}`), &made); err != nil || made.ID == "" {
		t.Fatal(err, made)
	}
	g.post(t, "vector-stores/"+made.ID+"/files?filename="+name, "text/markdown", text)
	return made.ID
}

// post calls the admin listener.
func (g gateway) post(t *testing.T, path, kind, body string) []byte {
	t.Helper()
	request, err := http.NewRequest(http.MethodPost, g.admin+"/admin/v1/"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+gatewayToken)
	request.Header.Set("Content-Type", kind)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode >= 300 {
		t.Fatal(path, response.Status, string(answer), err)
	}
	return answer
}
