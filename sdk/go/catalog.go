package svc

import (
	"context"
	"net/url"

	"svc.example/sdk/go/internal/fields"
)

// ListModelsOptions are the options of a list of models.
type ListModelsOptions struct {
	// Locale is the language of descriptions: en or zh. Empty: en.
	Locale string
}

// ListModels lists the public catalog; it works without a key.
func (c *Client) ListModels(ctx context.Context, options ...CallOption) (*ModelList, error) {
	list := &ModelList{}
	if err := c.parts().catalog(ctx, "/models", true, options, list, &list.RequestID); err != nil {
		return nil, err
	}
	return list, nil
}

// ListModelsWithOptions lists the public catalog; it works without a key.
func (c *Client) ListModelsWithOptions(ctx context.Context, list ListModelsOptions, options ...CallOption) (*ModelList, error) {
	if list.Locale != "" {
		options = append(options[:len(options):len(options)], CallLocale(list.Locale))
	}
	return c.ListModels(ctx, options...)
}

// GetModelMeta returns the tiers, tags and providers by which the catalog can be filtered.
func (c *Client) GetModelMeta(ctx context.Context, options ...CallOption) (*ModelMeta, error) {
	meta := &ModelMeta{}
	if err := c.parts().catalog(ctx, "/models/meta", false, options, meta, &meta.RequestID); err != nil {
		return nil, err
	}
	return meta, nil
}

// GetPricing returns the price of a dollar of list price in each tier.
func (c *Client) GetPricing(ctx context.Context, options ...CallOption) (*PricingList, error) {
	pricing := &PricingList{}
	if err := c.parts().catalog(ctx, "/pricing", false, options, pricing, &pricing.RequestID); err != nil {
		return nil, err
	}
	return pricing, nil
}

// listed is a part of the catalog that can tell whether its lists are lists.
type listed interface{ isSound() bool }

func (l *ModelList) isSound() bool { return l.Data.Models != nil }

func (m *ModelMeta) isSound() bool {
	return m.Tiers != nil && m.SKUs != nil && m.FeatureTags != nil && m.IndustryPacks != nil && m.Providers != nil
}

func (p *PricingList) isSound() bool { return p.Tiers != nil }

func (c *core) catalog(ctx context.Context, path string, isPublic bool, options []CallOption, into listed, id *string) error {
	settings := callSettingsOf(options)
	settings.auto, settings.tags = nil, nil
	path = "/api/v1" + path
	if settings.locale != "" {
		path += "?locale=" + url.QueryEscape(settings.locale)
	}
	got, data, err := c.transport.json(ctx, call{
		method: "GET", isCatalog: true, path: path, isPublic: isPublic, settings: settings})
	if err != nil {
		return err
	}
	if fields.Decode(data, into) != nil || !into.isSound() {
		return got.failure(data, "the service answered with something else than the catalog")
	}
	*id = got.requestID(data)
	return nil
}
