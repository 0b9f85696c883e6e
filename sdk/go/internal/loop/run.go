package loop

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"svc.example/sdk/go/tool"
)

type run[C, T, K, E any] struct {
	Options[C, T, K, E]
	tools        map[string]tool.Tool
	conversation C
	steps        []Step[T, K]
	usage        Usage
	// draft is the present step, until it is complete.
	draft *Step[T, K]
	// text and reasoning are those of the present turn: joined once, as a turn has many pieces.
	text, reasoning strings.Builder
}

// Run runs a model with tools until it is done or something stops it: turn, tool calls, results,
// next turn. A failure of the model, of a tool or of a hook is no panic and no lost work: the result
// has the reason and everything that was complete. It returns an error for an invalid limit and for
// two tools of one name.
func Run[C, T, K, E any](ctx context.Context, options Options[C, T, K, E]) (Result[C, T, K], error) {
	limits, err := options.settings()
	if err != nil {
		return Result[C, T, K]{}, err
	}
	options.Limits = limits
	tools := map[string]tool.Tool{}
	for _, one := range options.Tools {
		if _, ok := tools[one.Name]; ok {
			return Result[C, T, K]{}, fmt.Errorf("cannot run with two tools named %q", one.Name)
		}
		tools[one.Name] = one
	}
	r := &run[C, T, K, E]{Options: options, tools: tools, conversation: options.Conversation}
	// Cancels tools that still run when the loop ends early.
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(errors.New("the run is over"))
	return r.run(inner, ctx), nil
}

func (r *run[C, T, K, E]) run(ctx, caller context.Context) Result[C, T, K] {
	for {
		end, err := r.next(ctx)
		if err != nil {
			end = Result[C, T, K]{StoppedBy: ByError, Err: err}
			if caller.Err() != nil {
				end.StoppedBy = ByAborted
			}
		}
		if end.StoppedBy != "" {
			return r.result(end)
		}
	}
}

// next runs one step. It returns a result with the reason where the loop is to end.
func (r *run[C, T, K, E]) next(ctx context.Context) (end Result[C, T, K], err error) {
	if err := ctx.Err(); err != nil {
		return end, err
	}
	refusal, err := r.prepare(ctx)
	if err != nil {
		return end, err
	}
	if refusal != "" {
		return Result[C, T, K]{StoppedBy: ByBudget, Refusal: refusal}, nil
	}
	pending, err := r.step(ctx)
	if err != nil {
		return end, err
	}
	stoppedBy, err := r.decide(ctx, pending)
	return Result[C, T, K]{StoppedBy: stoppedBy, PendingCalls: pending}, err
}

// prepare runs the caller's PrepareStep, then asks the budget.
func (r *run[C, T, K, E]) prepare(ctx context.Context) (string, error) {
	step := len(r.steps)
	if r.PrepareStep != nil {
		preparation := Preparation[C, T, K]{Conversation: r.conversation, Step: step, Steps: slices.Clone(r.steps)}
		prepared, err := r.PrepareStep(ctx, preparation)
		if err != nil {
			return "", err
		}
		r.conversation = prepared
	}
	if r.Budget == nil {
		return "", nil
	}
	return r.Budget(ctx, BudgetRequest[C]{Conversation: r.conversation, Step: step, Usage: r.usage})
}

// step runs one turn and its tools. It returns the calls that are the caller's.
func (r *run[C, T, K, E]) step(ctx context.Context) ([]Call[K], error) {
	r.draft = &Step[T, K]{Index: len(r.steps)}
	if err := r.modelPhase(ctx); err != nil {
		return nil, err
	}
	pending := r.toolPhase(ctx)
	// Written only now and all at once: a step that fails leaves the conversation unchanged.
	conversation := r.Surface.WithAssistantTurn(r.conversation, r.draft.Turn)
	if len(r.draft.Results) > 0 {
		conversation = r.Surface.WithToolResults(conversation, slices.Clone(r.draft.Results))
	}
	if len(r.draft.Calls) > 0 {
		conversation = r.Surface.WithAutoToolChoice(conversation)
	}
	r.conversation = conversation
	step := *r.draft
	r.draft = nil
	r.steps = append(r.steps, step)
	if step.Usage != nil {
		r.usage = r.usage.Add(*step.Usage)
	}
	if r.OnStep != nil {
		r.OnStep(step)
	}
	return pending, nil
}

// decide returns the first reason to end after the last step, or nothing to continue.
func (r *run[C, T, K, E]) decide(ctx context.Context, pending []Call[K]) (StoppedBy, error) {
	// A complete answer counts as complete even when the context ended with its last event.
	if len(r.steps[len(r.steps)-1].Calls) == 0 {
		return ByFinish, nil
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	switch {
	case len(pending) > 0:
		return ByToolCalls, nil
	case r.StopWhen != nil && r.StopWhen(slices.Clone(r.steps)):
		return ByStopWhen, nil
	case len(r.steps) >= r.MaxSteps:
		return ByMaxSteps, nil
	}
	return "", nil
}

func (r *run[C, T, K, E]) result(end Result[C, T, K]) Result[C, T, K] {
	end.Conversation, end.Steps, end.Usage, end.Unfinished = r.conversation, r.steps, r.usage, r.draft
	if len(r.steps) > 0 {
		last := r.steps[len(r.steps)-1]
		end.FinishReason = last.FinishReason
		if end.StoppedBy == ByFinish {
			end.FinalText = last.Text
		}
	}
	if r.draft != nil && r.draft.Usage != nil {
		end.Usage = end.Usage.Add(*r.draft.Usage)
	}
	return end
}
