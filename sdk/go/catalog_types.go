package svc

// ModelList is the envelope of the public catalog.
type ModelList struct {
	// Success is always true: a failure is an error.
	Success bool `json:"success"`
	// Data holds the models.
	Data ModelListData `json:"data"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// ModelListData is the content of the envelope.
type ModelListData struct {
	// Models are all listed models; there are no pages.
	Models []CatalogModel `json:"models"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// CatalogModel is a model of the catalog. Its id is informational: requests always say auto.
type CatalogModel struct {
	// ID is the model's in answers and bills; it cannot be sent as a request's model.
	ID string `json:"id"`
	// Name is for display.
	Name string `json:"name"`
	// Provider is for instance openai.
	Provider string `json:"provider"`
	// Description is the recommended use, in the locale asked for.
	Description string `json:"description"`
	// Modality is the kind of output: text, image or embedding.
	Modality string `json:"modality"`
	// Endpoints are those whose requests may be routed to it.
	Endpoints []string `json:"endpoints"`
	// ContextTokens is the longest input and output together; nil for image models.
	ContextTokens *int64 `json:"contextTokens,omitempty"`
	// MaxOutputTokens is the longest output; nil where it is not known.
	MaxOutputTokens *int64 `json:"maxOutputTokens,omitempty"`
	// FeatureTags are capabilities besides plain text.
	FeatureTags []string `json:"featureTags"`
	// IndustryPacks are trades that the operator recommends it for.
	IndustryPacks []string `json:"industryPacks"`
	// SKU is the product that it is sold as.
	SKU string `json:"sku"`
	// Tiers are those that may use it.
	Tiers []string `json:"tiers"`
	// Status is available, degraded or disabled.
	Status string `json:"status"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ModelMeta has the values by which the catalog can be filtered.
type ModelMeta struct {
	// Tiers are the values of a model's tiers.
	Tiers []MetaEntry `json:"tiers"`
	// SKUs are the values of a model's sku.
	SKUs []MetaEntry `json:"skus"`
	// FeatureTags are the values of a model's featureTags.
	FeatureTags []MetaEntry `json:"featureTags"`
	// IndustryPacks are the values of a model's industryPacks.
	IndustryPacks []MetaEntry `json:"industryPacks"`
	// Providers are the values of a model's provider.
	Providers []MetaEntry `json:"providers"`
	// UpdatedAt is the ISO 8601 time of the last change of the catalog.
	UpdatedAt string `json:"updatedAt"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// MetaEntry is one value to filter by.
type MetaEntry struct {
	// ID is the value as model entries carry it.
	ID string `json:"id"`
	// Name is for display, in the locale asked for.
	Name string `json:"name"`
	// Description is a sentence in the locale asked for; it may be empty.
	Description string `json:"description"`
	// Count is the number of listed models that carry the value.
	Count int `json:"count"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// PricingList has the exchange rates of the tiers.
type PricingList struct {
	// Currency is the unit of wallets and bills: credits.
	Currency string `json:"currency"`
	// Tiers are all tiers of the catalog.
	Tiers []TierPricing `json:"tiers"`
	// UpdatedAt is the ISO 8601 time of the last change of the catalog.
	UpdatedAt string `json:"updatedAt"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string `json:"-"`
}

// TierPricing is the price of a tier.
type TierPricing struct {
	// Tier is its id.
	Tier string `json:"tier"`
	// Name is for display, in the locale asked for.
	Name string `json:"name"`
	// Description is in the locale asked for.
	Description string `json:"description"`
	// ExchangeRate is the rate at which list prices become credits.
	ExchangeRate ExchangeRate `json:"exchangeRate"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}

// ExchangeRate is the rate between dollars of provider list price and credits.
type ExchangeRate struct {
	// USD is a decimal string.
	USD string `json:"usd"`
	// Credits are charged for them, a decimal string.
	Credits string `json:"credits"`
	// Extra holds further fields.
	Extra Extra `json:"-"`
}
