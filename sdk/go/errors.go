package svc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"svc.example/sdk/go/internal/fields"
)

// ErrMissingAPIKey is returned when no key is configured and the call needs one; nothing was sent.
var ErrMissingAPIKey error = &ConfigurationError{
	Message: "cannot call the service without an API key: use WithAPIKey or set SERVICE_API_KEY",
}

// ConfigurationError says that a call cannot be made as it is configured; nothing was sent.
type ConfigurationError struct {
	// Message says what cannot be done.
	Message string
	// Err is the cause; it may be nil.
	Err error
}

func configurationError(format string, values ...any) error {
	return &ConfigurationError{Message: fmt.Sprintf(format, values...)}
}

// Error returns the message.
func (e *ConfigurationError) Error() string { return e.Message }

// Unwrap returns the cause.
func (e *ConfigurationError) Unwrap() error { return e.Err }

// TimeoutError says that there was no answer within the time limit of the client or of the call.
// The call may have been executed, and billed. errors.Is finds context.DeadlineExceeded in it.
type TimeoutError struct {
	// Limit is the time limit.
	Limit time.Duration
}

// Error names the limit.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("the call took longer than its timeout, %v", e.Limit)
}

// Timeout is true, as in net.Error.
func (e *TimeoutError) Timeout() bool { return true }

// Unwrap returns context.DeadlineExceeded.
func (e *TimeoutError) Unwrap() error { return context.DeadlineExceeded }

// ConnectionError says that the service was not reached, or that the connection broke before the
// answer was complete.
type ConnectionError struct {
	// Message says what failed.
	Message string
	// Err is the cause; it may be nil.
	Err error
}

// Error returns the message and that of the cause.
func (e *ConnectionError) Error() string {
	if e.Err == nil {
		return e.Message
	}
	return e.Message + ": " + printable(e.Err.Error())
}

// Unwrap returns the cause.
func (e *ConnectionError) Unwrap() error { return e.Err }

// APIError says that the service answered with an error: with its status, in the middle of a
// stream, or in a 200, as a split request does.
//
// Printed with any verb, it shows its message only: a proxy in between may have put a key or a
// prompt into headers and body. Message, Code and RequestID are short, quote neither the key nor
// the request, and control characters in them are spaces.
type APIError struct {
	// StatusCode is the HTTP status; 200 when an answer broke off or a planned task failed.
	StatusCode int
	// RequestID is the id to quote to the operator; empty when the answer has none.
	RequestID string
	// ResponseHeaders are those of the answer.
	ResponseHeaders http.Header
	// Body is the error object of the service, or the body in its place, as received: JSON, or the
	// text of a page. Nil when that was longer than 1 MiB.
	Body []byte
	// Code is the service's error code, for instance insufficient_balance; empty when it has none.
	Code string
	// Message is the service's message.
	Message string
}

// Error returns the message.
func (e *APIError) Error() string { return e.Message }

// Format writes the message, whatever the verb.
func (e *APIError) Format(state fmt.State, _ rune) { _, _ = fmt.Fprint(state, e.Message) }

// ErrorObject is the error object of the service, as Body holds it.
type ErrorObject struct {
	// Message is a sentence for a person.
	Message string `json:"message"`
	// Type is OpenAI's type of error.
	Type string `json:"type,omitempty"`
	// Code is the service's error code.
	Code string `json:"code,omitempty"`
	// Param is the path of the field that is at fault.
	Param string `json:"param,omitempty"`
	// RequestID is the id to quote to the operator.
	RequestID string `json:"request_id,omitempty"`
	// Extra holds further fields, for instance log_ids.
	Extra Extra `json:"-"`
}

// MarshalJSON writes the members and the fields of Extra.
func (v ErrorObject) MarshalJSON() ([]byte, error) { return fields.Encode(v) }

// UnmarshalJSON keeps in Extra what no member can hold.
func (v *ErrorObject) UnmarshalJSON(data []byte) error { return fields.Decode(data, v) }

// ErrorObject parses Body; false when it is no such object.
func (e *APIError) ErrorObject() (ErrorObject, bool) {
	var object ErrorObject
	err := fields.Decode(e.Body, &object)
	return object, err == nil && object.Message != ""
}

// isOwn reports that an error needs no explanation from the state of the call.
func isOwn(err error) bool {
	var api *APIError
	var configuration *ConfigurationError
	var connection *ConnectionError
	var timeout *TimeoutError
	return errors.As(err, &api) || errors.As(err, &configuration) ||
		errors.As(err, &connection) || errors.As(err, &timeout)
}
