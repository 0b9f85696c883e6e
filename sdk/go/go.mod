module svc.example/sdk/go

go 1.25.0

require (
	github.com/go-playground/locales v0.14.2
	github.com/google/jsonschema-go v0.4.3
	golang.org/x/text v0.40.0
)

require go.uber.org/goleak v1.3.0
