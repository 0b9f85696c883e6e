package svc

import (
	"encoding/json"

	"svc.example/sdk/go/internal/fields"
)

// VectorStoreRequest makes a vector store.
type VectorStoreRequest struct {
	// Name is the name of the store, at most 256 characters.
	Name string `json:"name,omitempty"`
	// FileIDs are the ids of files to add, at most 100.
	FileIDs []string `json:"file_ids,omitempty"`
	// Metadata are up to 16 pairs of text.
	Metadata map[string]string `json:"metadata,omitempty"`
	// ExpiresAfter is the expiry; nil: none.
	ExpiresAfter *VectorStoreExpiry `json:"expires_after,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreUpdate changes a vector store. What is not given stays as it is. A null in Extra takes
// the expiry or the pairs away: Extra{"expires_after": json.RawMessage("null")}.
type VectorStoreUpdate struct {
	// Name is the new name.
	Name string `json:"name,omitempty"`
	// Metadata are the new pairs in place of all present ones.
	Metadata map[string]string `json:"metadata,omitempty"`
	// ExpiresAfter is the new expiry.
	ExpiresAfter *VectorStoreExpiry `json:"expires_after,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreExpiry is the expiry of a vector store, counted from its last search or its last new
// file.
type VectorStoreExpiry struct {
	// Anchor is "last_active_at", which is sent where it is empty.
	Anchor string `json:"anchor"`
	// Days is 1 to 365.
	Days int `json:"days"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStore is a vector store of the key's wallet, which file_search searches.
type VectorStore struct {
	// ID is the id of the store, vs_….
	ID string `json:"id"`
	// Object is "vector_store".
	Object string `json:"object"`
	// CreatedAt is a Unix time in seconds.
	CreatedAt int64 `json:"created_at"`
	// Name is the name of the store; empty without one.
	Name string `json:"name"`
	// UsageBytes are the UTF-8 bytes of its text.
	UsageBytes int64 `json:"usage_bytes"`
	// FileCounts are the numbers of its files.
	FileCounts FileCounts `json:"file_counts"`
	// Status is "completed".
	Status string `json:"status"`
	// ExpiresAfter is its expiry; nil without one.
	ExpiresAfter *VectorStoreExpiry `json:"expires_after,omitempty"`
	// ExpiresAt is a Unix time in seconds after which it is gone; 0 without an expiry.
	ExpiresAt int64 `json:"expires_at,omitempty"`
	// LastActiveAt is the Unix time in seconds of its last search or its last new file.
	LastActiveAt int64 `json:"last_active_at"`
	// Metadata are pairs of text.
	Metadata map[string]string `json:"metadata"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none, and in a list.
	RequestID string `json:"-"`
}

// FileCounts are numbers of files by their status.
type FileCounts struct {
	// InProgress is 0: a file is added before its answer comes.
	InProgress int `json:"in_progress"`
	// Completed files were read.
	Completed int `json:"completed"`
	// Failed files could not be read.
	Failed int `json:"failed"`
	// Cancelled is 0.
	Cancelled int `json:"cancelled"`
	// Total is the number of all files.
	Total int `json:"total"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreSearch asks for the passages of a vector store that match a query.
type VectorStoreSearch struct {
	// Query is one text, or several that are searched together.
	Query SearchQuery `json:"query"`
	// Filters select files by their attributes; nil: all files.
	Filters *AttributeFilter `json:"filters,omitempty"`
	// MaxNumResults is 1 to 50; 0: 10.
	MaxNumResults int `json:"max_num_results,omitempty"`
	// RankingOptions have the least score; nil: any.
	RankingOptions *RankingOptions `json:"ranking_options,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// SearchQuery is one text, sent as a string, or several, sent as an array.
type SearchQuery []string

// AttributeFilter selects files by their attributes.
type AttributeFilter struct {
	// Type is eq, ne, gt, gte, lt, lte, in or nin, which compare the attribute Key with Value, or and
	// or or, which join Filters.
	Type string `json:"type"`
	// Key is the name of an attribute.
	Key string `json:"key,omitempty"`
	// Value is a text, a number or a bool; of in and nin a list of them.
	Value any `json:"value,omitempty"`
	// Filters are those that are joined.
	Filters []AttributeFilter `json:"filters,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// RankingOptions choose among the results of a search.
type RankingOptions struct {
	// ScoreThreshold is the least score of a result, 0 to 1.
	ScoreThreshold float64 `json:"score_threshold,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreSearchPage is the answer to a search.
type VectorStoreSearchPage struct {
	// Object is "vector_store.search_results.page".
	Object string `json:"object"`
	// SearchQuery are the queries.
	SearchQuery []string `json:"search_query"`
	// Data are the passages, best first.
	Data []VectorStoreSearchResult `json:"data"`
	// HasMore is false: there is one page.
	HasMore bool `json:"has_more"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none.
	RequestID string `json:"-"`
}

// VectorStoreSearchResult is a passage that matches a query.
type VectorStoreSearchResult struct {
	// FileID is the id of its file.
	FileID string `json:"file_id"`
	// Filename is the name of its file.
	Filename string `json:"filename"`
	// Score is 0 to 1.
	Score float64 `json:"score"`
	// Attributes are those of its file: texts, numbers as float64, and bools.
	Attributes map[string]any `json:"attributes"`
	// Content is the text of the passage.
	Content []VectorStoreText `json:"content"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreText is a text of a passage, or of a file.
type VectorStoreText struct {
	// Type is "text".
	Type string `json:"type"`
	// Text is the text.
	Text string `json:"text"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreFileRequest adds a file to a vector store.
type VectorStoreFileRequest struct {
	// FileID is the id of the file.
	FileID string `json:"file_id"`
	// Attributes are up to 16 texts, numbers and bools to filter by.
	Attributes map[string]any `json:"attributes,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreFileUpdate changes a file of a vector store.
type VectorStoreFileUpdate struct {
	// Attributes are the new texts, numbers and bools in place of all present ones; nil: none.
	Attributes map[string]any `json:"attributes"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreFileContentQuery selects a part of the text of a file.
type VectorStoreFileContentQuery struct {
	// Page is the NextPage of the answer before. Empty: the text begins.
	Page string `json:"page,omitempty"`
}

// VectorStoreFileContentPage is a part of the text of a file.
type VectorStoreFileContentPage struct {
	// Object is "vector_store.file_content.page".
	Object string `json:"object"`
	// Data is one part of the text, at most 1 Mi characters; none for a file that could not be read.
	Data []VectorStoreText `json:"data"`
	// HasMore is true if the text goes on.
	HasMore bool `json:"has_more"`
	// NextPage has more of it; empty at its end.
	NextPage string `json:"next_page,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none.
	RequestID string `json:"-"`
}

// VectorStoreFileListQuery selects files of a vector store, or of a batch.
type VectorStoreFileListQuery struct {
	// Filter is the status of the files: completed or failed. Empty: any.
	Filter string `json:"filter,omitempty"`
	// Limit is the maximum number of files of a page, up to 100. 0: 20.
	Limit int `json:"limit,omitempty"`
	// Order is by age: asc begins with the oldest. Empty: desc.
	Order string `json:"order,omitempty"`
	// After is the id of the file before the first one.
	After string `json:"after,omitempty"`
	// Before is the id of the file after the last one.
	Before string `json:"before,omitempty"`
}

// VectorStoreFile is a file of a vector store.
type VectorStoreFile struct {
	// ID is the id of the file.
	ID string `json:"id"`
	// Object is "vector_store.file".
	Object string `json:"object"`
	// UsageBytes are the UTF-8 bytes of its text.
	UsageBytes int64 `json:"usage_bytes"`
	// CreatedAt is the Unix time in seconds at which it was added.
	CreatedAt int64 `json:"created_at"`
	// VectorStoreID is the id of the store.
	VectorStoreID string `json:"vector_store_id"`
	// Status is completed, or failed for a file that cannot be read.
	Status string `json:"status"`
	// LastError is the reason why it cannot be read; nil for one that was.
	LastError *VectorStoreFileError `json:"last_error,omitempty"`
	// Attributes are texts, numbers as float64, and bools.
	Attributes map[string]any `json:"attributes"`
	// Extra holds further fields, as chunking_strategy.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none, and in a list.
	RequestID string `json:"-"`
}

// VectorStoreFileError is the reason why a file cannot be read.
type VectorStoreFileError struct {
	// Code is unsupported_file, invalid_file, or server_error where there was no room.
	Code string `json:"code"`
	// Message is a sentence for a person.
	Message string `json:"message"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreFileBatchRequest adds files to a vector store: either FileIDs or Files, 1 to 100 of them.
type VectorStoreFileBatchRequest struct {
	// FileIDs are the ids of the files.
	FileIDs []string `json:"file_ids,omitempty"`
	// Files are the files, each with attributes of its own.
	Files []VectorStoreFileRequest `json:"files,omitempty"`
	// Attributes are up to 16 texts, numbers and bools to filter by, of each file of FileIDs.
	Attributes map[string]any `json:"attributes,omitempty"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// VectorStoreFileBatch are files that were added to a vector store together.
type VectorStoreFileBatch struct {
	// ID is the id of the batch, vsfb_….
	ID string `json:"id"`
	// Object is "vector_store.files_batch".
	Object string `json:"object"`
	// CreatedAt is the Unix time in seconds at which its first file was added.
	CreatedAt int64 `json:"created_at"`
	// VectorStoreID is the id of the store.
	VectorStoreID string `json:"vector_store_id"`
	// Status is "completed", also where files could not be read.
	Status string `json:"status"`
	// FileCounts are the numbers of its files that are in the store.
	FileCounts FileCounts `json:"file_counts"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none.
	RequestID string `json:"-"`
}

// MarshalJSON writes a string for one text, and an array for several.
func (q SearchQuery) MarshalJSON() ([]byte, error) {
	if len(q) == 1 {
		return fields.JSON(q[0])
	}
	return fields.JSON([]string(q))
}

// UnmarshalJSON reads a string or an array.
func (q *SearchQuery) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*q = SearchQuery{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(q))
}

// MarshalJSON writes the members, with the one anchor that there is, and the fields of Extra.
func (v VectorStoreExpiry) MarshalJSON() ([]byte, error) {
	if v.Anchor == "" {
		v.Anchor = "last_active_at"
	}
	return fields.Encode(v)
}
