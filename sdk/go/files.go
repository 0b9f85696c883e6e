package svc

import (
	"context"
	"net/url"

	"svc.example/sdk/go/internal/fields"
)

// CreateFile uploads a file to the key's wallet. With retries, each attempt sends it from its first
// byte. A file that cannot be opened is a [ConfigurationError], one that cannot be read to its end a
// [ConnectionError].
func (c *Client) CreateFile(ctx context.Context, file FileUpload, options ...CallOption) (*FileObject, error) {
	form, err := newUploadForm(file)
	if err != nil {
		return nil, err
	}
	return stored[FileObject](ctx, c, call{method: "POST", path: "/files", form: form}, options)
}

// ListFiles returns a page of the files of the key's wallet, newest first.
func (c *Client) ListFiles(ctx context.Context, query FileListQuery, options ...CallOption) (*ListPage[FileObject], error) {
	search := searchOf(map[string]string{"limit": limitText(query.Limit), "order": query.Order,
		"after": query.After, "before": query.Before, "purpose": query.Purpose})
	return stored[ListPage[FileObject]](ctx, c, call{method: "GET", path: "/files" + search}, options)
}

// GetFile returns a file without its content.
func (c *Client) GetFile(ctx context.Context, id string, options ...CallOption) (*FileObject, error) {
	path, err := filePath(id)
	if err != nil {
		return nil, err
	}
	return stored[FileObject](ctx, c, call{method: "GET", path: path}, options)
}

// FileContent returns the bytes of a file, as they come.
func (c *Client) FileContent(ctx context.Context, id string, options ...CallOption) (*FileContent, error) {
	path, err := filePath(id)
	if err != nil {
		return nil, err
	}
	sent := call{method: "GET", path: path + "/content", isModelless: true, settings: callSettingsOf(options)}
	return c.parts().transport.content(ctx, sent)
}

// DeleteFile deletes a file; it leaves all vector stores with its text.
func (c *Client) DeleteFile(ctx context.Context, id string, options ...CallOption) (*Deletion, error) {
	path, err := filePath(id)
	if err != nil {
		return nil, err
	}
	return stored[Deletion](ctx, c, call{method: "DELETE", path: path}, options)
}

func filePath(id string) (string, error) {
	part, err := idPart(id, "a file")
	return "/files/" + part, err
}

// idPart returns an id as a part of a path. It refuses one that would lead to another address.
func idPart(id, of string) (string, error) {
	if id == "" || id == "." || id == ".." {
		return "", configurationError("cannot ask for %s: its id is missing", of)
	}
	return url.PathEscape(id), nil
}

// storedAnswer is an answer about files or vector stores.
type storedAnswer[Answer any] interface {
	*Answer
	listed
	setRequestID(id string)
	// kind names such an answer in an error.
	kind() string
}

// stored sends a call about files or vector stores: no model is called.
func stored[Answer any, P storedAnswer[Answer]](ctx context.Context, c *Client, sent call, options []CallOption) (*Answer, error) {
	sent.isModelless, sent.settings = true, callSettingsOf(options)
	got, data, err := c.parts().transport.json(ctx, sent)
	if err != nil {
		return nil, err
	}
	answer := P(new(Answer))
	if fields.Decode(data, answer) != nil || !answer.isSound() {
		return nil, got.failure(data, "the service answered with something else than "+answer.kind())
	}
	answer.setRequestID(got.requestID(data))
	return answer, nil
}

// storedWith is stored with a request.
func storedWith[Answer any, P storedAnswer[Answer]](ctx context.Context, c *Client, path string, request any, options []CallOption) (*Answer, error) {
	sent, err := post(path, request, callSettings{})
	if err != nil {
		return nil, err
	}
	return stored[Answer, P](ctx, c, sent, options)
}

func (f *FileObject) isSound() bool { return f.ID != "" && f.Filename != "" }

func (f *FileObject) setRequestID(id string) { f.RequestID = id }

func (*FileObject) kind() string { return "a file" }

func (d *Deletion) isSound() bool { return d.Deleted }

func (d *Deletion) setRequestID(id string) { d.RequestID = id }

func (*Deletion) kind() string { return "a deletion" }

func (p *ListPage[Item]) isSound() bool { return p.Data != nil }

func (p *ListPage[Item]) setRequestID(id string) { p.RequestID = id }

func (*ListPage[Item]) kind() string { return "a list" }
