package calendar

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"svc.example/sdk/go/localtools/internal/value"
)

// Context for reading a date or time.
type Context struct {
	// Now is the present time.
	Now time.Time
	// Zone is the zone of local times, to which other times are converted; nil: they keep their own.
	Zone *Zone
	// Default is the zone of times without one, when Zone is nil.
	Default Zone
}

func (c Context) place() Zone {
	if c.Zone != nil {
		return *c.Zone
	}
	return c.Default
}

const forms = `expected ISO 8601 such as "2026-03-29T14:30", "2026-03-29" or ` +
	`"2026-03-29T14:30:00+02:00", RFC 2822 such as "Sun, 29 Mar 2026 14:30:00 +0200", ` +
	`"@1774787400" (Unix seconds), "now" or "today"`

var (
	rfc2822 = regexp.MustCompile(`(?i)^(?:([a-z]{3}), *)?([0-9]{1,2}) +([a-z]{3}) +([0-9]{4}) +` +
		`([0-9]{2}:[0-9]{2}(?::[0-9]{2})?) +(\S+)$`)
	unixTime = regexp.MustCompile(`^@(-?[0-9]{1,13}(?:\.[0-9]{1,9})?)$`)
	utcName  = regexp.MustCompile(`(?i)^(?:GMT|UTC?)$`)
	zoneLike = regexp.MustCompile(`^[+-][0-9]{2}(?::?[0-9]{2})?$`)
	zoneName = regexp.MustCompile(`\[!?([^\]=]*)\]`)
)

// Read reads a date and time. The note states the decision about an ambiguous text; it is empty for
// others.
func (c Context) Read(text string) (moment Moment, note string, err error) {
	trimmed := strings.TrimSpace(text)
	failure := `Cannot read the time "` + value.Cut(trimmed, 64) + `": ` + forms
	switch {
	case strings.EqualFold(trimmed, "now"), strings.EqualFold(trimmed, "today"):
		moment, err = NewMoment(c.Now, c.place())
		if err == nil && strings.EqualFold(trimmed, "today") {
			moment, err = moment.startOfDay()
		}
	case strings.HasPrefix(trimmed, "@"):
		moment, err = c.readUnix(trimmed)
	default:
		iso, weekdayErr := isoOfMail(trimmed)
		if weekdayErr != nil {
			return Moment{}, "", weekdayErr
		}
		return c.readISO(iso, failure)
	}
	return moment, "", understood(err, failure)
}

// understood returns the failure in words for a time that cannot be represented.
func understood(err error, failure string) error {
	if err == nil {
		return nil
	}
	return refused("invalid_datetime", failure)
}

func (c Context) readUnix(text string) (Moment, error) {
	parts := unixTime.FindStringSubmatch(text)
	if parts == nil {
		return Moment{}, errRange
	}
	number, err := strconv.ParseFloat(parts[1], 64)
	if err != nil {
		return Moment{}, err
	}
	milliseconds := math.Floor(number*1_000 + 0.5)
	if math.Abs(milliseconds) > maxMilliseconds {
		return Moment{}, errRange
	}
	return NewMoment(time.UnixMilli(int64(milliseconds)), c.place())
}

func (c Context) readISO(iso, failure string) (Moment, string, error) {
	read, isRead := readISO(iso)
	if strings.Contains(iso, "[") {
		moment, err := c.readZoned(iso, read, isRead, failure)
		return moment, "", err
	}
	if !isRead {
		return Moment{}, "", refused("invalid_datetime", failure)
	}
	if read.offset == "" {
		return c.readLocal(read.civil, failure)
	}
	offset, _, isValid := offsetSeconds(read.offset)
	if !isValid {
		return Moment{}, "", refused("invalid_datetime", failure)
	}
	zone := UTC
	if zoneLike.MatchString(read.offset) {
		zone = offsetZone(offset)
	}
	if c.Zone != nil {
		zone = *c.Zone
	}
	moment, err := NewMoment(read.civil.Add(-time.Duration(offset)*time.Second), zone)
	return moment, "", understood(err, failure)
}

func (c Context) readZoned(iso string, read isoText, isRead bool, failure string) (Moment, error) {
	name := ""
	if parts := zoneName.FindStringSubmatch(iso); parts != nil {
		name = parts[1]
	}
	zone, err := ReadZone(name)
	if err != nil {
		return Moment{}, err
	}
	failure += "; an offset must be the one that the zone has at that time"
	if !isRead || !areHarmless(read.annotations) {
		return Moment{}, refused("invalid_datetime", failure)
	}
	moment, err := momentIn(zone, read)
	if err != nil {
		return Moment{}, refused("invalid_datetime", failure)
	}
	if c.Zone != nil {
		moment = moment.In(*c.Zone)
	}
	return moment, nil
}

// areHarmless is true when only the first annotation names a zone, and none is critical that is not
// about the calendar.
func areHarmless(annotations []string) bool {
	for index, annotation := range annotations {
		key, _, isKeyed := strings.Cut(strings.TrimPrefix(annotation, "!"), "=")
		isCritical := strings.HasPrefix(annotation, "!")
		if isKeyed == (index == 0) || isKeyed && isCritical && key != "u-ca" {
			return false
		}
	}
	return true
}

// momentIn returns the moment of a local time in a zone. An offset must be one of the zone's at that
// time; without seconds, it may be rounded to minutes.
func momentIn(zone Zone, read isoText) (Moment, error) {
	if read.offset == "" {
		return compatible(read.civil, zone)
	}
	offset, isExact, isValid := offsetSeconds(read.offset)
	if !isValid {
		return Moment{}, errRange
	}
	if strings.EqualFold(read.offset, "z") {
		return NewMoment(read.civil, zone)
	}
	for _, candidate := range possible(read.civil, zone) {
		_, actual := candidate.In(zone.location).Zone()
		isRounded := !isExact && int(math.Round(float64(actual)/60))*60 == offset
		if actual == offset || isRounded {
			return NewMoment(candidate, zone)
		}
	}
	return Moment{}, errRange
}

// readLocal reads a local time, which the zone's clocks may skip or show twice.
func (c Context) readLocal(civil time.Time, failure string) (Moment, string, error) {
	zone := c.place()
	moment, err := compatible(civil, zone)
	if err != nil {
		return Moment{}, "", refused("invalid_datetime", failure)
	}
	found := possible(civil, zone)
	switch len(found) {
	case 1:
		return moment, "", nil
	case 0:
		return moment, fmt.Sprintf("%s does not exist in %s, where the clocks skip it: %s is taken",
			isoCivil(civil), zone.id, isoCivil(moment.civil())), nil
	default:
		later := Moment{found[1].In(zone.location), zone}
		return moment, fmt.Sprintf("%s happens twice in %s: the first is taken, the second has the offset %s",
			isoCivil(civil), zone.id, offsetText(later.offset())), nil
	}
}

var (
	weekdays = strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday")
	months   = strings.Fields("Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec")
)

func weekday(date time.Time) string { return weekdays[(int(date.Weekday())+6)%7] }

// isoOfMail returns the ISO 8601 form of an RFC 2822 date; another text unchanged. It fails for a
// weekday that is not the one of the date.
func isoOfMail(text string) (string, error) {
	parts := rfc2822.FindStringSubmatch(text)
	if parts == nil {
		return text, nil
	}
	month := slices.IndexFunc(months, func(name string) bool { return strings.EqualFold(name, parts[3]) })
	if month < 0 {
		return text, nil
	}
	date := fmt.Sprintf("%s-%02d-%02s", parts[4], month+1, parts[2])
	if parts[1] != "" {
		day, err := time.Parse(time.DateOnly, date)
		if err != nil {
			return "", refused("invalid_datetime",
				fmt.Sprintf("There is no %s %s %s", parts[2], parts[3], parts[4]))
		}
		if actual := weekday(day); !strings.EqualFold(actual[:3], parts[1]) {
			return "", refused("invalid_datetime",
				fmt.Sprintf(`%s is a %s, not "%s"`, date, actual, parts[1]))
		}
	}
	zone := parts[6]
	if utcName.MatchString(zone) {
		zone = "Z"
	}
	return date + "T" + parts[5] + zone, nil
}
