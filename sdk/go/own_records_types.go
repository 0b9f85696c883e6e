package svc

import "encoding/json"

// RemainingLimit is a limit of the rate.
type RemainingLimit struct {
	// Limit is the limit itself.
	Limit int64 `json:"limit"`
	// Remaining is the remainder of it now.
	Remaining int64 `json:"remaining"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// SignInLink signs a person in to the key's own pages, once.
type SignInLink struct {
	// URL is an address for a browser, with the code behind its "#".
	URL string `json:"url"`
	// Code is the code alone.
	Code string `json:"code"`
	// ExpiresAt is the time after which it is refused, ISO 8601 in UTC.
	ExpiresAt string `json:"expiresAt"`
	// RequestID is the id of the call.
	RequestID string `json:"-"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnKey is a key as its holder sees it. Amounts are decimal strings of credits, times are ISO 8601 in UTC.
type OwnKey struct {
	// ID is the id of the key.
	ID string `json:"id"`
	// Name is the one that the operator chose.
	Name string `json:"name"`
	// Status is active: other keys are refused.
	Status string `json:"status"`
	// Policy is the policy as the operator wrote it: an absent field restricts nothing.
	Policy map[string]json.RawMessage `json:"policy"`
	// Hint is enough of the key to recognise it.
	Hint string `json:"hint"`
	// CreatedAt is the time of creation.
	CreatedAt string `json:"createdAt"`
	// LastUsedAt is the time of the last use, at most a minute old.
	LastUsedAt string `json:"lastUsedAt,omitempty"`
	// RotatedFrom is the id of the key that it replaces.
	RotatedFrom string `json:"rotatedFrom,omitempty"`
	// LogContent is true when content is logged, with secrets removed.
	LogContent bool `json:"logContent"`
	// ExpiresAt is the time after which the key is refused.
	ExpiresAt string `json:"expiresAt,omitempty"`
	// Spend is that of the key and all that it replaced.
	Spend KeySpend `json:"spend"`
	// Remaining is the rest of the budgets, beyond what calls in flight hold.
	Remaining RemainingBudget `json:"remaining"`
	// Budgets are the policy's budgets of users and tags, in its order.
	Budgets []NamedBudget `json:"budgets"`
	// Limits are the limits of the rate.
	Limits KeyLimits `json:"limits"`
	// Embeddings is the pinned embedding model; nil before the first call.
	Embeddings *PinnedEmbeddings `json:"embeddings,omitempty"`
	// Wallet pays; nil where the policy hides it.
	Wallet *WalletBalance `json:"wallet,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of this call; empty when the answer has none.
	RequestID string `json:"-"`
}

// PinnedEmbeddings is the embedding model of a key: its vectors compare as long as it stays.
type PinnedEmbeddings struct {
	// Model is the catalog id.
	Model string `json:"model"`
	// Dimensions is the length of the vectors; nil before the first answer.
	Dimensions *int64 `json:"dimensions,omitempty"`
	// Source is first_call, policy or operator.
	Source string `json:"source"`
	// Since is the time of the pin; empty for a policy before the first answer.
	Since string `json:"since,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// NamedBudget is the budget of the calls of a key that have a user or a tag.
type NamedBudget struct {
	// User is the user; empty for a tag.
	User string `json:"user,omitempty"`
	// Tag is the tag, name=value; empty for a user.
	Tag string `json:"tag,omitempty"`
	// Spend is that of these calls since the policy has the budget.
	Spend KeySpend `json:"spend"`
	// Remaining is the rest of the budget, beyond what calls in flight hold.
	Remaining RemainingBudget `json:"remaining"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// KeySpend is the spend of a key in credits; days and months are UTC.
type KeySpend struct {
	// Held is held by calls in flight.
	Held string `json:"held"`
	// Day is the spend of today.
	Day string `json:"day"`
	// Month is the spend of this month.
	Month string `json:"month"`
	// Total is the spend in all.
	Total string `json:"total"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// RemainingBudget is the rest of the budgets of a key in credits; empty without a budget.
type RemainingBudget struct {
	// Day is the rest of today.
	Day string `json:"day,omitempty"`
	// Month is the rest of this month.
	Month string `json:"month,omitempty"`
	// Total is the rest in all.
	Total string `json:"total,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// KeyLimits are the limits of the rate; nil without the limit.
type KeyLimits struct {
	// RequestsPerMinute limits the requests of a minute.
	RequestsPerMinute *RemainingLimit `json:"requestsPerMinute,omitempty"`
	// TokensPerMinute limits the tokens of a minute.
	TokensPerMinute *RemainingLimit `json:"tokensPerMinute,omitempty"`
	// ConcurrentRequests limits the requests in flight.
	ConcurrentRequests *RemainingLimit `json:"concurrentRequests,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// WalletBalance is the wallet of a key, in credits.
type WalletBalance struct {
	// ID is the name of the wallet.
	ID string `json:"id"`
	// Tier is its tier.
	Tier string `json:"tier"`
	// Available can be spent.
	Available string `json:"available"`
	// Held is held by calls in flight.
	Held string `json:"held"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnUsage are the tokens and credits of a key.
type OwnUsage struct {
	// By is the grouping: day, model, user, or tag: with a name.
	By string `json:"by"`
	// Usage has days in their order; all others by cost, dearest first.
	Usage []OwnUsageRow `json:"usage"`
	// Cursor leads to the next page; empty on the last.
	Cursor string `json:"cursor,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of this call; empty when the answer has none.
	RequestID string `json:"-"`
}

// OwnUsageRow is the usage of a group.
type OwnUsageRow struct {
	// Day is the UTC day, of usage by day.
	Day string `json:"day,omitempty"`
	// Model is the catalog id, of usage by model.
	Model string `json:"model,omitempty"`
	// User is that of usage by user.
	User string `json:"user,omitempty"`
	// Value is that of the tag, of usage by tag.
	Value string `json:"value,omitempty"`
	// Kind is set for usage by user or tag: named, none (without one), or other (all beyond the
	// maximum of distinct names).
	Kind string `json:"kind,omitempty"`
	// Requests counts a split request once for each model.
	Requests int64 `json:"requests"`
	// InputTokens include cached ones.
	InputTokens int64 `json:"inputTokens"`
	// CachedInputTokens were read from the cache of the provider.
	CachedInputTokens int64 `json:"cachedInputTokens"`
	// OutputTokens include reasoning.
	OutputTokens int64 `json:"outputTokens"`
	// Charged are credits.
	Charged string `json:"charged"`
	// WrittenOff are credits beyond a hold: counted, never charged.
	WrittenOff string `json:"writtenOff"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnRequestList is a page of the requests of a key.
type OwnRequestList struct {
	// Requests may be fewer than the limit, or none, before the last page.
	Requests []OwnRequestSummary `json:"requests"`
	// Cursor leads to the next page; empty on the last.
	Cursor string `json:"cursor,omitempty"`
	// Start leads with the other order to the page before.
	Start string `json:"start,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of this call; empty when the answer has none.
	RequestID string `json:"-"`
}

// OwnRequestSummary is a row of the request log.
type OwnRequestSummary struct {
	// ID is that of the row: callers may repeat theirs.
	ID string `json:"id"`
	// RequestID is the X-Request-ID of the call.
	RequestID string `json:"requestId"`
	// At is the ISO 8601 time.
	At string `json:"at"`
	// Endpoint is its short name, as chat.
	Endpoint string `json:"endpoint"`
	// User is that of the call; empty without one.
	User string `json:"user,omitempty"`
	// SafetyIdentifier is that of the call; empty without one.
	SafetyIdentifier string `json:"safetyIdentifier,omitempty"`
	// Tags are those of the call by name.
	Tags map[string]string `json:"tags,omitempty"`
	// Stream is true for a stream.
	Stream bool `json:"stream"`
	// Status is the HTTP status; 499 where the caller had left.
	Status int `json:"status"`
	// Outcome is ok, error, client_left, cut or killed.
	Outcome string `json:"outcome"`
	// ErrorCode is empty without an error.
	ErrorCode string `json:"errorCode,omitempty"`
	// Model is the catalog id of the model that answered.
	Model string `json:"model,omitempty"`
	// Provider served it.
	Provider string `json:"provider,omitempty"`
	// DurationMs is the duration in milliseconds.
	DurationMs float64 `json:"durationMs"`
	// FirstByteMs is the time to the first byte of a stream.
	FirstByteMs float64 `json:"firstByteMs,omitempty"`
	// InputTokens include cached ones.
	InputTokens int64 `json:"inputTokens"`
	// CachedInputTokens were read from the cache of the provider.
	CachedInputTokens int64 `json:"cachedInputTokens"`
	// OutputTokens include reasoning.
	OutputTokens int64 `json:"outputTokens"`
	// Estimated is true where tokens were counted, since the provider reported none.
	Estimated bool `json:"estimated"`
	// Charged are credits.
	Charged string `json:"charged"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnRequest is one request of a key, without any text of the call.
type OwnRequest struct {
	// ID is that of the row: callers may repeat theirs.
	ID string `json:"id"`
	// RequestID is the X-Request-ID of the call.
	RequestID string `json:"requestId"`
	// At is the ISO 8601 time.
	At string `json:"at"`
	// Endpoint is its short name, as chat.
	Endpoint string `json:"endpoint"`
	// User is that of the call; empty without one.
	User string `json:"user,omitempty"`
	// SafetyIdentifier is that of the call; empty without one.
	SafetyIdentifier string `json:"safetyIdentifier,omitempty"`
	// Tags are those of the call by name.
	Tags map[string]string `json:"tags,omitempty"`
	// Stream is true for a stream.
	Stream bool `json:"stream"`
	// Status is the HTTP status; 499 where the caller had left.
	Status int `json:"status"`
	// Outcome is ok, error, client_left, cut or killed.
	Outcome string `json:"outcome"`
	// ErrorCode is empty without an error.
	ErrorCode string `json:"errorCode,omitempty"`
	// Model is the catalog id of the model that answered.
	Model string `json:"model,omitempty"`
	// Provider served it.
	Provider string `json:"provider,omitempty"`
	// DurationMs is the duration in milliseconds.
	DurationMs float64 `json:"durationMs"`
	// FirstByteMs is the time to the first byte of a stream.
	FirstByteMs float64 `json:"firstByteMs,omitempty"`
	// InputTokens include cached ones.
	InputTokens int64 `json:"inputTokens"`
	// CachedInputTokens were read from the cache of the provider.
	CachedInputTokens int64 `json:"cachedInputTokens"`
	// OutputTokens include reasoning.
	OutputTokens int64 `json:"outputTokens"`
	// Estimated is true where tokens were counted, since the provider reported none.
	Estimated bool `json:"estimated"`
	// Charged are credits.
	Charged string `json:"charged"`
	// Routing is the route, as the metadata of the answer had it.
	Routing *Routing `json:"routing,omitempty"`
	// Attempts are those of the answer.
	Attempts []RoutingAttempt `json:"attempts"`
	// Timeline has all attempts, those of tasks first.
	Timeline []OwnAttempt `json:"timeline"`
	// Settlement is the bill.
	Settlement OwnSettlement `json:"settlement"`
	// Tasks are those of a request that was split.
	Tasks []OwnTask `json:"tasks,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnAttempt is an attempt at an upstream.
type OwnAttempt struct {
	// Task is the id of the task; empty for the answer.
	Task string `json:"task,omitempty"`
	// Model is the catalog id.
	Model string `json:"model"`
	// Provider is that of the model.
	Provider string `json:"provider"`
	// Outcome is how the attempt ended.
	Outcome string `json:"outcome"`
	// Status is that of the answer of the upstream.
	Status int `json:"status,omitempty"`
	// Milliseconds is the duration.
	Milliseconds float64 `json:"ms"`
	// StartMs is the time since the request began.
	StartMs float64 `json:"startMs,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnSettlement is the bill of a request.
type OwnSettlement struct {
	// Charged are credits.
	Charged string `json:"charged"`
	// Complete is true when every hold and its end were found.
	Complete bool `json:"complete"`
	// Holds are those of its calls.
	Holds []OwnHold `json:"holds"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnHold is a hold of a request, and its end, in credits.
type OwnHold struct {
	// ID is that of the hold.
	ID string `json:"id"`
	// Model is the catalog id.
	Model string `json:"model,omitempty"`
	// PriceVersion is the catalog version whose prices apply.
	PriceVersion int64 `json:"priceVersion,omitempty"`
	// State is settled, voided, expired, open or unknown.
	State string `json:"state"`
	// Held was held.
	Held string `json:"held,omitempty"`
	// Charged was charged.
	Charged string `json:"charged,omitempty"`
	// Returned was given back.
	Returned string `json:"returned,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// OwnTask is a task of a split request.
type OwnTask struct {
	// TaskID is final for the answer.
	TaskID string `json:"taskId"`
	// DependsOn are the tasks whose results it reads.
	DependsOn []string `json:"dependsOn"`
	// Status is done, failed or skipped.
	Status string `json:"status"`
	// Model is the catalog id.
	Model string `json:"model,omitempty"`
	// Charged are credits.
	Charged string `json:"charged"`
	// Attempts are those of the task.
	Attempts []OwnAttempt `json:"attempts"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
