package svc

import (
	"encoding/json"

	"svc.example/sdk/go/internal/fields"
)

// MarshalJSON writes the members and the fields of Extra.
func (v ImageRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ImageRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ImageEditRequest) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ImageEditRequest) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ImageResponse) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ImageResponse) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v GeneratedImage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *GeneratedImage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ImageUsage) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ImageUsage) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ModelList) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ModelList) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ModelListData) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ModelListData) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v CatalogModel) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *CatalogModel) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ModelMeta) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ModelMeta) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v MetaEntry) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *MetaEntry) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v PricingList) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *PricingList) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v TierPricing) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *TierPricing) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v ExchangeRate) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ExchangeRate) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v Vote) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *Vote) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v VoteResponse) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *VoteResponse) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes the members and the fields of Extra.
func (v StoredVote) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *StoredVote) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// MarshalJSON writes a string for one image, else an array.
func (i ImageInput) MarshalJSON() ([]byte, error) {
	if len(i) == 1 {
		return fields.JSON(i[0])
	}
	return fields.JSON([]string(i))
}

// UnmarshalJSON reads a string or an array.
func (i *ImageInput) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*i = ImageInput{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(i))
}
