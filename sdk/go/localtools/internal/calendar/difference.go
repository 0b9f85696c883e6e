package calendar

import (
	"math/big"
	"strings"
	"time"
)

// Difference is the time between two moments in the tool's output.
type Difference struct {
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

// DescribeDifference returns the time from one moment to another of the same zone.
func DescribeDifference(from, until Moment, notes []string) (Difference, error) {
	duration, err := from.until(until)
	if err != nil {
		return Difference{}, err
	}
	days, err := from.daysUntil(until)
	if err != nil {
		return Difference{}, err
	}
	elapsed := float64(until.milliseconds()-from.milliseconds()) / 1_000
	return Difference{
		From: from.ISO(), Until: until.ISO(), Duration: duration.String(), Text: duration.words(),
		TotalDays: days, TotalHours: elapsed / 3_600, TotalSeconds: elapsed, Notes: notes,
	}, nil
}

// reach is the way from one moment to the day of another, and the clock's part of the rest.
type reach struct {
	sign int
	// date is the last day that the first moment's time of day reaches before the other moment.
	date time.Time
	rest time.Duration
}

// reachOf finds the day. Where the clocks change, the first tries may lead too far.
func reachOf(from, until Moment) (reach, error) {
	sign := 1
	if until.instant.Before(from.instant) {
		sign = -1
	}
	start, end := from.civil(), until.civil()
	if dateOf(start).Equal(dateOf(end)) {
		return reach{sign, dateOf(start), until.instant.Sub(from.instant)}, nil
	}
	clock := start.Sub(dateOf(start))
	correction := 0
	if isAgainst(end.Sub(dateOf(end))-clock, sign) {
		correction = 1
	}
	for ; ; correction++ {
		date := dateOf(end).AddDate(0, 0, -correction*sign)
		between, err := compatible(date.Add(clock), from.zone)
		if err != nil {
			return reach{}, err
		}
		if rest := until.instant.Sub(between.instant); !isAgainst(rest, sign) {
			return reach{sign, date, rest}, nil
		}
	}
}

func isAgainst(duration time.Duration, sign int) bool { return int64(duration)*int64(sign) < 0 }

func dateOf(civil time.Time) time.Time {
	year, month, day := civil.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
}

// until returns the duration in years, months, days and clock time.
func (m Moment) until(other Moment) (Duration, error) {
	way, err := reachOf(m, other)
	if err != nil {
		return Duration{}, err
	}
	duration := dateUntil(dateOf(m.civil()), way.date, way.sign)
	duration.seconds = int64(way.rest / time.Second)
	duration.nanoseconds = int64(way.rest % time.Second)
	return duration, nil
}

// dateUntil returns the whole years, months and days between two dates.
func dateUntil(from, until time.Time, sign int) Duration {
	months := (until.Year()-from.Year())*12 + int(until.Month()) - int(from.Month())
	if (until.Day()-from.Day())*sign < 0 {
		months -= sign
	}
	if months*sign < 0 {
		months = 0
	}
	reached := plusMonths(from, months)
	days := (until.Unix() - reached.Unix()) / secondsOfDay
	return Duration{years: int64(months / 12), months: int64(months % 12), days: days}
}

// daysUntil returns the days of the calendar; the last one counts in part.
func (m Moment) daysUntil(other Moment) (float64, error) {
	way, err := reachOf(m, other)
	if err != nil {
		return 0, err
	}
	start := m.civil()
	clock := start.Sub(dateOf(start))
	whole := (way.date.Unix() - dateOf(start).Unix()) / secondsOfDay
	begin, err := compatible(way.date.Add(clock), m.zone)
	if err != nil {
		return 0, err
	}
	end := begin
	// A day that the clocks skip has no length: the next one counts with it.
	for step := 1; end.instant.Equal(begin.instant); step++ {
		if end, err = compatible(way.date.AddDate(0, 0, step*way.sign).Add(clock), m.zone); err != nil {
			return 0, err
		}
	}
	length := end.instant.Sub(begin.instant).Abs()
	part := new(big.Rat).SetFrac64(int64(way.rest), int64(length))
	// One division, so that the nearest number results.
	days, _ := part.Add(part, new(big.Rat).SetInt64(whole)).Float64()
	return days, nil
}

// words returns a duration in words, to the millisecond.
func (d Duration) words() string {
	sign, size := d.signed()
	var parts []string
	add := func(count, unit string) {
		switch count {
		case "0":
		case "1":
			parts = append(parts, "1 "+unit)
		default:
			parts = append(parts, count+" "+unit+"s")
		}
	}
	add(decimal(size.years, 0), "year")
	add(decimal(size.months, 0), "month")
	add(decimal(size.days, 0), "day")
	add(decimal(size.seconds/3_600, 0), "hour")
	add(decimal(size.seconds/60%60, 0), "minute")
	const nanosOfMilli = 1_000_000
	add(decimal(size.seconds%60, size.nanoseconds/nanosOfMilli*nanosOfMilli), "second")
	if len(parts) == 0 {
		return "none"
	}
	text := strings.Join(parts, ", ")
	if sign == "-" {
		return text + " earlier"
	}
	return text
}
