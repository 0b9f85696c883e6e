package svc

import (
	"cmp"
	"slices"
	"strings"

	"svc.example/sdk/go/internal/loop"
)

// eventMerger merges the events of one streamed response into its resource.
type eventMerger struct {
	items []doneItem
	last  *Response
}

type doneItem struct {
	place int
	item  ResponseItem
}

// add adds the next event of the reply.
func (m *eventMerger) add(event *ResponseEvent) {
	switch event.Type {
	case "response.output_item.done":
		if event.Item != nil {
			m.addItem(event)
		}
	case "response.completed", "response.incomplete", "response.failed":
		m.last = event.Response
	}
}

// resource returns the resource; nil before the stream's last event. When an upstream omits the
// output there, it is the merged items.
func (m *eventMerger) resource() *Response {
	if m.last == nil || len(m.items) == 0 || len(m.last.Output) > 0 {
		return m.last
	}
	slices.SortStableFunc(m.items, func(a, b doneItem) int { return cmp.Compare(a.place, b.place) })
	whole := *m.last
	whole.Extra = without(whole.Extra, "output")
	whole.Output = nil
	for _, one := range m.items {
		whole.Output = append(whole.Output, one.item)
	}
	return &whole
}

func (m *eventMerger) addItem(event *ResponseEvent) {
	place := len(m.items)
	if event.OutputIndex != nil {
		place = *event.OutputIndex
	}
	done := doneItem{place, *event.Item}
	known := slices.IndexFunc(m.items, func(other doneItem) bool {
		isSame := done.item.ID == "" || other.item.ID == "" || other.item.ID == done.item.ID
		return other.place == place && isSame
	})
	if known < 0 {
		m.items = append(m.items, done)
		return
	}
	m.items[known] = done
}

// eventDeltas converts the events of one response to the loop's events.
type eventDeltas struct{ text, reasoning strings.Builder }

// of passes on the loop's events of an event of the reply.
func (d *eventDeltas) of(event *ResponseEvent, yield func(responseTurn) error) error {
	switch event.Type {
	case "response.output_text.delta":
		return tell(loop.TextDelta, event.Delta, &d.text, yield)
	case "response.reasoning_text.delta", "response.reasoning_summary_text.delta":
		return tell(loop.ReasoningDelta, event.Delta, &d.reasoning, yield)
	case "response.output_item.added":
		if event.Item != nil && event.Item.isCall() {
			return yield(responseTurn{Kind: loop.ToolCallDelta})
		}
	case "response.function_call_arguments.delta":
		return yield(responseTurn{Kind: loop.ToolCallDelta})
	}
	return nil
}

// rest passes on the part of the whole response that no event has carried: all of it for an answer
// in one piece.
func (d *eventDeltas) rest(turn *Response, yield func(responseTurn) error) error {
	reasoning := untold(d.reasoning.String(), reasoningOf(turn.Output))
	if err := tell(loop.ReasoningDelta, reasoning, &d.reasoning, yield); err != nil {
		return err
	}
	return tell(loop.TextDelta, untold(d.text.String(), turn.OutputText()), &d.text, yield)
}

func tell(kind loop.Kind, text string, told *strings.Builder, yield func(responseTurn) error) error {
	if text == "" {
		return nil
	}
	told.WriteString(text)
	return yield(responseTurn{Kind: kind, Text: text})
}

// reasoningOf returns the reasoning: upstreams send a summary or the content, and may omit the other.
func reasoningOf(output []ResponseItem) string {
	var text strings.Builder
	for _, item := range output {
		if item.Type != "reasoning" {
			continue
		}
		for _, part := range slices.Concat(item.Summary, item.Content.Parts) {
			text.WriteString(part.Text)
		}
	}
	return text.String()
}

func untold(sent, whole string) string {
	rest, ok := strings.CutPrefix(whole, sent)
	if !ok {
		return ""
	}
	return rest
}
