package localtools

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
)

type datetimeVectors struct {
	Now     int64
	Answers []struct {
		Input  map[string]any
		Zone   string
		Expect map[string]any
	}
	Refusals []struct {
		Input         map[string]any
		Zone          string
		Code, Message string
	}
}

func TestDatetimeVectors(t *testing.T) {
	var vectors datetimeVectors
	readVectors(t, "tools-datetime.json", &vectors)
	now := func() time.Time { return time.UnixMilli(vectors.Now) }
	for _, answer := range vectors.Answers {
		result, err := call(t, Datetime(Options{Now: now, Zone: answer.Zone}), answer.Input)
		if err != nil {
			t.Errorf("%v: %v", answer.Input, err)
			continue
		}
		for name, expected := range answer.Expect {
			if !reflect.DeepEqual(result[name], expected) {
				t.Errorf("%v: %s is %v, expected %v", answer.Input, name, result[name], expected)
			}
		}
	}
	for _, refused := range vectors.Refusals {
		result, err := call(t, Datetime(Options{Now: now, Zone: refused.Zone}), refused.Input)
		wantText(t, refusalOf(t, result, err, refused.Code), refused.Message)
	}
}

func TestDatetimeTellsThePresent(t *testing.T) {
	before := time.Now().Truncate(time.Millisecond)
	result, err := Datetime(Options{}).Handler(t.Context(), []byte(`{"operation":"now"}`))
	if err != nil {
		t.Fatal(err)
	}
	now := time.UnixMilli(int64(result.(DatetimeResult).UnixSeconds * 1_000))
	if now.Before(before) || now.After(time.Now()) {
		t.Errorf("expected the present, got %v", now)
	}
}

func TestDatetimeSpeaksLanguages(t *testing.T) {
	for locale, begins := range map[string]string{
		"de": "Samstag, 21. November 2026", "zh-CN": "2026年11月21日星期六",
		"en": "Saturday, November 21, 2026 at", "tlh": "Saturday, November 21, 2026 at",
	} {
		input := map[string]string{"operation": "convert", "datetime": "2026-11-21", "locale": locale}
		result, err := call(t, Datetime(Options{}), input)
		if err != nil {
			t.Fatal(err)
		}
		wantText(t, fmt.Sprint(result["text"]), begins)
	}
}

var zones = []string{
	"UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Australia/Lord_Howe",
	"America/St_Johns", "Pacific/Apia",
}

func someMoment(random *rand.Rand) int64 { return random.Int64N(6_000_000_000) - 2_000_000_000 }

func TestEveryFormInAnAnswerCanBeReadAgain(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	for range 500 {
		seconds := someMoment(random)
		zone, other := zones[random.IntN(len(zones))], zones[random.IntN(len(zones))]
		input := map[string]string{
			"operation": "convert", "datetime": fmt.Sprintf("@%d", seconds), "zone": zone,
		}
		reply, err := call(t, Datetime(Options{}), input)
		if err != nil {
			t.Fatalf("%v: %v", input, err)
		}
		if reply["utc"] != time.Unix(seconds, 0).UTC().Format(time.RFC3339) {
			t.Errorf("%d: %v", seconds, reply["utc"])
		}
		forms := []any{reply["utc"], reply["datetime"], fmt.Sprintf("%s[%s]", reply["datetime"], zone)}
		if mail, isMail := reply["rfc2822"]; isMail {
			forms = append(forms, mail)
		}
		for _, text := range forms {
			input := map[string]any{"operation": "convert", "datetime": text, "zone": other}
			again, err := call(t, Datetime(Options{}), input)
			if err != nil || again["unix_seconds"] != float64(seconds) || again["zone"] != other {
				t.Errorf("%v: got %v and %v", input, again, err)
			}
		}
	}
}

func TestAddingTheDifferenceLeadsFromOneTimeToTheOther(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 8))
	for range 1_000 {
		from, until := someMoment(random), someMoment(random)
		zone := zones[random.IntN(len(zones))]
		apart := map[string]any{
			"operation": "difference", "datetime": fmt.Sprintf("@%d", from),
			"until": fmt.Sprintf("@%d", until), "zone": zone,
		}
		difference, err := call(t, Datetime(Options{}), apart)
		if err != nil {
			t.Fatalf("%v: %v", apart, err)
		}
		sum := map[string]any{
			"operation": "add", "datetime": fmt.Sprintf("@%d", from), "zone": zone,
			"duration": difference["duration"],
		}
		reached, err := call(t, Datetime(Options{}), sum)
		if err != nil || reached["unix_seconds"] != float64(until) {
			t.Errorf("%v: got %v and %v, expected %d", sum, reached, err, until)
		}
	}
}
