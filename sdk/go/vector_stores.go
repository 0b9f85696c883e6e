package svc

import (
	"context"
	"slices"
)

const vectorStores = "/vector_stores"

// CreateVectorStore makes a vector store in the key's wallet, with the files of FileIDs.
func (c *Client) CreateVectorStore(ctx context.Context, request VectorStoreRequest, options ...CallOption) (*VectorStore, error) {
	return storedWith[VectorStore](ctx, c, vectorStores, request, options)
}

// ListVectorStores returns a page of the vector stores, newest first, those that the operator made
// included.
func (c *Client) ListVectorStores(ctx context.Context, query ListQuery, options ...CallOption) (*ListPage[VectorStore], error) {
	search := searchOf(map[string]string{"limit": limitText(query.Limit), "order": query.Order,
		"after": query.After, "before": query.Before})
	return stored[ListPage[VectorStore]](ctx, c, call{method: "GET", path: vectorStores + search}, options)
}

// GetVectorStore returns a vector store.
func (c *Client) GetVectorStore(ctx context.Context, id string, options ...CallOption) (*VectorStore, error) {
	path, err := storePath(id)
	if err != nil {
		return nil, err
	}
	return stored[VectorStore](ctx, c, call{method: "GET", path: path}, options)
}

// UpdateVectorStore changes a vector store that the operator did not make.
func (c *Client) UpdateVectorStore(ctx context.Context, id string, request VectorStoreUpdate, options ...CallOption) (*VectorStore, error) {
	path, err := storePath(id)
	if err != nil {
		return nil, err
	}
	return storedWith[VectorStore](ctx, c, path, request, options)
}

// DeleteVectorStore deletes a vector store; its files stay.
func (c *Client) DeleteVectorStore(ctx context.Context, id string, options ...CallOption) (*Deletion, error) {
	path, err := storePath(id)
	if err != nil {
		return nil, err
	}
	return stored[Deletion](ctx, c, call{method: "DELETE", path: path}, options)
}

// SearchVectorStore returns the passages that match a query, best first. No model is called.
func (c *Client) SearchVectorStore(ctx context.Context, id string, request VectorStoreSearch, options ...CallOption) (*VectorStoreSearchPage, error) {
	path, err := storePath(id)
	if err != nil {
		return nil, err
	}
	return storedWith[VectorStoreSearchPage](ctx, c, path+"/search", request, options)
}

// CreateVectorStoreFile adds a file to a vector store. It is read before the answer comes: the
// status of one that cannot be is failed, with the reason in LastError. One that is there already is
// read again.
func (c *Client) CreateVectorStoreFile(ctx context.Context, storeID string, request VectorStoreFileRequest, options ...CallOption) (*VectorStoreFile, error) {
	path, err := storePath(storeID)
	if err != nil {
		return nil, err
	}
	return storedWith[VectorStoreFile](ctx, c, path+"/files", request, options)
}

// ListVectorStoreFiles returns a page of the files of a vector store, newest first.
func (c *Client) ListVectorStoreFiles(ctx context.Context, storeID string, query VectorStoreFileListQuery, options ...CallOption) (*ListPage[VectorStoreFile], error) {
	path, err := storePath(storeID)
	if err != nil {
		return nil, err
	}
	return stored[ListPage[VectorStoreFile]](ctx, c, call{method: "GET", path: path + "/files" + query.search()}, options)
}

// GetVectorStoreFile returns a file as the vector store has it.
func (c *Client) GetVectorStoreFile(ctx context.Context, storeID, fileID string, options ...CallOption) (*VectorStoreFile, error) {
	path, err := storeFilePath(storeID, fileID)
	if err != nil {
		return nil, err
	}
	return stored[VectorStoreFile](ctx, c, call{method: "GET", path: path}, options)
}

// UpdateVectorStoreFile changes the attributes of a file, by which later searches filter.
func (c *Client) UpdateVectorStoreFile(ctx context.Context, storeID, fileID string, request VectorStoreFileUpdate, options ...CallOption) (*VectorStoreFile, error) {
	path, err := storeFilePath(storeID, fileID)
	if err != nil {
		return nil, err
	}
	return storedWith[VectorStoreFile](ctx, c, path, request, options)
}

// VectorStoreFileContent returns the text of a file, as searches read it. While HasMore is true, a
// query with the answer's NextPage asks for the next part.
func (c *Client) VectorStoreFileContent(ctx context.Context, storeID, fileID string, query VectorStoreFileContentQuery, options ...CallOption) (*VectorStoreFileContentPage, error) {
	path, err := storeFilePath(storeID, fileID)
	if err != nil {
		return nil, err
	}
	search := searchOf(map[string]string{"page": query.Page})
	return stored[VectorStoreFileContentPage](ctx, c, call{method: "GET", path: path + "/content" + search}, options)
}

// DeleteVectorStoreFile takes a file out of a vector store; the file itself stays.
func (c *Client) DeleteVectorStoreFile(ctx context.Context, storeID, fileID string, options ...CallOption) (*Deletion, error) {
	path, err := storeFilePath(storeID, fileID)
	if err != nil {
		return nil, err
	}
	return stored[Deletion](ctx, c, call{method: "DELETE", path: path}, options)
}

// CreateVectorStoreFileBatch adds up to 100 files to a vector store. They are read before the answer
// comes: FileCounts has the number of those that cannot be, and [Client.ListVectorStoreFileBatchFiles]
// their reasons. Many large files take longer than a call may by default: use [CallTimeout]. A call
// that ends early leaves the files that were read in the store.
func (c *Client) CreateVectorStoreFileBatch(ctx context.Context, storeID string, request VectorStoreFileBatchRequest, options ...CallOption) (*VectorStoreFileBatch, error) {
	path, err := storePath(storeID)
	if err != nil {
		return nil, err
	}
	return storedWith[VectorStoreFileBatch](ctx, c, path+"/file_batches", request, options)
}

// GetVectorStoreFileBatch returns a batch, with those of its files that are still in the vector store.
func (c *Client) GetVectorStoreFileBatch(ctx context.Context, storeID, batchID string, options ...CallOption) (*VectorStoreFileBatch, error) {
	path, err := batchPath(storeID, batchID)
	if err != nil {
		return nil, err
	}
	return stored[VectorStoreFileBatch](ctx, c, call{method: "GET", path: path}, options)
}

// CancelVectorStoreFileBatch returns a batch as [Client.GetVectorStoreFileBatch] does, for programs
// that are written for OpenAI's service: one that has an id is complete, and nothing is left to
// cancel. Its files stay.
func (c *Client) CancelVectorStoreFileBatch(ctx context.Context, storeID, batchID string, options ...CallOption) (*VectorStoreFileBatch, error) {
	path, err := batchPath(storeID, batchID)
	if err != nil {
		return nil, err
	}
	return stored[VectorStoreFileBatch](ctx, c, call{method: "POST", path: path + "/cancel"}, options)
}

// ListVectorStoreFileBatchFiles returns a page of the files of a batch, newest first.
func (c *Client) ListVectorStoreFileBatchFiles(ctx context.Context, storeID, batchID string, query VectorStoreFileListQuery, options ...CallOption) (*ListPage[VectorStoreFile], error) {
	path, err := batchPath(storeID, batchID)
	if err != nil {
		return nil, err
	}
	return stored[ListPage[VectorStoreFile]](ctx, c, call{method: "GET", path: path + "/files" + query.search()}, options)
}

func (q VectorStoreFileListQuery) search() string {
	return searchOf(map[string]string{"limit": limitText(q.Limit), "order": q.Order,
		"after": q.After, "before": q.Before, "filter": q.Filter})
}

func storePath(id string) (string, error) {
	part, err := idPart(id, "a vector store")
	return vectorStores + "/" + part, err
}

func storeFilePath(storeID, fileID string) (string, error) {
	path, err := storePath(storeID)
	if err != nil {
		return "", err
	}
	part, err := idPart(fileID, "a file")
	return path + "/files/" + part, err
}

func batchPath(storeID, batchID string) (string, error) {
	path, err := storePath(storeID)
	if err != nil {
		return "", err
	}
	part, err := idPart(batchID, "a batch of files")
	return path + "/file_batches/" + part, err
}

func (s *VectorStore) isSound() bool { return s.ID != "" && s.Object != "" }

func (s *VectorStore) setRequestID(id string) { s.RequestID = id }

func (*VectorStore) kind() string { return "a vector store" }

func (f *VectorStoreFile) isSound() bool { return f.ID != "" && f.Status != "" }

func (f *VectorStoreFile) setRequestID(id string) { f.RequestID = id }

func (*VectorStoreFile) kind() string { return "a file of a vector store" }

func (p *VectorStoreFileContentPage) isSound() bool { return p.Data != nil }

func (p *VectorStoreFileContentPage) setRequestID(id string) { p.RequestID = id }

func (*VectorStoreFileContentPage) kind() string { return "the text of a file" }

func (b *VectorStoreFileBatch) isSound() bool { return b.ID != "" && b.Object != "" }

func (b *VectorStoreFileBatch) setRequestID(id string) { b.RequestID = id }

func (*VectorStoreFileBatch) kind() string { return "a batch of files" }

func (p *VectorStoreSearchPage) isSound() bool {
	isNone := func(one VectorStoreSearchResult) bool { return one.Content == nil }
	return p.Data != nil && !slices.ContainsFunc(p.Data, isNone)
}

func (p *VectorStoreSearchPage) setRequestID(id string) { p.RequestID = id }

func (*VectorStoreSearchPage) kind() string { return "the results of a search" }
