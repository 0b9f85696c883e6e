package svc

import (
	"context"
	"net/url"
	"strconv"

	"svc.example/sdk/go/internal/fields"
)

// UsageQuery selects usage. Times are ISO 8601, or how long ago: 24h, 7d.
type UsageQuery struct {
	// By is day, model, user, or tag: with the name of a tag. Empty: day.
	By string `json:"by,omitempty"`
	// Tag is one of the calls, as name=value.
	Tag string `json:"tag,omitempty"`
	// User is that of the calls: their user, else their safety_identifier.
	User string `json:"user,omitempty"`
	// Since is at most 93 days ago. Empty: 30 days ago.
	Since string `json:"since,omitempty"`
	// Until is the end. Empty: now.
	Until string `json:"until,omitempty"`
	// Limit is the maximum number of rows, up to 500. 0: 50.
	Limit int `json:"limit,omitempty"`
	// Cursor is that of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// RequestsQuery selects requests; all conditions that are given must hold. Times are ISO 8601, or
// how long ago: 24h, 7d.
type RequestsQuery struct {
	// RequestID is their X-Request-ID.
	RequestID string `json:"requestId,omitempty"`
	// Model is the catalog id of one that answered or was tried.
	Model string `json:"model,omitempty"`
	// Endpoint is its short name, as chat.
	Endpoint string `json:"endpoint,omitempty"`
	// Tag is one of the calls, as name=value.
	Tag string `json:"tag,omitempty"`
	// User is the user or the safety_identifier of the calls.
	User string `json:"user,omitempty"`
	// Outcome is the ending, as ok or error.
	Outcome string `json:"outcome,omitempty"`
	// Status is a status (429) or a class (4xx).
	Status string `json:"status,omitempty"`
	// Since is the start. Empty: the whole log.
	Since string `json:"since,omitempty"`
	// Until is the end. Empty: now.
	Until string `json:"until,omitempty"`
	// Order is newest or oldest. Empty: newest.
	Order string `json:"order,omitempty"`
	// Limit is the maximum number of rows, up to 500. 0: 50.
	Limit int `json:"limit,omitempty"`
	// Cursor is that of the page before.
	Cursor string `json:"cursor,omitempty"`
}

// GetKey returns the key's policy, and what remains of its limits, budgets and wallet.
func (c *Client) GetKey(ctx context.Context, options ...CallOption) (*OwnKey, error) {
	key := &OwnKey{}
	id, err := c.parts().own(ctx, "/key", options, key)
	if err != nil {
		return nil, err
	}
	key.RequestID = id
	return key, nil
}

// CreateSignInLink makes a link that signs a person in to the key's own pages, which only read. It
// works once, for ten minutes. Give it only to those who may see the key's records.
func (c *Client) CreateSignInLink(ctx context.Context, options ...CallOption) (*SignInLink, error) {
	link := &SignInLink{}
	id, err := c.parts().ask(ctx, question{method: "POST", path: "/key/sign-in-link"}, options, link)
	if err != nil {
		return nil, err
	}
	link.RequestID = id
	return link, nil
}

// GetUsage returns tokens and credits of the key, by day, model, user, or the value of a tag.
func (c *Client) GetUsage(ctx context.Context, query UsageQuery, options ...CallOption) (*OwnUsage, error) {
	usage := &OwnUsage{}
	id, err := c.parts().own(ctx, "/usage"+searchOf(map[string]string{
		"by": query.By, "tag": query.Tag, "user": query.User, "since": query.Since, "until": query.Until,
		"limit": limitText(query.Limit), "cursor": query.Cursor,
	}), options, usage)
	if err != nil {
		return nil, err
	}
	usage.RequestID = id
	return usage, nil
}

// ListRequests returns a page of the log of the key's own requests, without text.
func (c *Client) ListRequests(ctx context.Context, query RequestsQuery, options ...CallOption) (*OwnRequestList, error) {
	list := &OwnRequestList{}
	id, err := c.parts().own(ctx, "/requests"+searchOf(map[string]string{
		"request_id": query.RequestID, "model": query.Model, "endpoint": query.Endpoint,
		"tag": query.Tag, "user": query.User, "outcome": query.Outcome, "status": query.Status, "since": query.Since, "until": query.Until,
		"order": query.Order, "limit": limitText(query.Limit), "cursor": query.Cursor,
	}), options, list)
	if err != nil {
		return nil, err
	}
	list.RequestID = id
	return list, nil
}

// GetRequest returns one request of the key with its route, bill and tasks. Its RequestID is that of
// the request. Where several requests have the id, the body of the APIError has log_ids.
func (c *Client) GetRequest(ctx context.Context, id string, options ...CallOption) (*OwnRequest, error) {
	part, err := idPart(id, "a request")
	if err != nil {
		return nil, err
	}
	request := &OwnRequest{}
	if _, err := c.parts().own(ctx, "/requests/"+part, options, request); err != nil {
		return nil, err
	}
	return request, nil
}

func (k *OwnKey) isSound() bool { return k.ID != "" && k.Spend.Total != "" }

func (l *SignInLink) isSound() bool { return l.URL != "" && l.Code != "" }

func (u *OwnUsage) isSound() bool { return u.Usage != nil }

func (l *OwnRequestList) isSound() bool { return l.Requests != nil }

func (r *OwnRequest) isSound() bool { return r.Timeline != nil && r.Settlement.Holds != nil }

// own reads records of the key, and returns the id of the call.
func (c *core) own(ctx context.Context, path string, options []CallOption, into listed) (string, error) {
	return c.ask(ctx, question{method: "GET", path: path}, options, into)
}

// question is a method and a path below /api/v1.
type question struct{ method, path string }

// ask asks about the key, and returns the id of the call.
func (c *core) ask(ctx context.Context, asked question, options []CallOption, into listed) (string, error) {
	settings := callSettingsOf(options)
	settings.auto, settings.tags = nil, nil
	got, data, err := c.transport.json(ctx, call{
		method: asked.method, isCatalog: true, path: "/api/v1" + asked.path, settings: settings})
	if err != nil {
		return "", err
	}
	if fields.Decode(data, into) != nil || !into.isSound() {
		return "", got.failure(data, "the service answered with something else than the key's records")
	}
	return got.requestID(data), nil
}

// searchOf returns the query of an address in the order of the names; empty without fields.
func searchOf(given map[string]string) string {
	values := url.Values{}
	for name, value := range given {
		if value != "" {
			values.Set(name, value)
		}
	}
	if len(values) == 0 {
		return ""
	}
	return "?" + values.Encode()
}

func limitText(limit int) string {
	if limit == 0 {
		return ""
	}
	return strconv.Itoa(limit)
}
