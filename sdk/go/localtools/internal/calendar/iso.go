package calendar

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

var isoTime = regexp.MustCompile(`^([+-][0-9]{6}|[0-9]{4})(?:-([0-9]{2})-([0-9]{2})|([0-9]{2})([0-9]{2}))` +
	`(?:[Tt ]([0-9]{2})(?::([0-9]{2})(?::([0-9]{2})(?:[.,]([0-9]{1,9}))?)?` +
	`|([0-9]{2})(?:([0-9]{2})(?:[.,]([0-9]{1,9}))?)?)?` +
	`([Zz]|[+-][0-9]{2}(?::?[0-9]{2}){0,2})?)?((?:\[[^\]]*\])*)$`)

// isoText is a time as it is written in ISO 8601, RFC 3339 or RFC 9557.
type isoText struct {
	// civil is the local time, as a time in UTC.
	civil time.Time
	// offset is Z, +hh:mm or the like; empty when there is none.
	offset string
	// annotations are the names and keys in brackets.
	annotations []string
}

func readISO(text string) (isoText, bool) {
	parts := isoTime.FindStringSubmatch(text)
	if parts == nil || parts[1] == "-000000" {
		return isoText{}, false
	}
	number := func(indexes ...int) int {
		for _, index := range indexes {
			if parts[index] != "" {
				read, _ := strconv.Atoi(parts[index])
				return read
			}
		}
		return 0
	}
	year, month, day := number(1), number(2, 4), number(3, 5)
	hour, minute, second := number(6), number(7, 10), number(8, 11)
	const leapSecond = 60
	if second == leapSecond {
		second--
	}
	if hour > 23 || minute > 59 || second > 59 {
		return isoText{}, false
	}
	billionths, _ := strconv.Atoi((parts[9] + parts[12] + "000000000")[:9])
	civil := time.Date(year, time.Month(month), day, hour, minute, second, billionths, time.UTC)
	if civil.Day() != day || int(civil.Month()) != month {
		return isoText{}, false
	}
	read := isoText{civil: civil, offset: parts[13]}
	for annotation := range strings.SplitSeq(strings.TrimSuffix(parts[14], "]"), "]") {
		if annotation != "" {
			read.annotations = append(read.annotations, strings.TrimPrefix(annotation, "["))
		}
	}
	return read, true
}

var isoOffset = regexp.MustCompile(`^([+-])([0-9]{2})(?::?([0-9]{2}))?(?::?([0-9]{2}))?$`)

// offsetSeconds returns an offset in seconds, and true for one that states them.
func offsetSeconds(text string) (offset int, isExact, isValid bool) {
	if strings.EqualFold(text, "z") {
		return 0, true, true
	}
	parts := isoOffset.FindStringSubmatch(text)
	if parts == nil || parts[2] > "23" || parts[3] > "59" || parts[4] > "59" {
		return 0, false, false
	}
	return seconds(parts[1], parts[2], parts[3], parts[4]), parts[4] != "", true
}
