package svc

import (
	"context"
	"encoding/json"

	"svc.example/sdk/go/internal/fields"
	"svc.example/sdk/go/internal/loop"
)

// surface has the parts of a surface that its four methods need. The methods themselves are written
// once.
type surface[C, T, K, E any] struct {
	// turns returns the source of the surface's turns: calls of the service.
	turns func(*transport, turnOptions) loop.Model[C, T, K, E]
	// begin returns the first request, checked and with its model.
	begin func(C) (C, error)
	// extra returns the further fields of a request.
	extra func(C) Extra
	// hasOwnTools is true when the request brings tools, even an empty list.
	hasOwnTools func(C) bool
	// withTools returns the request with these declarations.
	withTools func(C, declarations) C
	// conversation writes turns into the request.
	conversation loop.Conversation[C, T, K]
	// about returns the bill and the id of a turn.
	about func(*T) (*Billing, string)
	// combined returns the last of some turns, with the usage and the bill of all; never none.
	combined func([]*T) *T
}

// turnOptions are options of turns.
type turnOptions struct {
	isStream bool
	settings callSettings
	onTask   func(TaskProgress)
	// chunksOnly is set when nobody reads the other events.
	chunksOnly bool
}

// streaming returns the fields of a request as a map of its own, with the flag stream.
func streaming(extra Extra, isStream bool) Extra {
	own := make(Extra, len(extra)+1)
	for name, value := range extra {
		own[name] = value
	}
	own["stream"] = json.RawMessage("false")
	if isStream {
		own["stream"] = json.RawMessage("true")
	}
	return own
}

// checkModel returns the model of a request. It is an error to name one: the service chooses it.
func checkModel(model string, extra Extra) (string, error) {
	if raw, ok := extra["model"]; ok && model == "" {
		if json.Unmarshal(raw, &model) != nil {
			return "", configurationError("cannot send a model that is no text: leave it out, " +
				`the service takes "auto" only`)
		}
	}
	if model != "" && model != ModelAuto {
		return "", configurationError(
			"cannot send the model %q: leave it out, the service takes %q only", model, ModelAuto)
	}
	return ModelAuto, nil
}

// checkStream refuses a request whose field stream contradicts the method.
func checkStream(extra Extra, isStream bool) error {
	raw, ok := extra["stream"]
	if !ok || string(raw) == "null" {
		return nil
	}
	var asked bool
	if json.Unmarshal(raw, &asked) != nil {
		return configurationError("cannot use stream in the request: it is neither true nor false")
	}
	switch {
	case asked == isStream:
		return nil
	case isStream:
		return configurationError("cannot stream with stream: false in the request: call Create or Run")
	}
	return configurationError("cannot stream with this method: call Stream or RunStream")
}

// post returns the call of a turn.
func post(path string, request any, settings callSettings) (call, error) {
	body, err := fields.JSON(request)
	if err != nil {
		return call{}, &ConfigurationError{Message: "cannot send the request: it is not JSON", Err: err}
	}
	return call{method: "POST", path: path, body: body, settings: settings}, nil
}

// runner has what the four methods of a surface share.
type runner[C, T, K, E any] struct {
	*surface[C, T, K, E]
	transport *transport
	toolbox   *toolbox
}

// ready is a request with its tools declared.
type ready[C any] struct {
	request   C
	selection selection
	options   turnOptions
}

func (r runner[C, T, K, E]) ready(request C, own *registered, options turnOptions) (ready[C], error) {
	if err := checkStream(r.extra(request), options.isStream); err != nil {
		return ready[C]{}, err
	}
	begun, err := r.begin(request)
	if err != nil {
		return ready[C]{}, err
	}
	var selected selection
	if own == nil {
		selected = r.toolbox.forRequest(r.hasOwnTools(begun))
	} else if selected, err = r.toolbox.forRun(own, r.hasOwnTools(begun)); err != nil {
		return ready[C]{}, err
	}
	if selected.declared != nil {
		begun = r.withTools(begun, *selected.declared)
	}
	return ready[C]{begun, selected, options}, nil
}

// answer runs one request, or a loop where default tools are offered, and returns the last turn.
func (r runner[C, T, K, E]) answer(ctx context.Context, it ready[C], emit func(*E) error) (*T, error) {
	if len(it.selection.executable) > 0 {
		result, err := r.run(ctx, it, loop.Options[C, T, K, E]{OnChunk: emit})
		if err != nil {
			return nil, err
		}
		turns := make([]*T, 0, len(result.Steps))
		for _, step := range result.Steps {
			turns = append(turns, step.Turn)
		}
		if len(turns) == 0 {
			return nil, result.Err
		}
		return r.combined(turns), result.Err
	}
	it.options.chunksOnly = true
	var turn *T
	err := r.turns(r.transport, it.options)(ctx, it.request, 0, func(event loop.Event[T, K, E]) error {
		switch {
		case event.Kind == loop.Chunk && emit != nil:
			return emit(event.Chunk)
		case event.Kind == loop.Finish:
			turn = event.Turn
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return turn, nil
}

func (r runner[C, T, K, E]) create(ctx context.Context, request C, options []CallOption) (*T, error) {
	it, err := r.ready(request, nil, turnOptions{settings: callSettingsOf(options)})
	if err != nil {
		return nil, err
	}
	return r.answer(ctx, it, nil)
}

func (r runner[C, T, K, E]) stream(ctx context.Context, request C, options []CallOption) (*Stream[E, T], error) {
	it, err := r.ready(request, nil, turnOptions{isStream: true, settings: callSettingsOf(options)})
	if err != nil {
		return nil, err
	}
	return openStream(ctx, func(ctx context.Context, emit func(*E) error) (*T, error) {
		return r.answer(ctx, it, emit)
	})
}

// run drives the one loop. It returns an error for what was not sent.
func (r runner[C, T, K, E]) run(
	ctx context.Context, it ready[C], options loop.Options[C, T, K, E],
) (loop.Result[C, T, K], error) {
	options.Conversation = it.request
	options.Surface = r.conversation
	options.Model = r.turns(r.transport, it.options)
	options.Tools = it.selection.executable
	result, err := loop.Run(ctx, options)
	if err != nil {
		return result, &ConfigurationError{Message: err.Error(), Err: err}
	}
	if result.StoppedBy == loop.ByAborted && ctx.Err() != nil {
		result.Err = stopped(ctx)
	}
	return result, nil
}
