package svc

import (
	"math/big"
	"regexp"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

// creditPlaces is the number of decimal places of credits, as the service writes them.
const creditPlaces = 6

var credits = regexp.MustCompile(`^\d*\.?\d*$`)

// addBilling returns the bill of several calls: their sums, estimated when one of them is; nil when
// there is none.
func addBilling(bills []*Billing) *Billing {
	var sum *Billing
	for _, bill := range bills {
		if bill == nil || !credits.MatchString(bill.Charged) || !strings.ContainsAny(bill.Charged, "0123456789") {
			continue
		}
		if sum == nil {
			sum = bill
			continue
		}
		added := *bill
		added.InputTokens += sum.InputTokens
		added.CachedInputTokens += sum.CachedInputTokens
		added.CacheWriteInputTokens += sum.CacheWriteInputTokens
		added.OutputTokens += sum.OutputTokens
		added.TotalTokens += sum.TotalTokens
		added.Charged = addCredits(sum.Charged, bill.Charged)
		added.Estimated = sum.Estimated || bill.Estimated
		sum = &added
	}
	return sum
}

// addCredits returns the exact sum of two amounts of credits, which are decimal strings.
func addCredits(a, b string) string {
	places := max(creditPlaces, placesOf(a), placesOf(b))
	sum := new(big.Int).Add(scaled(a, places), scaled(b, places)).String()
	if missing := places + 1 - len(sum); missing > 0 {
		sum = strings.Repeat("0", missing) + sum
	}
	return sum[:len(sum)-places] + "." + sum[len(sum)-places:]
}

func placesOf(amount string) int {
	_, fraction, _ := strings.Cut(amount, ".")
	return len(fraction)
}

func scaled(amount string, places int) *big.Int {
	whole, fraction, _ := strings.Cut(amount, ".")
	number, _ := new(big.Int).SetString("0"+whole+fraction+strings.Repeat("0", places-len(fraction)), 10)
	return number
}

// addCounts returns the sum of several objects of counts, by name and in nested objects. A value
// that is no count is taken from the last object.
func addCounts(a, b map[string]any) map[string]any {
	sum := map[string]any{}
	for name, value := range a {
		sum[name] = value
	}
	for name, value := range b {
		before := sum[name]
		oldNumber, isOld := before.(float64)
		number, isNumber := value.(float64)
		oldObject, isOldObject := before.(map[string]any)
		object, isObject := value.(map[string]any)
		switch {
		case isOld && isNumber:
			sum[name] = oldNumber + number
		case isOldObject && isObject:
			sum[name] = addCounts(oldObject, object)
		case value != nil:
			sum[name] = value
		}
	}
	return sum
}

// sumUsage returns the sum of some usages of one surface; nil for none.
func sumUsage[U any](all []*U) *U {
	var sum map[string]any
	for _, usage := range all {
		if usage == nil {
			continue
		}
		counts, err := anyObject(usage)
		if err != nil {
			continue
		}
		sum = addCounts(sum, counts)
	}
	if sum == nil {
		return nil
	}
	encoded, err := fields.JSON(sum)
	if err != nil {
		return nil
	}
	total := new(U)
	if fields.Decode(encoded, total) != nil {
		return nil
	}
	return total
}
