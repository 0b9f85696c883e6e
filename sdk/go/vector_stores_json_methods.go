package svc

import "svc.example/sdk/go/internal/fields"

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreUpdate) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreUpdate) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreExpiry) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStore) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStore) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v FileCounts) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *FileCounts) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreSearch) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreSearch) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v AttributeFilter) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *AttributeFilter) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v RankingOptions) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *RankingOptions) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreSearchPage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreSearchPage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreSearchResult) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreSearchResult) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreText) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreText) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFile) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFile) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileError) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileError) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileUpdate) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileUpdate) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileContentPage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileContentPage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileBatchRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileBatchRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VectorStoreFileBatch) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VectorStoreFileBatch) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }
