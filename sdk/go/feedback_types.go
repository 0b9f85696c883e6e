package svc

// Vote is a vote on an answer: auto learns from votes which model answers a kind of request well.
type Vote struct {
	// RequestID is that of the answer, or the log_… id of its row in the request log.
	RequestID string `json:"request_id"`
	// Score is from 0 (bad) to 1 (good).
	Score float64 `json:"score"`
	// Comment is a reason for the operator, at most 1 000 characters.
	Comment string `json:"comment,omitempty"`
	// Source names what votes, at most 64 characters; each source has one vote on a request. Empty:
	// caller.
	Source string `json:"source,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VoteResponse is the answer to a vote.
type VoteResponse struct {
	// Success is always true: a failure is an error.
	Success bool `json:"success"`
	// Data is the vote as it is stored; the same for a repetition.
	Data StoredVote `json:"data"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of this call; empty when the answer has none.
	RequestID string `json:"-"`
}

// StoredVote is a vote as it is stored.
type StoredVote struct {
	// RequestID is that of the request.
	RequestID string `json:"request_id"`
	// LogID is that of its row in the request log, which is unique.
	LogID string `json:"log_id"`
	// Source names what voted.
	Source string `json:"source"`
	// Score is from 0 (bad) to 1 (good).
	Score float64 `json:"score"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
