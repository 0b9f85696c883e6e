package svc

import (
	"encoding/json"
	"testing"
)

// The service names the rows of an ambiguous id as log_ids.
func TestErrorObject_KeepsWhatNoMemberHolds(t *testing.T) {
	for body, kept := range map[string]string{
		`{"message":"Vote with one id","code":"ambiguous_request_id","log_ids":["log_1","log_2"]}`: `["log_1","log_2"]`,
		`{"message":"Vote with one id","param":["a","b"]}`:                                         `["a","b"]`,
	} {
		failure := &APIError{Body: []byte(body)}
		object, ok := failure.ErrorObject()
		if !ok || object.Message != "Vote with one id" {
			t.Errorf("%s: %+v %v", body, object, ok)
			continue
		}
		whole, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		equal(t, string(object.Extra["log_ids"])+string(object.Extra["param"]), kept)
		var again ErrorObject
		if err := json.Unmarshal(whole, &again); err != nil || string(again.Extra["log_ids"]) != string(object.Extra["log_ids"]) {
			t.Error(string(whole), err)
		}
	}
	for _, body := range []string{`<html>`, `[]`, `null`, `{"code":"a"}`, ``} {
		if object, ok := (&APIError{Body: []byte(body)}).ErrorObject(); ok {
			t.Errorf("%s is an error object: %+v", body, object)
		}
	}
}
