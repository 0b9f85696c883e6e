package svc

import (
	"errors"
	"testing"
)

// A client that no NewClient made, as a member of a struct that was never set.
func TestZeroValues_OfAClient(t *testing.T) {
	for name, c := range map[string]*Client{"zero": {}, "nil": nil} {
		failures := map[string]error{}
		for _, m := range methods() {
			_, failures[m.name] = m.call(c)
		}
		_, failures["ListModels"] = c.ListModels(background)
		_, failures["ListModelsWithOptions"] = c.ListModelsWithOptions(background, ListModelsOptions{})
		_, failures["GetModelMeta"] = c.GetModelMeta(background)
		_, failures["GetPricing"] = c.GetPricing(background)
		_, failures["GenerateImage"] = c.GenerateImage(background, ImageRequest{Prompt: "A"})
		_, failures["EditImage"] = c.EditImage(background, ImageEditRequest{Prompt: "A"})
		_, failures["CreateEmbeddings"] = c.CreateEmbeddings(background, EmbeddingRequest{Input: EmbeddingInput{Texts: []string{"A"}}})
		_, failures["Feedback"] = c.Feedback(background, Vote{RequestID: "req_1"})
		_, failures["GetKey"] = c.GetKey(background)
		_, failures["CreateSignInLink"] = c.CreateSignInLink(background)
		_, failures["GetUsage"] = c.GetUsage(background, UsageQuery{})
		_, failures["ListRequests"] = c.ListRequests(background, RequestsQuery{})
		_, failures["GetRequest"] = c.GetRequest(background, "log_1")
		_, failures["CreateFile"] = c.CreateFile(background, FileFromBytes("a.md", nil))
		_, failures["ListFiles"] = c.ListFiles(background, FileListQuery{})
		_, failures["GetFile"] = c.GetFile(background, "file_1")
		_, failures["FileContent"] = c.FileContent(background, "file_1")
		_, failures["DeleteFile"] = c.DeleteFile(background, "file_1")
		_, failures["CreateVectorStore"] = c.CreateVectorStore(background, VectorStoreRequest{})
		_, failures["ListVectorStores"] = c.ListVectorStores(background, ListQuery{})
		_, failures["GetVectorStore"] = c.GetVectorStore(background, "vs_1")
		_, failures["UpdateVectorStore"] = c.UpdateVectorStore(background, "vs_1", VectorStoreUpdate{})
		_, failures["DeleteVectorStore"] = c.DeleteVectorStore(background, "vs_1")
		_, failures["SearchVectorStore"] = c.SearchVectorStore(background, "vs_1", VectorStoreSearch{})
		_, failures["CreateVectorStoreFile"] = c.CreateVectorStoreFile(background, "vs_1", VectorStoreFileRequest{})
		_, failures["ListVectorStoreFiles"] = c.ListVectorStoreFiles(background, "vs_1", VectorStoreFileListQuery{})
		_, failures["GetVectorStoreFile"] = c.GetVectorStoreFile(background, "vs_1", "file_1")
		_, failures["UpdateVectorStoreFile"] = c.UpdateVectorStoreFile(background, "vs_1", "file_1", VectorStoreFileUpdate{})
		_, failures["VectorStoreFileContent"] = c.VectorStoreFileContent(background, "vs_1", "file_1", VectorStoreFileContentQuery{})
		_, failures["DeleteVectorStoreFile"] = c.DeleteVectorStoreFile(background, "vs_1", "file_1")
		_, failures["CreateVectorStoreFileBatch"] = c.CreateVectorStoreFileBatch(background, "vs_1", VectorStoreFileBatchRequest{})
		_, failures["GetVectorStoreFileBatch"] = c.GetVectorStoreFileBatch(background, "vs_1", "vsfb_1")
		_, failures["CancelVectorStoreFileBatch"] = c.CancelVectorStoreFileBatch(background, "vs_1", "vsfb_1")
		_, failures["ListVectorStoreFileBatchFiles"] = c.ListVectorStoreFileBatchFiles(background, "vs_1", "vsfb_1", VectorStoreFileListQuery{})
		for method, err := range failures {
			var configuration *ConfigurationError
			if !errors.As(err, &configuration) {
				t.Errorf("%s of a %s client: %v", method, name, err)
			}
		}
	}
}
