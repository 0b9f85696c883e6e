package svc

import (
	"errors"
	"testing"
)

// A client that no NewClient made, as a member of a struct that was never set.
func TestZeroValues_OfAClient(t *testing.T) {
	for name, c := range map[string]*Client{"zero": {}, "nil": nil} {
		failures := map[string]error{}
		for _, m := range methods() {
			_, failures[m.name] = m.call(c)
		}
		_, failures["ListModels"] = c.ListModels(background)
		_, failures["ListModelsWithOptions"] = c.ListModelsWithOptions(background, ListModelsOptions{})
		_, failures["GetModelMeta"] = c.GetModelMeta(background)
		_, failures["GetPricing"] = c.GetPricing(background)
		_, failures["GenerateImage"] = c.GenerateImage(background, ImageRequest{Prompt: "A"})
		_, failures["EditImage"] = c.EditImage(background, ImageEditRequest{Prompt: "A"})
		_, failures["CreateEmbeddings"] = c.CreateEmbeddings(background, EmbeddingRequest{Input: EmbeddingInput{Texts: []string{"A"}}})
		_, failures["Feedback"] = c.Feedback(background, Vote{RequestID: "req_1"})
		_, failures["GetKey"] = c.GetKey(background)
		_, failures["CreateSignInLink"] = c.CreateSignInLink(background)
		_, failures["GetUsage"] = c.GetUsage(background, UsageQuery{})
		_, failures["ListRequests"] = c.ListRequests(background, RequestsQuery{})
		_, failures["GetRequest"] = c.GetRequest(background, "log_1")
		for method, err := range failures {
			var configuration *ConfigurationError
			if !errors.As(err, &configuration) {
				t.Errorf("%s of a %s client: %v", method, name, err)
			}
		}
	}
}
