package svc

import (
	"bytes"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// FileUpload is a file to upload. Its content is read while it is sent, so that it is never in
// memory as a whole.
type FileUpload struct {
	// Name is the file name; its ending states how the text is read.
	Name string
	// Open returns the content, from the first byte on. It is called for each attempt of the call,
	// which closes it, maybe while it is read.
	Open func() (io.ReadCloser, error)
	// Purpose is assistants or user_data, both of which file_search reads. Empty: assistants.
	Purpose string
	// ExpiresAfter is counted from the upload, in whole seconds: an hour to 30 days. 0: it does not
	// expire.
	ExpiresAfter time.Duration
}

// FileFromPath returns the file at a path, to be opened for each attempt.
func FileFromPath(path string) FileUpload {
	return FileUpload{Name: filepath.Base(path), Open: func() (io.ReadCloser, error) { return os.Open(path) }}
}

// FileFromBytes returns a file with this content, which is not copied.
func FileFromBytes(name string, content []byte) FileUpload {
	return FileUpload{Name: name, Open: func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content)), nil
	}}
}

// uploadForm is a file as multipart/form-data.
type uploadForm struct {
	file        FileUpload
	contentType string
	head, tail  []byte
}

var quoted = strings.NewReplacer(`"`, "%22", "\r", "%0D", "\n", "%0A")

func newUploadForm(file FileUpload) (*uploadForm, error) {
	switch {
	case file.Name == "":
		return nil, configurationError("cannot send the file: it has no name")
	case file.Open == nil:
		return nil, configurationError("cannot send the file: it has no Open")
	}
	boundary := "svc-form-" + rand.Text()
	begin := "--" + boundary + "\r\ncontent-disposition: form-data; name="
	field := func(name, text string) string { return begin + `"` + name + `"` + "\r\n\r\n" + text + "\r\n" }
	purpose := file.Purpose
	if purpose == "" {
		purpose = "assistants"
	}
	head := field("purpose", purpose)
	if file.ExpiresAfter != 0 {
		seconds := strconv.FormatInt(int64(file.ExpiresAfter/time.Second), 10)
		head += field("expires_after[anchor]", "created_at") + field("expires_after[seconds]", seconds)
	}
	// A name as browsers write it.
	head += begin + `"file"; filename="` + quoted.Replace(strings.ToValidUTF8(file.Name, "\uFFFD")) + `"` +
		"\r\ncontent-type: application/octet-stream\r\n\r\n"
	return &uploadForm{file: file, contentType: "multipart/form-data; boundary=" + boundary,
		head: []byte(head), tail: []byte("\r\n--" + boundary + "--\r\n")}, nil
}

// open returns the body of an attempt.
func (f *uploadForm) open() (io.ReadCloser, error) {
	content, err := f.file.Open()
	if err != nil {
		return nil, &ConfigurationError{Message: "cannot send the file: it cannot be opened", Err: err}
	}
	if content == nil {
		return nil, configurationError("cannot send the file: Open returned nothing")
	}
	return struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(f.head), fileReader{content}, bytes.NewReader(f.tail)), content}, nil
}

// fileReader marks the failures of a file.
type fileReader struct{ io.Reader }

// Read returns a [readFailure] for an error other than the end.
func (r fileReader) Read(into []byte) (int, error) {
	count, err := r.Reader.Read(into)
	if err != nil && err != io.EOF {
		err = &readFailure{err}
	}
	return count, err
}

// readFailure is the failure of a file that is being sent.
type readFailure struct{ err error }

// Error returns the message of the cause.
func (f *readFailure) Error() string { return f.err.Error() }

// Unwrap returns the cause.
func (f *readFailure) Unwrap() error { return f.err }

// isOfFile reports a failure of the file itself, which no repetition would cure.
func isOfFile(err error) bool {
	var failure *readFailure
	var configuration *ConfigurationError
	return errors.As(err, &failure) || errors.As(err, &configuration)
}
