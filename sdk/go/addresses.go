package svc

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
)

const (
	localGateway = "http://127.0.0.1:8787"
	modelPath    = "/openai/v1"
)

// value is an option or a variable, with its name for messages.
type value struct{ name, text string }

func optionOr(option *string, name, variable string) *value {
	if option != nil {
		return &value{name, *option}
	}
	if text := os.Getenv(variable); text != "" {
		return &value{variable, text}
	}
	return nil
}

// addresses returns the bases of catalog calls and of model calls. A key never goes to a host that
// is not configured: the base of catalog calls is empty where it does not follow.
func (s *settings) addresses() (api, models string, err error) {
	apiValue := optionOr(s.apiBaseURL, "WithAPIBaseURL", "SERVICE_API_BASE_URL")
	var modelValue *value
	if s.openAIBaseURL != nil || s.apiBaseURL == nil {
		modelValue = optionOr(s.openAIBaseURL, "WithOpenAIBaseURL", "SERVICE_OPENAI_BASE_URL")
	}
	if apiValue == nil && modelValue == nil {
		return localGateway, localGateway + modelPath, nil
	}
	if apiValue != nil {
		if api, err = baseURL(*apiValue); err != nil {
			return "", "", err
		}
	}
	if modelValue == nil {
		return api, api + modelPath, nil
	}
	if models, err = baseURL(*modelValue); err != nil {
		return "", "", err
	}
	if apiValue == nil {
		if stem, ok := strings.CutSuffix(models, modelPath); ok {
			api = stem
		}
	}
	return api, models, nil
}

// baseURL returns a base address without a slash at its end. Its text is never quoted: it may be a
// key by mistake.
func baseURL(base value) (string, error) {
	address, err := url.Parse(strings.TrimSpace(base.text))
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || address.Host == "" {
		return "", configurationError("cannot use %s: it is no http(s) URL, such as %s", base.name, localGateway)
	}
	if address.User != nil {
		return "", configurationError("cannot use %s: it holds a password; use WithAPIKey instead", base.name)
	}
	if address.RawQuery != "" || address.Fragment != "" {
		return "", configurationError("cannot use %s: a base has no query and no fragment", base.name)
	}
	host := strings.ToLower(address.Host)
	host = strings.TrimSuffix(host, map[string]string{"http": ":80", "https": ":443"}[address.Scheme])
	return strings.TrimRight(address.Scheme+"://"+host+address.EscapedPath(), "/"), nil
}

var (
	keyPattern  = regexp.MustCompile(`^[\x21-\x7E]+$`)
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[\t\x20-\x7E\x80-\x{10FFFF}]*$`)
)

// requestHeaders returns the headers of every request, and reports that one of them has a key.
func (s *settings) requestHeaders() (http.Header, bool, error) {
	for name, values := range s.headers {
		for _, text := range values {
			if !headerName.MatchString(name) || !headerValue.MatchString(text) {
				// The value is not quoted: it may be a secret.
				return nil, false, configurationError("cannot send the header %q: it is not valid", name)
			}
		}
	}
	headers := s.headers.Clone()
	// Never sent: the options that name it have no effect.
	headers.Del("anthropic-version")
	keys := 0
	for _, name := range []string{"Authorization", "X-Api-Key"} {
		if headers.Get(name) != "" {
			keys++
		} else {
			headers.Del(name)
		}
	}
	if keys > 1 || keys == 1 && s.apiKey != nil {
		return nil, false, configurationError("cannot send two keys: " +
			"give one of WithAPIKey, the header Authorization and the header X-API-Key")
	}
	if keys == 1 {
		return headers, true, nil
	}
	key := optionOr(s.apiKey, "WithAPIKey", "SERVICE_API_KEY")
	if key == nil || key.text == "" {
		return headers, false, nil
	}
	if !keyPattern.MatchString(key.text) {
		return nil, false, configurationError(
			"cannot use %s: it holds characters that no key has, perhaps a line break at its end", key.name)
	}
	headers.Set("Authorization", "Bearer "+key.text)
	return headers, true, nil
}
