package tool

import "testing"

func TestNew_RefusesNoFunction(t *testing.T) {
	if made, err := New[struct{}, string]("weather", "The weather", nil); err == nil {
		t.Errorf("a tool without a function was made: %s", made.Name)
	}
}
