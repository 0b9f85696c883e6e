package svc

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
}

func chatResult(r *ChatRunResult) RunResult[ChatCompletion, ToolCall] { return r.RunResult }

func responseResult(r *ResponseRunResult) RunResult[Response, ResponseItem] { return r.RunResult }
