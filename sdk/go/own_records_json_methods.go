package svc

import "svc.example/sdk/go/internal/fields"

// MarshalJSON writes the members and the fields of Extra.
func (v RemainingLimit) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *RemainingLimit) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnKey) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnKey) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v SignInLink) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *SignInLink) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v PinnedEmbeddings) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *PinnedEmbeddings) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v NamedBudget) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *NamedBudget) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v KeySpend) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *KeySpend) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v RemainingBudget) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *RemainingBudget) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v KeyLimits) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *KeyLimits) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v WalletBalance) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *WalletBalance) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnUsageRow) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnUsageRow) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnRequestList) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnRequestList) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnRequestSummary) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnRequestSummary) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnAttempt) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnAttempt) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnSettlement) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnSettlement) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnHold) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnHold) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v OwnTask) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *OwnTask) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }
