package calendar

import (
	"fmt"
	"regexp"
	"strings"

	"svc.example/sdk/go/localtools/internal/value"
)

// Description is a moment in the tool's output.
type Description struct {
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

// Describe describes a moment in all the forms that a model may need. It fails for a locale that is
// no tag of a language; an empty one asks for no text.
func Describe(m Moment, locale string, notes []string) (Description, error) {
	civil := m.civil()
	weekYear, week := civil.ISOWeek()
	described := Description{
		Datetime: m.ISO(), Zone: m.zone.id, Weekday: weekday(civil),
		Week:        fmt.Sprintf("%s-W%02d", isoYear(weekYear), week),
		DayOfYear:   civil.YearDay(),
		UTC:         isoCivil(m.instant.UTC()) + "Z",
		UnixSeconds: float64(m.milliseconds()) / 1_000,
		RFC2822:     m.mail(),
		Notes:       notes,
	}
	if locale != "" {
		text, err := m.inLocale(locale)
		if err != nil {
			return Description{}, err
		}
		described.Text = text
	}
	return described, nil
}

func (m Moment) mail() string {
	civil := m.civil()
	const lastYear = 9_999
	if civil.Year() < 0 || civil.Year() > lastYear || m.offset()%60 != 0 {
		return ""
	}
	return fmt.Sprintf("%s, %02d %s %04d %s %s", weekday(civil)[:3], civil.Day(),
		months[civil.Month()-1], civil.Year(), civil.Format("15:04:05"),
		strings.Replace(offsetText(m.offset()), ":", "", 1))
}

var languageTag = regexp.MustCompile(`^(?:[A-Za-z]{2,3}|[A-Za-z]{5,8})(?:-[0-9A-Za-z]{1,8})*$`)

func (m Moment) inLocale(tag string) (string, error) {
	if !languageTag.MatchString(tag) {
		return "", refused("unknown_locale", fmt.Sprintf(
			`There is no locale "%s": expected a tag such as "de-AT"`, value.Cut(tag, 64)))
	}
	language := languageOf(tag)
	date, clock := language.FmtDateFull(m.instant), language.FmtTimeLong(m.instant)
	if language.Locale() == "en" {
		return date + " at " + clock, nil
	}
	return date + " " + clock, nil
}
