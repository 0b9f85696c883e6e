package svc

import (
	"context"

	"svc.example/sdk/go/internal/fields"
)

// Feedback votes on an answer: auto learns from votes which model answers a kind of request well. A
// vote is taken for 7 days, and cannot be changed; sending it again answers the same.
func (c *Client) Feedback(ctx context.Context, vote Vote, options ...CallOption) (*VoteResponse, error) {
	if vote.RequestID == "" {
		return nil, configurationError("cannot vote: RequestID is missing")
	}
	sent, err := post("/api/v1/feedback", vote, callSettingsOf(options))
	if err != nil {
		return nil, err
	}
	sent.isCatalog = true
	got, data, err := c.parts().transport.json(ctx, sent)
	if err != nil {
		return nil, err
	}
	response := &VoteResponse{}
	if fields.Decode(data, response) != nil || response.Data.LogID == "" {
		return nil, got.failure(data, "the service answered with something else than the vote")
	}
	response.RequestID = got.requestID(data)
	return response, nil
}
