// Package runs has the parts of a run of a model with tools: its steps, calls, results and usage, and
// the reasons for its end.
package runs
