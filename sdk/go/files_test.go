package svc

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

const storedFile = `{"id":"file_1","object":"file","filename":"a.md"}`

// countedFile is a file whose openings and ends are counted.
type countedFile struct {
	opened, closed atomic.Int32
	read           atomic.Int64
	content        func() io.Reader
}

func (f *countedFile) upload() FileUpload {
	return FileUpload{Name: "a.md", Open: func() (io.ReadCloser, error) {
		f.opened.Add(1)
		return &countedContent{f.content(), f}, nil
	}}
}

type countedContent struct {
	io.Reader
	file *countedFile
}

func (c *countedContent) Read(into []byte) (int, error) {
	count, err := c.Reader.Read(into)
	c.file.read.Add(int64(count))
	return count, err
}

func (c *countedContent) Close() error {
	c.file.closed.Add(1)
	return nil
}

func TestCreateFile_FromThePath(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(path, []byte("# A"), 0o600); err != nil {
		t.Fatal(err)
	}
	s := newService(t, reply{status: 503, headers: map[string]string{"retry-after": "0"}}, reply{body: storedFile})
	file, err := s.client(t, WithMaxRetries(1)).CreateFile(background, FileFromPath(path))
	if err != nil {
		t.Fatal(err)
	}
	equal(t, file.ID, "file_1")
	for _, request := range s.requests() {
		if !strings.Contains(request.Raw, "\"file\"; filename=\"a.md\"\r\n") || !strings.Contains(request.Raw, "\r\n\r\n# A\r\n--") {
			t.Errorf("another form: %q", request.Raw)
		}
	}
	equal(t, len(s.requests()), 2)
}

func TestCreateFile_OpensAgainAndClosesEachAttempt(t *testing.T) {
	file := &countedFile{content: func() io.Reader { return strings.NewReader("text") }}
	s := newService(t, reply{status: 503, headers: map[string]string{"retry-after": "0"}}, reply{body: storedFile})
	if _, err := s.client(t, WithMaxRetries(1)).CreateFile(background, file.upload()); err != nil {
		t.Fatal(err)
	}
	equal(t, file.opened.Load(), 2)
	equal(t, file.closed.Load(), 2)
}

func TestCreateFile_ReadsNoFasterThanItSends(t *testing.T) {
	file := &countedFile{content: func() io.Reader { return io.LimitReader(zeros{}, 64<<20) }}
	// Refused before the form was read.
	s := &service{Server: httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusForbidden)
		_, _ = io.WriteString(w, `{"error":{"message":"No room","code":"policy_denied"}}`)
	}))}
	t.Cleanup(s.Close)
	_, err := s.client(t).CreateFile(background, file.upload())
	var failure *APIError
	if !errors.As(err, &failure) || failure.Code != "policy_denied" {
		t.Fatal(err)
	}
	if read := file.read.Load(); read > 32<<20 {
		t.Errorf("%d bytes were read", read)
	}
}

type zeros struct{}

func (zeros) Read(into []byte) (int, error) { return len(into), nil }

func TestCreateFile_WritesNamesAsBrowsersDo(t *testing.T) {
	s := newService(t, reply{body: storedFile})
	if _, err := s.client(t).CreateFile(background, FileFromBytes("say \"hi\"\r\n.md", nil)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(s.requests()[0].Raw, `filename="say %22hi%22%0D%0A.md"`) {
		t.Error(s.requests()[0].Raw)
	}
}

func TestCreateFile_RefusesWhatIsNoFile(t *testing.T) {
	gone := errors.New("gone")
	for _, file := range []FileUpload{
		{}, {Name: "a.md"}, FileFromBytes("", []byte("a")),
		{Name: "a.md", Open: func() (io.ReadCloser, error) { return nil, gone }},
		{Name: "a.md", Open: func() (io.ReadCloser, error) { return nil, nil }},
	} {
		s := newService(t)
		_, err := s.client(t, WithMaxRetries(2)).CreateFile(background, file)
		refusedUnsent(t, s, err)
	}
}

func TestCreateFile_AFileThatBreaksOffIsNotSentAgain(t *testing.T) {
	gone := errors.New("gone")
	file := &countedFile{content: func() io.Reader { return io.MultiReader(strings.NewReader("text"), failing{gone}) }}
	s := newService(t)
	_, err := s.client(t, WithMaxRetries(2)).CreateFile(background, file.upload())
	var connection *ConnectionError
	if !errors.As(err, &connection) || !errors.Is(err, gone) || !strings.Contains(err.Error(), "cannot be read to its end") {
		t.Error(err)
	}
	equal(t, file.opened.Load(), 1)
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

func TestFileContent_AnyBytes(t *testing.T) {
	noise := make([]byte, 100_000)
	for at := range noise {
		noise[at] = byte(at * 7)
	}
	octets := map[string]string{"content-type": "application/octet-stream"}
	s := newService(t, reply{headers: octets, body: string(noise)})
	content, err := s.client(t).FileContent(background, "file_1")
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(content)
	if err != nil || !bytes.Equal(data, noise) {
		t.Error(len(data), err)
	}
	equal(t, content.Close(), nil)
	equal(t, (&FileContent{}).Close(), nil)
	if _, err := (&FileContent{}).Read(data); err != io.EOF {
		t.Error(err)
	}
}

func TestFileContent_HasTheTimeLimitOfTheCall(t *testing.T) {
	s := newService(t, reply{handle: func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/octet-stream")
		_, _ = io.WriteString(w, "part")
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	}})
	content, err := s.client(t, WithTimeout(50*time.Millisecond)).FileContent(background, "file_1")
	if err != nil {
		t.Fatal(err)
	}
	_, err = io.ReadAll(content)
	var timeout *TimeoutError
	if !errors.As(err, &timeout) {
		t.Error(err)
	}
}

func TestVectorStoreExpiry_HasItsAnchor(t *testing.T) {
	s := newService(t, reply{body: `{"id":"vs_1","object":"vector_store"}`})
	request := VectorStoreRequest{ExpiresAfter: &VectorStoreExpiry{Days: 3}}
	if _, err := s.client(t).CreateVectorStore(background, request); err != nil {
		t.Fatal(err)
	}
	equal(t, s.requests()[0].Raw, `{"expires_after":{"anchor":"last_active_at","days":3}}`)
}
