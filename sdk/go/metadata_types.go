package svc

// OrchestrationFinalTaskID marks the task whose text is the reply of a split request.
const OrchestrationFinalTaskID = "final"

// Metadata is carried by every model answer, and by the last chunk or event of every stream.
type Metadata struct {
	// RequestID is the caller's X-Request-ID, or one that the service made.
	RequestID string `json:"request_id,omitempty"`
	// Routing is the route taken.
	Routing *Routing `json:"routing,omitempty"`
	// Billing is the bill; nil where nothing was billed.
	Billing *Billing `json:"billing,omitempty"`
	// Extra holds further fields, for instance hosted_tools and the caller's own pairs.
	Extra Extra `json:"-"`
}

// Routing tells why a model was chosen.
type Routing struct {
	// Model is the catalog id of the model that answered.
	Model string `json:"model"`
	// Provider served it.
	Provider string `json:"provider"`
	// Tier is the one that the request was served in.
	Tier string `json:"tier,omitempty"`
	// Reason is a sentence: why this model.
	Reason string `json:"reason,omitempty"`
	// Considered is the number of models that were looked at.
	Considered int `json:"considered,omitempty"`
	// Attempts are in order; the last one answered.
	Attempts []RoutingAttempt `json:"attempts,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// RoutingAttempt is one attempt at one upstream model.
type RoutingAttempt struct {
	// Model is the catalog id.
	Model string `json:"model"`
	// Provider served it.
	Provider string `json:"provider"`
	// Outcome is ok, or the kind of the failure.
	Outcome string `json:"outcome"`
	// Status is the HTTP status of the upstream's answer; 0 without one.
	Status int `json:"status,omitempty"`
	// Milliseconds is the time to the whole answer, or to the first byte of a stream.
	Milliseconds float64 `json:"ms"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// Billing is the bill of a call.
type Billing struct {
	// Currency is credits.
	Currency string `json:"currency,omitempty"`
	// Charged is a decimal string, for instance 0.412000.
	Charged string `json:"charged,omitempty"`
	// InputTokens is the input, cached tokens included.
	InputTokens int64 `json:"input_tokens,omitempty"`
	// CachedInputTokens were read from the provider's cache.
	CachedInputTokens int64 `json:"cached_input_tokens,omitempty"`
	// CacheWriteInputTokens were written into the provider's cache.
	CacheWriteInputTokens int64 `json:"cache_write_input_tokens,omitempty"`
	// OutputTokens is the output, reasoning included.
	OutputTokens int64 `json:"output_tokens,omitempty"`
	// TotalTokens is the sum of input and output.
	TotalTokens int64 `json:"total_tokens,omitempty"`
	// Estimated is true where the upstream reported no usage and the tokens were counted.
	Estimated bool `json:"estimated,omitempty"`
	// PriceVersion is the catalog version whose prices were used.
	PriceVersion int64 `json:"price_version,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// Orchestration is the breakdown of a split request.
type Orchestration struct {
	// Tasks are all tasks, planner and synthesis included.
	Tasks []OrchestrationTask `json:"tasks"`
	// FinalTaskID names the task whose text is the reply.
	FinalTaskID string `json:"final_task_id,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OrchestrationTask is one sub-task of a split request.
type OrchestrationTask struct {
	// TaskID is unique in the request.
	TaskID string `json:"task_id"`
	// Title is for people.
	Title string `json:"title,omitempty"`
	// DependsOn names the tasks whose results it reads.
	DependsOn []string `json:"depends_on,omitempty"`
	// Status is done, failed or skipped.
	Status string `json:"status,omitempty"`
	// Model is the catalog id of the model that served it.
	Model string `json:"model,omitempty"`
	// Usage is its own tokens; nil where nothing was called.
	Usage *ChatUsage `json:"usage,omitempty"`
	// Charged is in credits, a decimal string.
	Charged string `json:"charged,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ChunkOrchestration names the task of a split request that a chunk belongs to.
type ChunkOrchestration struct {
	// TaskID names the task; the reply is the text of [OrchestrationFinalTaskID] alone.
	TaskID string `json:"task_id,omitempty"`
	// Title is for people.
	Title string `json:"title,omitempty"`
	// Status is set where the task begins (started) and where it ends.
	Status string `json:"status,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

func isReply(task *ChunkOrchestration) bool {
	if task == nil {
		return true
	}
	_, isNamed := task.Extra["task_id"]
	return task.TaskID == OrchestrationFinalTaskID || task.TaskID == "" && !isNamed
}

// IsReply reports that the chunk belongs to the reply, and not to a task that prepares it.
func (c *ChatChunk) IsReply() bool { return isReply(c.Orchestration) }

// IsReply reports that the event belongs to the reply, and not to a task that prepares it.
func (e *ResponseEvent) IsReply() bool { return isReply(e.Orchestration) }
