package svc

import (
	"encoding/json"
	"net/http"
	"strings"

	"svc.example/sdk/go/internal/fields"
)

const (
	// longestSearched is the longest part of a message that is searched for secrets, in runes.
	longestSearched = 16 << 10
	// shortestSecret is in runes. Shorter texts are ordinary words: removing them would leave no
	// message.
	shortestSecret = 8
	// pieceLength is that of the pieces by which a longer secret is recognised, in runes.
	pieceLength = 16
	// longSecret is the length, in runes, above which a secret is compared piece by piece.
	longSecret = 64 << 10
)

// structure names fields that a message may quote: they tell the structure of a request, not its
// content.
var structure = map[string]bool{"type": true, "role": true, "name": true, "model": true, "id": true,
	"call_id": true, "tool_call_id": true, "tool_choice": true, "size": true}

var openHeaders = map[string]bool{"Accept": true, "Content-Type": true, "X-Request-Id": true,
	"X-Dialect": true, "X-Auto": true, "X-Tag": true}

// redacted returns a printable message with an ellipsis in place of each secret of its request, or
// piece of a longer one, that it quotes: the key, and the texts of people, models and tools.
func redacted(message string, headers http.Header, body []byte) string {
	text := []rune(printable(message))
	isCut := len(text) > longestSearched
	if isCut {
		text = text[:longestSearched]
	}
	hidden := make([]bool, len(text))
	hider := hider{text: text, hidden: hidden, pieces: piecesOf(text)}
	for name, values := range headers {
		if openHeaders[name] {
			continue
		}
		for _, value := range values {
			hider.hide(strings.TrimPrefix(strings.TrimPrefix(value, "Bearer "), "bearer "))
		}
	}
	var whole any
	if json.Unmarshal(body, &whole) == nil {
		hider.hideTexts(whole)
	}
	if isCut {
		// The cut may have kept the beginning of a secret that is too short to be recognised.
		text = text[:len(text)-pieceLength]
	}
	var shown strings.Builder
	for at, char := range text {
		switch {
		case !hidden[at]:
			shown.WriteRune(char)
		case at == 0 || !hidden[at-1]:
			shown.WriteRune('…')
		}
	}
	return shown.String()
}

type hider struct {
	text   []rune
	hidden []bool
	pieces map[string][]int
}

// piecesOf returns the positions of each piece in a text.
func piecesOf(text []rune) map[string][]int {
	pieces := map[string][]int{}
	for at := 0; at+pieceLength <= len(text); at++ {
		piece := string(text[at : at+pieceLength])
		pieces[piece] = append(pieces[piece], at)
	}
	return pieces
}

func (h hider) hideTexts(value any) {
	switch value := value.(type) {
	case string:
		h.hide(value)
		// In the form in which a message quotes the JSON.
		if quoted, err := fields.JSON(value); err == nil && len(quoted) > len(value)+2 {
			h.hide(string(quoted[1 : len(quoted)-1]))
		}
	case []any:
		for _, item := range value {
			h.hideTexts(item)
		}
	case map[string]any:
		for name, member := range value {
			if _, isText := member.(string); !isText || !structure[name] {
				h.hideTexts(member)
			}
		}
	}
}

// hide marks where the text quotes a secret.
func (h hider) hide(secretText string) {
	secret := []rune(printable(secretText))
	if len(secret) < pieceLength {
		if len(secret) >= shortestSecret {
			for at := 0; at+len(secret) <= len(h.text); at++ {
				if string(h.text[at:at+len(secret)]) == string(secret) {
					h.mark(at, at+len(secret))
				}
			}
		}
		return
	}
	step := 1
	if len(secret) > longSecret {
		step = pieceLength
	}
	for from := 0; from+pieceLength <= len(secret); from += step {
		for _, at := range h.pieces[string(secret[from:from+pieceLength])] {
			// Adjacent characters may belong to the secret when not every piece is compared.
			h.mark(at+1-step, at+pieceLength+step-1)
		}
	}
}

func (h hider) mark(from, to int) {
	for at := max(0, from); at < min(to, len(h.hidden)); at++ {
		h.hidden[at] = true
	}
}
