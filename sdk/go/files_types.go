package svc

import "svc.example/sdk/go/internal/fields"

// FileObject is a file of the key's wallet.
type FileObject struct {
	// ID is the id of the file.
	ID string `json:"id"`
	// Object is "file".
	Object string `json:"object"`
	// Bytes is its size.
	Bytes int64 `json:"bytes"`
	// CreatedAt is a Unix time in seconds.
	CreatedAt int64 `json:"created_at"`
	// ExpiresAt is a Unix time in seconds after which it is gone; 0: it does not expire.
	ExpiresAt int64 `json:"expires_at,omitempty"`
	// Filename is the last part of the name that it was uploaded with.
	Filename string `json:"filename"`
	// Purpose is assistants or user_data.
	Purpose string `json:"purpose"`
	// Status is "processed": a file can be used once it has an id.
	Status string `json:"status"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none, and in a list.
	RequestID string `json:"-"`
}

// FileListQuery selects files.
type FileListQuery struct {
	// Purpose is assistants or user_data. Empty: any.
	Purpose string `json:"purpose,omitempty"`
	// Limit is the maximum number of files of a page, up to 10 000. 0: 10 000.
	Limit int `json:"limit,omitempty"`
	// Order is by age: asc begins with the oldest. Empty: desc.
	Order string `json:"order,omitempty"`
	// After is the id of the file before the first one.
	After string `json:"after,omitempty"`
	// Before is the id of the file after the last one.
	Before string `json:"before,omitempty"`
}

// ListQuery selects a page of a list.
type ListQuery struct {
	// Limit is the maximum number of items of a page, up to 100. 0: 20.
	Limit int `json:"limit,omitempty"`
	// Order is by age: asc begins with the oldest. Empty: desc.
	Order string `json:"order,omitempty"`
	// After is the id of the item before the first one.
	After string `json:"after,omitempty"`
	// Before is the id of the item after the last one.
	Before string `json:"before,omitempty"`
}

// ListPage is a page of a list.
type ListPage[Item any] struct {
	// Object is "list".
	Object string `json:"object"`
	// Data are the items of the page.
	Data []Item `json:"data"`
	// FirstID is the id of the first item; empty without one.
	FirstID string `json:"first_id,omitempty"`
	// LastID is the id of the last item, for After of the next page; empty without one.
	LastID string `json:"last_id,omitempty"`
	// HasMore is true when items follow.
	HasMore bool `json:"has_more"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none.
	RequestID string `json:"-"`
}

// Deletion is the answer of the methods that delete a file or a vector store.
type Deletion struct {
	// ID is the id of what was deleted.
	ID string `json:"id"`
	// Object tells its kind, as "file" or "vector_store.deleted".
	Object string `json:"object"`
	// Deleted is true.
	Deleted bool `json:"deleted"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id of the call; empty when the answer has none.
	RequestID string `json:"-"`
}

// MarshalJSON writes the members and the fields of Extra.
func (v FileObject) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *FileObject) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ListPage[Item]) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ListPage[Item]) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Deletion) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Deletion) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }
