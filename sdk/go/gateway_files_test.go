//go:build unix

package svc_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	svc "svc.example/sdk/go"
)

const prices = "# Prices\n\nA ticket costs four coins, until noon of the day before.\n"

// testOwnFiles fills a vector store of the key's wallet, asks with file_search, and deletes.
func testOwnFiles(ctx context.Context, client *svc.Client, t *testing.T) {
	path := filepath.Join(t.TempDir(), "prices é.md")
	if err := os.WriteFile(path, []byte(prices), 0o600); err != nil {
		t.Fatal(err)
	}
	upload := svc.FileFromPath(path)
	upload.Purpose, upload.ExpiresAfter = "user_data", time.Hour
	file, err := client.CreateFile(ctx, upload)
	check(t, err, file.Filename == "prices é.md" && file.Bytes == int64(len(prices)) && file.ExpiresAt == file.CreatedAt+3600 && file.RequestID != "", file)
	store, err := client.CreateVectorStore(ctx, svc.VectorStoreRequest{Name: "Prices", ExpiresAfter: &svc.VectorStoreExpiry{Days: 3}})
	check(t, err, store.ID != "" && store.ExpiresAfter.Days == 3, store)
	added, err := client.CreateVectorStoreFile(ctx, store.ID, svc.VectorStoreFileRequest{FileID: file.ID, Attributes: map[string]any{"year": 2026}})
	check(t, err, added.Status == "completed" && added.LastError == nil, added)
	polled, err := client.GetVectorStoreFile(ctx, store.ID, file.ID)
	check(t, err, polled.Status == "completed" && polled.Attributes["year"] == 2026.0, polled)
	matches, err := client.SearchVectorStore(ctx, store.ID, svc.VectorStoreSearch{Query: svc.SearchQuery{"coins"},
		Filters: &svc.AttributeFilter{Type: "eq", Key: "year", Value: 2026}})
	check(t, err, len(matches.Data) == 1 && strings.Contains(matches.Data[0].Content[0].Text, "four coins"), matches)
	ids := svc.Extra{"vector_store_ids": json.RawMessage(`["` + store.ID + `"]`)}
	response, err := client.CreateResponse(ctx, svc.ResponseRequest{Input: svc.TextInput("Search our files: until when does a ticket cost four coins?"),
		Tools: []svc.ResponseTool{{Type: "file_search", Extra: ids}}})
	check(t, err, response.Output[0].Type == "file_search_call" && strings.Contains(response.OutputText(), "noon"), response)
	content, err := client.FileContent(ctx, file.ID)
	check(t, err, true)
	text, err := io.ReadAll(content)
	check(t, err, string(text) == prices, string(text))
	testBatchOfFiles(ctx, client, t, file.ID)
	testChangesOfFiles(ctx, client, t, store.ID, file.ID)
}

// testBatchOfFiles adds a file that is read and one that cannot be to a store, and deletes both.
func testBatchOfFiles(ctx context.Context, client *svc.Client, t *testing.T, fileID string) {
	t.Helper()
	noise, err := client.CreateFile(ctx, svc.FileFromBytes("noise.bin", []byte{1, 2, 3}))
	check(t, err, noise.ID != "", noise)
	store, err := client.CreateVectorStore(ctx, svc.VectorStoreRequest{Name: "Batch"})
	check(t, err, store.ID != "", store)
	batch, err := client.CreateVectorStoreFileBatch(ctx, store.ID, svc.VectorStoreFileBatchRequest{
		Files: []svc.VectorStoreFileRequest{{FileID: fileID, Attributes: map[string]any{"year": 2028}}, {FileID: noise.ID}}})
	check(t, err, batch.Status == "completed" && batch.VectorStoreID == store.ID && batch.RequestID != "", batch)
	check(t, nil, batch.FileCounts.Completed == 1 && batch.FileCounts.Failed == 1 && batch.FileCounts.Total == 2, batch)
	polled, err := client.GetVectorStoreFileBatch(ctx, store.ID, batch.ID)
	check(t, err, polled.ID == batch.ID && polled.CreatedAt == batch.CreatedAt && polled.FileCounts.Total == 2, polled)
	cancelled, err := client.CancelVectorStoreFileBatch(ctx, store.ID, batch.ID)
	check(t, err, cancelled.Status == "completed" && cancelled.FileCounts.Cancelled == 0, cancelled)
	files, err := client.ListVectorStoreFileBatchFiles(ctx, store.ID, batch.ID, svc.VectorStoreFileListQuery{Order: "asc", Limit: 1})
	check(t, err, len(files.Data) == 1 && files.HasMore && files.Data[0].ID == fileID && files.Data[0].Attributes["year"] == 2028.0, files)
	failed, err := client.ListVectorStoreFileBatchFiles(ctx, store.ID, batch.ID, svc.VectorStoreFileListQuery{Filter: "failed"})
	check(t, err, len(failed.Data) == 1 && failed.Data[0].ID == noise.ID && failed.Data[0].LastError.Code == "unsupported_file", failed)
	_, err = client.GetVectorStoreFileBatch(ctx, store.ID, "vsfb_none")
	var failure *svc.APIError
	check(t, nil, errors.As(err, &failure) && failure.Code == "not_found", err)
	_, err = client.DeleteVectorStore(ctx, store.ID)
	check(t, err, true)
	_, err = client.DeleteFile(ctx, noise.ID)
	check(t, err, true)
}

// testChangesOfFiles changes and lists a store and its file, and deletes both.
func testChangesOfFiles(ctx context.Context, client *svc.Client, t *testing.T, storeID, fileID string) {
	t.Helper()
	changed, err := client.UpdateVectorStore(ctx, storeID, svc.VectorStoreUpdate{Name: "Fares", Extra: svc.Extra{"expires_after": json.RawMessage("null")}})
	check(t, err, changed.Name == "Fares" && changed.ExpiresAfter == nil && changed.FileCounts.Completed == 1, changed)
	files, err := client.ListFiles(ctx, svc.FileListQuery{Purpose: "user_data"})
	check(t, err, len(files.Data) == 1 && files.LastID == fileID && !files.HasMore, files)
	stores, err := client.ListVectorStores(ctx, svc.ListQuery{Limit: 1})
	check(t, err, len(stores.Data) == 1 && stores.Data[0].ID == storeID, stores)
	inStore, err := client.ListVectorStoreFiles(ctx, storeID, svc.VectorStoreFileListQuery{Filter: "completed"})
	check(t, err, len(inStore.Data) == 1 && inStore.Data[0].ID == fileID, inStore)
	updated, err := client.UpdateVectorStoreFile(ctx, storeID, fileID, svc.VectorStoreFileUpdate{Attributes: map[string]any{"year": 2027}})
	check(t, err, updated.ID == fileID && updated.Attributes["year"] == 2027.0, updated)
	found, err := client.SearchVectorStore(ctx, storeID, svc.VectorStoreSearch{Query: svc.SearchQuery{"coins"},
		Filters: &svc.AttributeFilter{Type: "eq", Key: "year", Value: 2027}})
	check(t, err, len(found.Data) == 1, found)
	text, err := client.VectorStoreFileContent(ctx, storeID, fileID, svc.VectorStoreFileContentQuery{})
	check(t, err, len(text.Data) == 1 && text.Data[0].Text == strings.TrimSpace(prices) && !text.HasMore && text.RequestID != "", text)
	removed, err := client.DeleteVectorStoreFile(ctx, storeID, fileID)
	check(t, err, removed.Deleted && removed.ID == fileID, removed)
	file, err := client.GetFile(ctx, fileID)
	check(t, err, file.ID == fileID, file)
	deleted, err := client.DeleteFile(ctx, fileID)
	check(t, err, deleted.Deleted, deleted)
	deleted, err = client.DeleteVectorStore(ctx, storeID)
	check(t, err, deleted.Deleted, deleted)
	_, err = client.FileContent(ctx, fileID)
	var failure *svc.APIError
	check(t, nil, errors.As(err, &failure) && failure.Code == "not_found" && failure.RequestID != "", err)
}
