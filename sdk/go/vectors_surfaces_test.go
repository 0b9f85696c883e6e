package svc

import (
	"context"
	"encoding/json"
)

// clientMethods are the methods of a client by the names that the vectors use.
var clientMethods = map[string]clientMethod{
	"chat.create":         oneRequest((*Client).CreateChatCompletion),
	"chat.stream":         rawStream((*Client).StreamChatCompletion),
	"chat.run":            toolRun((*Client).RunChatCompletion, chatResult),
	"chat.runStream":      toolRun((*Client).RunChatCompletionStream, chatResult),
	"responses.create":    oneRequest((*Client).CreateResponse),
	"responses.stream":    rawStream((*Client).StreamResponse),
	"responses.run":       toolRun((*Client).RunResponse, responseResult),
	"responses.runStream": toolRun((*Client).RunResponseStream, responseResult),
	"messages.create":     oneRequest((*Client).CreateMessage),
	"messages.stream":     rawStream((*Client).StreamMessage),
	"messages.run":        toolRun((*Client).RunMessage, messageResult),
	"messages.runStream":  toolRun((*Client).RunMessageStream, messageResult),
	"images.generate":     oneRequest((*Client).GenerateImage),
	"images.edit":         oneRequest((*Client).EditImage),
	"embeddings.create":   oneRequest((*Client).CreateEmbeddings),
	"models.list":         withoutRequest((*Client).ListModels),
	"models.meta":         withoutRequest((*Client).GetModelMeta),
	"pricing.retrieve":    withoutRequest((*Client).GetPricing),
	"key.retrieve":        withoutRequest((*Client).GetKey),
	"key.signInLink":      withoutRequest((*Client).CreateSignInLink),
	"usage.retrieve":      oneRequest((*Client).GetUsage),
	"requests.list":       oneRequest((*Client).ListRequests),
	"requests.retrieve":   ownRequest,
	"feedback":            vote,

	"files.create":                upload,
	"files.list":                  withRequest((*Client).ListFiles),
	"files.retrieve":              byID((*Client).GetFile),
	"files.content":               wholeContent,
	"files.delete":                byID((*Client).DeleteFile),
	"vectorStores.create":         withRequest((*Client).CreateVectorStore),
	"vectorStores.list":           withRequest((*Client).ListVectorStores),
	"vectorStores.retrieve":       byID((*Client).GetVectorStore),
	"vectorStores.update":         ofStore((*Client).UpdateVectorStore, ownID),
	"vectorStores.delete":         byID((*Client).DeleteVectorStore),
	"vectorStores.search":         ofStore((*Client).SearchVectorStore, ownID),
	"vectorStores.files.create":   ofStore((*Client).CreateVectorStoreFile, idOfStore),
	"vectorStores.files.list":     ofStore((*Client).ListVectorStoreFiles, idOfStore),
	"vectorStores.files.retrieve": byFile((*Client).GetVectorStoreFile),
	"vectorStores.files.update":   ofFile((*Client).UpdateVectorStoreFile),
	"vectorStores.files.content":  ofFile((*Client).VectorStoreFileContent),
	"vectorStores.files.delete":   byFile((*Client).DeleteVectorStoreFile),

	"vectorStores.fileBatches.create":    ofStore((*Client).CreateVectorStoreFileBatch, idOfStore),
	"vectorStores.fileBatches.retrieve":  byFile((*Client).GetVectorStoreFileBatch),
	"vectorStores.fileBatches.cancel":    byFile((*Client).CancelVectorStoreFileBatch),
	"vectorStores.fileBatches.listFiles": ofFile((*Client).ListVectorStoreFileBatchFiles),
}

func chatResult(r *ChatRunResult) (RunResult[ChatCompletion, ToolCall], any) {
	return r.RunResult, r.Messages
}

func responseResult(r *ResponseRunResult) (RunResult[Response, ResponseItem], any) {
	return r.RunResult, r.Input
}

func messageResult(r *MessageRunResult) (RunResult[Message, Block], any) {
	return r.RunResult, r.Messages
}

// vote sends a vote, whose names in the vectors are those of an application.
func vote(ctx context.Context, call methodCall) (result, error) {
	var given struct {
		RequestID string  `json:"requestId"`
		Score     float64 `json:"score"`
		Comment   string  `json:"comment"`
		Source    string  `json:"source"`
	}
	if err := json.Unmarshal(call.request, &given); err != nil {
		return result{}, err
	}
	ballot := Vote{RequestID: given.RequestID, Score: given.Score, Comment: given.Comment, Source: given.Source}
	answer, err := call.client.Feedback(ctx, ballot, call.options.callOptions()...)
	return answerView(answer), err
}

// ownRequest asks for one request by the id of a case.
func ownRequest(ctx context.Context, call methodCall) (result, error) {
	var given struct {
		ID string `json:"id"`
	}
	if err := json.Unmarshal(call.request, &given); err != nil {
		return result{}, err
	}
	answer, err := call.client.GetRequest(ctx, given.ID, call.options.callOptions()...)
	return answerView(answer), err
}
