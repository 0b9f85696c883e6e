package svc

import (
	"context"
	"encoding/json"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"testing"
	"time"
)

// storedRequest is a request about files or vector stores, whose arguments have these names.
type storedRequest struct {
	ID      string          `json:"id"`
	StoreID string          `json:"storeId"`
	With    json.RawMessage `json:"with"`
}

// ofFiles reads the arguments of a case for a method.
func ofFiles[Answer any](send func(context.Context, *Client, storedRequest, []CallOption) (*Answer, error)) clientMethod {
	return func(ctx context.Context, call methodCall) (result, error) {
		given, err := requestOf[storedRequest](call.request)
		if err != nil {
			return result{}, err
		}
		answer, err := send(ctx, call.client, given, call.options.callOptions())
		return answerView(answer), err
	}
}

// byID is a method of an id.
func byID[Answer any](send func(*Client, context.Context, string, ...CallOption) (*Answer, error)) clientMethod {
	return ofFiles(func(ctx context.Context, c *Client, given storedRequest, options []CallOption) (*Answer, error) {
		return send(c, ctx, given.ID, options...)
	})
}

// byFile is a method of a vector store and one of its files or batches.
func byFile[Answer any](send func(*Client, context.Context, string, string, ...CallOption) (*Answer, error)) clientMethod {
	return ofFiles(func(ctx context.Context, c *Client, given storedRequest, options []CallOption) (*Answer, error) {
		return send(c, ctx, given.StoreID, given.ID, options...)
	})
}

// withRequest is a method of a request alone.
func withRequest[Request, Answer any](send func(*Client, context.Context, Request, ...CallOption) (*Answer, error)) clientMethod {
	return ofFiles(func(ctx context.Context, c *Client, given storedRequest, options []CallOption) (*Answer, error) {
		request, err := requestOf[Request](given.With)
		if err != nil {
			return nil, err
		}
		return send(c, ctx, request, options...)
	})
}

// ofStore is a method of a vector store and a request.
func ofStore[Request, Answer any](
	send func(*Client, context.Context, string, Request, ...CallOption) (*Answer, error), idOf func(storedRequest) string,
) clientMethod {
	return ofFiles(func(ctx context.Context, c *Client, given storedRequest, options []CallOption) (*Answer, error) {
		request, err := requestOf[Request](given.With)
		if err != nil {
			return nil, err
		}
		return send(c, ctx, idOf(given), request, options...)
	})
}

// ofFile is a method of a vector store, one of its files or batches, and a request.
func ofFile[Request, Answer any](send func(*Client, context.Context, string, string, Request, ...CallOption) (*Answer, error)) clientMethod {
	return ofFiles(func(ctx context.Context, c *Client, given storedRequest, options []CallOption) (*Answer, error) {
		request, err := requestOf[Request](given.With)
		if err != nil {
			return nil, err
		}
		return send(c, ctx, given.StoreID, given.ID, request, options...)
	})
}

func ownID(given storedRequest) string { return given.ID }

func idOfStore(given storedRequest) string { return given.StoreID }

// upload sends the file of a case.
func upload(ctx context.Context, call methodCall) (result, error) {
	var given struct {
		File    struct{ Name, Text string }
		Purpose string
		Expires struct{ Seconds int64 } `json:"expires_after"`
	}
	if err := json.Unmarshal(call.request, &given); err != nil {
		return result{}, err
	}
	file := FileFromBytes(given.File.Name, []byte(given.File.Text))
	file.Purpose, file.ExpiresAfter = given.Purpose, time.Duration(given.Expires.Seconds)*time.Second
	answer, err := call.client.CreateFile(ctx, file, call.options.callOptions()...)
	return answerView(answer), err
}

// wholeContent reads the content of a file.
func wholeContent(ctx context.Context, call methodCall) (result, error) {
	given, err := requestOf[storedRequest](call.request)
	if err != nil {
		return result{}, err
	}
	content, err := call.client.FileContent(ctx, given.ID, call.options.callOptions()...)
	if err != nil {
		return result{}, err
	}
	defer func() { _ = content.Close() }()
	data, err := io.ReadAll(content)
	view := struct {
		Text string `json:"text"`
	}{string(data)}
	return result{answer: view, requestID: content.RequestID}, err
}

// formOf reads the fields of a form, a file as its name and text; nil for another body.
func formOf(t *testing.T, request *http.Request) map[string]any {
	t.Helper()
	kind, parameters, err := mime.ParseMediaType(request.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil
	}
	form := map[string]any{}
	for parts := multipart.NewReader(request.Body, parameters["boundary"]); ; {
		part, err := parts.NextPart()
		if err == io.EOF {
			return form
		}
		if err != nil {
			t.Errorf("the form cannot be read: %v", err)
			return form
		}
		text, err := io.ReadAll(part)
		if err != nil {
			t.Errorf("the form ends early: %v", err)
		}
		form[part.FormName()] = string(text)
		if name := part.FileName(); name != "" {
			form[part.FormName()] = map[string]any{"filename": name, "text": string(text)}
		}
	}
}
