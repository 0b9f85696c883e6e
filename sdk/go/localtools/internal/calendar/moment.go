package calendar

import (
	"errors"
	"fmt"
	"math"
	"time"
)

// errRange reports a time or a duration outside the representable range.
var errRange = errors.New("out of range")

// maxMilliseconds from 1970 are the first and the last representable time.
const maxMilliseconds = 8_640_000_000_000_000

// Moment is a time in a zone.
type Moment struct {
	instant time.Time
	zone    Zone
}

// NewMoment returns a moment. It fails outside the representable range.
func NewMoment(instant time.Time, zone Zone) (Moment, error) {
	const maxSeconds = maxMilliseconds / 1_000
	unix := instant.Unix()
	if unix < -maxSeconds || unix > maxSeconds || unix == maxSeconds && instant.Nanosecond() > 0 {
		return Moment{}, errRange
	}
	return Moment{instant.In(zone.location), zone}, nil
}

// In returns the moment in another zone.
func (m Moment) In(zone Zone) Moment { return Moment{m.instant.In(zone.location), zone} }

// offset returns the distance of the zone's clocks from UTC in seconds.
func (m Moment) offset() int {
	_, offset := m.instant.Zone()
	return offset
}

// civil returns what the clocks of the zone show, as a time in UTC.
func (m Moment) civil() time.Time {
	return m.instant.UTC().Add(time.Duration(m.offset()) * time.Second)
}

// milliseconds returns those since 1970, rounded down.
func (m Moment) milliseconds() int64 { return m.instant.UnixMilli() }

// possible returns the times at which the clocks of a zone show a local time: none where they skip
// it, two where they show it twice.
func possible(civil time.Time, zone Zone) []time.Time {
	var found []time.Time
	for _, offset := range offsetsAround(civil, zone) {
		at := civil.Add(-time.Duration(offset) * time.Second)
		if _, actual := at.In(zone.location).Zone(); actual != offset {
			continue
		}
		if len(found) == 0 || !found[0].Equal(at) {
			found = append(found, at)
		}
	}
	if len(found) == 2 && found[1].Before(found[0]) {
		found[0], found[1] = found[1], found[0]
	}
	return found
}

// offsetsAround returns the offsets a day before and a day after a local time. No zone changes its
// clocks twice in that time.
func offsetsAround(civil time.Time, zone Zone) [2]int {
	const day = 24 * time.Hour
	_, before := civil.Add(-day).In(zone.location).Zone()
	_, after := civil.Add(day).In(zone.location).Zone()
	return [2]int{before, after}
}

// compatible returns the moment of a local time: of two the earlier, and where the clocks skip it,
// as much later as they skip.
func compatible(civil time.Time, zone Zone) (Moment, error) {
	found := possible(civil, zone)
	if len(found) > 0 {
		return NewMoment(found[0], zone)
	}
	skipped := offsetsAround(civil, zone)[0]
	return NewMoment(civil.Add(-time.Duration(skipped)*time.Second), zone)
}

// startOfDay returns the first moment of the day.
func (m Moment) startOfDay() (Moment, error) {
	year, month, day := m.civil().Date()
	midnight := time.Date(year, month, day, 0, 0, 0, 0, time.UTC)
	start, err := compatible(midnight, m.zone)
	if err != nil || len(possible(midnight, m.zone)) > 0 {
		return start, err
	}
	// The clocks skip midnight: the day begins with the change.
	change, _ := start.instant.ZoneBounds()
	return NewMoment(change, m.zone)
}

// isoYear formats a year as ISO 8601: before 0000 and after 9999 with a sign and six digits.
func isoYear(year int) string {
	if year >= 0 && year <= 9_999 {
		return fmt.Sprintf("%04d", year)
	}
	return fmt.Sprintf("%+07d", year)
}

// isoCivil formats a local time.
func isoCivil(civil time.Time) string {
	year, month, day := civil.Date()
	return fmt.Sprintf("%s-%02d-%02d%s", isoYear(year), month, day, civil.Format("T15:04:05.999999999"))
}

// ISO formats a moment as ISO 8601 with the whole offset, which had seconds before standard zones.
func (m Moment) ISO() string { return isoCivil(m.civil()) + offsetText(m.offset()) }

func offsetText(offset int) string {
	sign := '+'
	if offset < 0 {
		sign = '-'
		offset = -offset
	}
	text := fmt.Sprintf("%c%02d:%02d", sign, offset/3_600, offset/60%60)
	if rest := offset % 60; rest != 0 {
		text += fmt.Sprintf(":%02d", rest)
	}
	return text
}

// plus returns the moment after seconds and nanoseconds.
func (m Moment) plus(seconds, nanoseconds int64) (Moment, error) {
	if seconds > math.MaxInt64/2 || seconds < math.MinInt64/2 {
		return Moment{}, errRange
	}
	at := time.Unix(m.instant.Unix()+seconds, int64(m.instant.Nanosecond())+nanoseconds)
	return NewMoment(at, m.zone)
}

// Zone returns the zone of the moment.
func (m Moment) Zone() Zone { return m.zone }
