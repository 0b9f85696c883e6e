package calendar

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"svc.example/sdk/go/localtools/internal/value"
)

// Duration is a duration, such as one month and two days. All parts have the same sign.
type Duration struct {
	years, months, weeks, days int64
	// seconds and nanoseconds are the part that clocks measure.
	seconds, nanoseconds int64
}

// Negated returns the duration in the other direction.
func (d Duration) Negated() Duration {
	return Duration{-d.years, -d.months, -d.weeks, -d.days, -d.seconds, -d.nanoseconds}
}

var isoDuration = regexp.MustCompile(`^([+-])?P(?:([0-9]+)Y)?(?:([0-9]+)M)?(?:([0-9]+)W)?(?:([0-9]+)D)?` +
	`(T(?:([0-9]+)(?:[.,]([0-9]{1,9}))?H)?(?:([0-9]+)(?:[.,]([0-9]{1,9}))?M)?` +
	`(?:([0-9]+)(?:[.,]([0-9]{1,9}))?S)?)?$`)

// ReadDuration reads a duration, as ISO 8601 (P1Y2M3DT4H) or in words (1 year 2 months).
func ReadDuration(text string) (Duration, error) {
	trimmed := strings.TrimSpace(text)
	iso := strings.ToUpper(trimmed)
	isRead := strings.HasPrefix(strings.TrimLeft(iso, "+-"), "P")
	if !isRead {
		iso, isRead = isoOfWords(strings.ToLower(trimmed))
	}
	if isRead {
		if duration, isValid := readISODuration(iso); isValid {
			return duration, nil
		}
	}
	return Duration{}, refused("invalid_datetime", `Cannot read the duration "`+value.Cut(trimmed, 64)+
		`": expected ISO 8601 such as "P1Y2M10DT2H30M" or words such as "3 weeks 2 days"; only hours, `+
		"minutes and seconds have fractions")
}

const (
	maxCalendarUnits = 1 << 32
	maxClockSeconds  = 1 << 53
	secondsOfDay     = 86_400
	nanosOfSecond    = 1_000_000_000
)

func readISODuration(text string) (Duration, bool) {
	parts := isoDuration.FindStringSubmatch(text)
	if parts == nil || parts[6] == "T" || strings.Join(parts[2:6], "")+parts[6] == "" {
		return Duration{}, false
	}
	var calendar [4]int64
	for index := range calendar {
		number, isValid := wholeNumber(parts[2+index], maxCalendarUnits)
		if !isValid {
			return Duration{}, false
		}
		calendar[index] = number
	}
	read := Duration{years: calendar[0], months: calendar[1], weeks: calendar[2]}
	// Days count with the clock's part, so they may be more.
	days, isValid := wholeNumber(parts[5], maxClockSeconds/secondsOfDay+1)
	if !isValid || !read.addClock(parts[7:]) {
		return Duration{}, false
	}
	read.days = days
	if read.seconds+days*secondsOfDay >= maxClockSeconds {
		return Duration{}, false
	}
	if parts[1] == "-" {
		return read.Negated(), true
	}
	return read, true
}

func wholeNumber(digits string, below int64) (int64, bool) {
	if digits == "" {
		return 0, true
	}
	number, err := strconv.ParseInt(digits, 10, 64)
	return number, err == nil && number < below
}

// addClock adds hours, minutes and seconds, each followed by its fraction, of which only the last
// may have one.
func (d *Duration) addClock(parts []string) bool {
	isFraction := false
	for index, unit := range []int64{3_600, 60, 1} {
		digits, fraction := parts[2*index], parts[2*index+1]
		if digits == "" {
			continue
		}
		number, isValid := wholeNumber(digits, maxClockSeconds/unit+1)
		if !isValid || isFraction {
			return false
		}
		d.seconds += number * unit
		if fraction != "" {
			isFraction = true
			billionths, _ := strconv.ParseInt((fraction + "00000000")[:9], 10, 64)
			total := billionths * unit
			d.seconds += total / nanosOfSecond
			d.nanoseconds += total % nanosOfSecond
		}
	}
	return d.seconds < maxClockSeconds
}

var (
	amount = regexp.MustCompile(`^([+-]?[0-9]+(?:\.[0-9]+)?) *([a-z]+)(?:,| |and)*`)
	units  = []struct {
		names *regexp.Regexp
		unit  string
	}{
		{regexp.MustCompile(`^y(?:ears?)?$`), "Y"},
		{regexp.MustCompile(`^(?:mo|months?)$`), "M"},
		{regexp.MustCompile(`^w(?:eeks?)?$`), "W"},
		{regexp.MustCompile(`^d(?:ays?)?$`), "D"},
		{regexp.MustCompile(`^h(?:(?:ou)?rs?)?$`), "TH"},
		{regexp.MustCompile(`^(?:m|min|mins|minutes?)$`), "TM"},
		{regexp.MustCompile(`^s(?:ec|ecs|econds?)?$`), "TS"},
	}
)

func unitOf(word string) string {
	for _, known := range units {
		if known.names.MatchString(word) {
			return known.unit
		}
	}
	return ""
}

// isoOfWords returns words as ISO 8601; false for another text.
func isoOfWords(words string) (string, bool) {
	amounts := map[string]string{}
	isNegative := strings.HasPrefix(words, "-")
	for words != "" {
		parts := amount.FindStringSubmatch(words)
		if parts == nil {
			return "", false
		}
		unit := unitOf(parts[2])
		_, isTwice := amounts[unit]
		if unit == "" || isTwice || strings.HasPrefix(parts[1], "-") != isNegative {
			return "", false
		}
		amounts[unit] = strings.TrimLeft(parts[1], "+-")
		words = words[len(parts[0]):]
	}
	if len(amounts) == 0 {
		return "", false
	}
	iso, clock := "P", ""
	for _, known := range units {
		text, isGiven := amounts[known.unit]
		if short, isClock := strings.CutPrefix(known.unit, "T"); isGiven && isClock {
			clock += text + short
		} else if isGiven {
			iso += text + known.unit
		}
	}
	if clock != "" {
		iso += "T" + clock
	}
	if isNegative {
		iso = "-" + iso
	}
	return iso, true
}

// String formats a duration as ISO 8601.
func (d Duration) String() string {
	sign, size := d.signed()
	var text strings.Builder
	text.WriteString(sign + "P")
	write := func(number int64, unit string) {
		if number != 0 {
			fmt.Fprintf(&text, "%d%s", number, unit)
		}
	}
	write(size.years, "Y")
	write(size.months, "M")
	write(size.weeks, "W")
	write(size.days, "D")
	isClock := size.seconds != 0 || size.nanoseconds != 0
	if !isClock && text.Len() > len(sign)+1 {
		return text.String()
	}
	text.WriteString("T")
	write(size.seconds/3_600, "H")
	write(size.seconds/60%60, "M")
	if rest := size.seconds % 60; rest != 0 || size.nanoseconds != 0 || !isClock {
		text.WriteString(decimal(rest, size.nanoseconds) + "S")
	}
	return text.String()
}

func decimal(units, billionths int64) string {
	text := strconv.FormatInt(units, 10)
	if billionths == 0 {
		return text
	}
	return text + "." + strings.TrimRight(fmt.Sprintf("%09d", billionths), "0")
}

// signed returns the sign and the duration without it.
func (d Duration) signed() (string, Duration) {
	if d.years < 0 || d.months < 0 || d.weeks < 0 || d.days < 0 || d.seconds < 0 || d.nanoseconds < 0 {
		return "-", d.Negated()
	}
	return "", d
}

// Plus returns the moment after a duration: years to days by the calendar, the rest by the clock.
func (m Moment) Plus(d Duration) (Moment, error) {
	if d.years|d.months|d.weeks|d.days == 0 {
		return m.plus(d.seconds, d.nanoseconds)
	}
	const furthest = 600_000 // Years from one end of the range to the other, and some more.
	for _, part := range []struct{ number, perYear int64 }{
		{d.years, 1}, {d.months, 12}, {d.weeks, 52}, {d.days, 365},
	} {
		if years := part.number / part.perYear; max(years, -years) > furthest {
			return Moment{}, errRange
		}
	}
	civil := plusMonths(m.civil(), int(d.years)*12+int(d.months))
	civil = civil.AddDate(0, 0, int(d.weeks)*7+int(d.days))
	reached, err := compatible(civil, m.zone)
	if err != nil {
		return Moment{}, err
	}
	return reached.plus(d.seconds, d.nanoseconds)
}

// plusMonths adds months; a day that the month does not have becomes its last.
func plusMonths(civil time.Time, months int) time.Time {
	year, month, day := civil.Date()
	first := time.Date(year, month+time.Month(months), 1, 0, 0, 0, 0, time.UTC)
	last := first.AddDate(0, 1, -1).Day()
	clock := civil.Sub(time.Date(year, month, day, 0, 0, 0, 0, time.UTC))
	return first.AddDate(0, 0, min(day, last)-1).Add(clock)
}
