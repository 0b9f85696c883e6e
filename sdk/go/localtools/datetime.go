package localtools

import (
	"context"
	"time"

	"svc.example/sdk/go/localtools/internal/calendar"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// DatetimeResult is the result of datetime for the model; that of a difference is a
// [DatetimeDifference].
type DatetimeResult struct {
	// Datetime is ISO 8601 with the offset.
	Datetime string `json:"datetime"`
	// Zone is the IANA name of the zone.
	Zone string `json:"zone"`
	// Weekday is the English name of the day of the week.
	Weekday string `json:"weekday"`
	// Week is the ISO 8601 week, as in 2026-W13.
	Week string `json:"week"`
	// DayOfYear is 1 for January 1.
	DayOfYear int `json:"day_of_year"`
	// UTC is the same moment in UTC.
	UTC string `json:"utc"`
	// UnixSeconds are the seconds since 1970.
	UnixSeconds float64 `json:"unix_seconds"`
	// RFC2822 is the date as in mail headers; empty when they cannot express it: a far year, or an
	// offset with seconds.
	RFC2822 string `json:"rfc2822,omitempty"`
	// Text is the moment in the requested language.
	Text string `json:"text,omitempty"`
	// Notes to pass on.
	Notes []string `json:"notes,omitempty"`
}

// DatetimeDifference is the time between two moments.
type DatetimeDifference struct {
	// From and Until are ISO 8601 with the offset.
	From  string `json:"from"`
	Until string `json:"until"`
	// Duration is ISO 8601, in calendar units; negative where Until is before From.
	Duration string `json:"duration"`
	// Text is the duration in words.
	Text string `json:"text"`
	// TotalDays are days of the calendar, some of which have 23 or 25 hours.
	TotalDays float64 `json:"total_days"`
	// TotalHours and TotalSeconds are elapsed.
	TotalHours   float64 `json:"total_hours"`
	TotalSeconds float64 `json:"total_seconds"`
	// Notes to pass on.
	Notes []string `json:"notes,omitempty"`
}

// Datetime returns the tool datetime: the present time, conversion between zones, arithmetic with
// calendar and daylight-saving rules, and formats. Of the options it uses Now and Zone. Its result is
// a [DatetimeResult] or a [DatetimeDifference].
//
// The text in a language is the one of the Unicode CLDR, for some forty languages, else English; the name of
// the zone in it is the abbreviation of the IANA database.
func Datetime(options Options) tool.Tool {
	clock := clock{now: options.Now, zone: options.Zone}
	if clock.now == nil {
		clock.now = time.Now
	}
	if clock.zone == "" {
		clock.zone = "UTC"
	}
	return declared("datetime", func(_ context.Context, input *value.Object) (any, error) {
		return clock.answer(input)
	})
}

type clock struct {
	now  func() time.Time
	zone string
}

func (c clock) answer(input *value.Object) (any, error) {
	context, err := c.context(input)
	if err != nil {
		return nil, err
	}
	var toZone *calendar.Zone
	if name := input.Text("to_zone"); name != "" {
		zone, err := calendar.ReadZone(name)
		if err != nil {
			return nil, err
		}
		toZone = &zone
	}
	operation, text := input.Text("operation"), input.Text("datetime")
	if operation == "now" || text == "" {
		text = "now"
	}
	moment, note, err := context.Read(text)
	if err != nil {
		return nil, err
	}
	var notes []string
	if note != "" {
		notes = append(notes, note)
	}
	switch operation {
	case "difference":
		return difference(context, moment, toZone, notes, input)
	case "add", "subtract":
		if moment, err = moved(moment, operation, input); err != nil {
			return nil, err
		}
	}
	if toZone != nil {
		moment = moment.In(*toZone)
	}
	description, err := calendar.Describe(moment, input.Text("locale"), notes)
	if err != nil {
		return nil, err
	}
	return DatetimeResult(description), nil
}

func (c clock) context(input *value.Object) (calendar.Context, error) {
	context := calendar.Context{Now: c.now().Truncate(time.Millisecond)}
	if name := input.Text("zone"); name != "" {
		zone, err := calendar.ReadZone(name)
		if err != nil {
			return calendar.Context{}, err
		}
		context.Zone = &zone
	}
	var err error
	context.Default, err = calendar.ReadZone(c.zone)
	return context, err
}

func moved(moment calendar.Moment, operation string, input *value.Object) (calendar.Moment, error) {
	if !input.Has("duration") {
		return calendar.Moment{}, invalid(`The operation "` + operation + `" needs "duration"`)
	}
	duration, err := calendar.ReadDuration(input.Text("duration"))
	if err != nil {
		return calendar.Moment{}, err
	}
	if operation == "subtract" {
		duration = duration.Negated()
	}
	moment, err = moment.Plus(duration)
	if err != nil {
		return calendar.Moment{}, refused("invalid_datetime",
			"The result is outside the range of representable years")
	}
	return moment, nil
}

func difference(context calendar.Context, from calendar.Moment, toZone *calendar.Zone, notes []string, input *value.Object) (any, error) {
	if !input.Has("until") {
		return nil, invalid(`The operation "difference" needs "until"`)
	}
	until, note, err := context.Read(input.Text("until"))
	if err != nil {
		return nil, err
	}
	if note != "" {
		notes = append(notes, note)
	}
	place := from.Zone()
	if toZone != nil {
		place = *toZone
	}
	difference, err := calendar.DescribeDifference(from.In(place), until.In(place), notes)
	if err != nil {
		return nil, refused("invalid_datetime",
			"The result is outside the range of representable years")
	}
	return DatetimeDifference(difference), nil
}
