// Package calendar reads, computes with and describes dates and times, by the calendar and the
// clocks of a zone.
//
// The standard library does not tell whether a zone's clocks skip or repeat a local time, has no
// difference in calendar units and no list of zones: these are here. The rules are those of
// ECMAScript's Temporal, which the TypeScript tools use.
package calendar

import (
	_ "embed"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // Zones where the system has none.

	"svc.example/sdk/go/localtools/internal/nearest"
	"svc.example/sdk/go/localtools/internal/value"
	"svc.example/sdk/go/tool"
)

// zonesText are the names of the IANA database, as the Go distribution has them.
//
//go:embed zones.txt
var zonesText string

// zoneNames has the names by their lower case.
var zoneNames = sync.OnceValue(func() map[string]string {
	names := map[string]string{}
	for name := range strings.FieldsSeq(zonesText) {
		names[strings.ToLower(name)] = name
	}
	return names
})

// Zone is a time zone with its IANA name, or an offset such as +02:00.
type Zone struct {
	id       string
	location *time.Location
}

// UTC is the zone of that name.
var UTC = Zone{"UTC", time.UTC}

const longestZone = 64

// ReadZone returns a zone by its name, without regard to case. It fails when there is none; the
// message names the nearest.
func ReadZone(name string) (Zone, error) {
	name = strings.TrimSpace(name)
	if zone, isKnown := knownZone(name); isKnown {
		return zone, nil
	}
	shown := value.Cut(name, longestZone)
	return Zone{}, refused("unknown_zone", fmt.Sprintf(`There is no time zone "%s"%s`, shown, hint(shown)))
}

var zoneOffset = regexp.MustCompile(`^([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?$`)

func knownZone(name string) (Zone, bool) {
	if parts := zoneOffset.FindStringSubmatch(name); parts != nil {
		return offsetZone(seconds(parts[1], parts[2], parts[3], "")), true
	}
	id, isKnown := zoneNames()[strings.ToLower(name)]
	if !isKnown {
		return Zone{}, false
	}
	location, err := time.LoadLocation(id)
	return Zone{id, location}, err == nil
}

func offsetZone(offset int) Zone {
	id := offsetText(offset)
	return Zone{id, time.FixedZone(id, offset)}
}

// seconds returns an offset from its sign and its digits.
func seconds(sign, hours, minutes, rest string) int {
	total := 0
	for _, part := range []string{hours, minutes, rest} {
		number, _ := strconv.Atoi(part)
		total = total*60 + number
	}
	if sign == "-" {
		return -total
	}
	return total
}

var regions = strings.Fields("Africa America Asia Atlantic Australia Europe Indian Pacific")

// hint helps with an unknown zone. Abbreviations are not resolved: CST may be Chicago, Shanghai or
// Havana.
func hint(text string) string {
	place := regexp.MustCompile(`[ -]+`).ReplaceAllString(text, "_")
	for _, region := range regions {
		if zone, isKnown := knownZone(region + "/" + place); isKnown {
			return `; did you mean "` + zone.id + `"?`
		}
	}
	const shortestPlace = 5
	if len(place) >= shortestPlace {
		if zone, isAlike := nearestZone(place); isAlike {
			return `; did you mean "` + zone + `"?`
		}
	}
	return `: expected an IANA name such as "Europe/Berlin", "UTC", or an offset such as "+02:00"`
}

func nearestZone(place string) (string, bool) {
	var zones, cities []string
	for name := range strings.FieldsSeq(zonesText) {
		if region, _, _ := strings.Cut(name, "/"); strings.Contains(strings.Join(regions, " "), region) {
			zones = append(zones, name)
			cities = append(cities, name[strings.LastIndexByte(name, '/')+1:])
		}
	}
	if zone, isAlike := nearest.Name(place, zones); isAlike {
		return zone, true
	}
	city, isAlike := nearest.Name(place, cities)
	if !isAlike {
		return "", false
	}
	for _, zone := range zones {
		if strings.HasSuffix(zone, "/"+city) {
			return zone, true
		}
	}
	return "", false
}

func refused(code, message string) error { return &tool.Error{Code: code, Message: message} }
