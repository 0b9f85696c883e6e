module svc.example/sdk/go

go 1.25.0

require (
	github.com/go-playground/locales v0.14.2 // indirect
	golang.org/x/text v0.40.0 // indirect
)
