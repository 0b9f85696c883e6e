package svc

import "time"

// CallOption sets an option of one call.
type CallOption func(*callSettings)

type callSettings struct {
	requestID string
	hasID     bool
	timeout   *time.Duration
	auto      *AutoOptions
	tags      *Tags
	locale    string
}

// CallRequestID is sent as X-Request-ID: it correlates logs and never deduplicates. It is 1 to 128
// visible ASCII characters. Without it, the service makes an id.
func CallRequestID(id string) CallOption {
	return func(s *callSettings) { s.requestID, s.hasID = id, true }
}

// CallTimeout limits the call in place of the client's limit; of a run: each of its requests. 0 or
// less: no limit.
func CallTimeout(limit time.Duration) CallOption {
	return func(s *callSettings) { s.timeout = &limit }
}

// CallAuto chooses the model of a call in place of the client's choice.
func CallAuto(auto AutoOptions) CallOption { return func(s *callSettings) { s.auto = &auto } }

// CallTags sets the tags of a call in place of the client's.
func CallTags(tags Tags) CallOption { return func(s *callSettings) { s.tags = &tags } }

// CallLocale sets the language of names and descriptions of a catalog call: en or zh. Default: en.
func CallLocale(locale string) CallOption { return func(s *callSettings) { s.locale = locale } }

func callSettingsOf(options []CallOption) callSettings {
	var settings callSettings
	for _, option := range options {
		if option != nil {
			option(&settings)
		}
	}
	return settings
}
