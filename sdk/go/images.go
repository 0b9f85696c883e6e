package svc

import (
	"context"
	"encoding/json"
	"slices"

	"svc.example/sdk/go/internal/fields"
)

// GenerateImage draws images. They come in one reply.
func (c *Client) GenerateImage(ctx context.Context, request ImageRequest, options ...CallOption) (*ImageResponse, error) {
	model, err := checkModel(request.Model, request.Extra)
	if err != nil {
		return nil, err
	}
	request.Model = model
	return c.parts().images(ctx, "/images/generations", request, request.Extra, options)
}

// EditImage changes one image, or several. They come in one reply.
func (c *Client) EditImage(ctx context.Context, request ImageEditRequest, options ...CallOption) (*ImageResponse, error) {
	model, err := checkModel(request.Model, request.Extra)
	if err != nil {
		return nil, err
	}
	request.Model = model
	return c.parts().images(ctx, "/images/edits", request, request.Extra, options)
}

func (c *core) images(ctx context.Context, path string, request any, extra Extra, options []CallOption) (*ImageResponse, error) {
	var isStream bool
	if json.Unmarshal(extra["stream"], &isStream) == nil && isStream {
		return nil, configurationError("cannot stream images: leave stream out, they come in one reply")
	}
	sent, err := post(path, request, callSettingsOf(options))
	if err != nil {
		return nil, err
	}
	got, data, err := c.transport.json(ctx, sent)
	if err != nil {
		return nil, err
	}
	images := &ImageResponse{}
	isNone := func(image GeneratedImage) bool { return image.URL == "" && image.B64JSON == "" }
	if fields.Decode(data, images) != nil || images.Data == nil || slices.ContainsFunc(images.Data, isNone) {
		return nil, got.failure(data, "the service answered with something else than images")
	}
	images.RequestID = got.requestID(data)
	return images, nil
}
