package svc

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"
)

// transport sends calls: addresses, headers, limits, retries, errors.
type transport struct {
	apiBase, modelBase string
	headers            http.Header
	hasKey             bool
	client             *http.Client
	timeout            time.Duration
	maxRetries         int
	auto               AutoOptions
	tags               Tags
	logger             *slog.Logger
	// random and wait are replaced by tests.
	random func() float64
	wait   func(context.Context, time.Duration) error
}

// call is one call of the service.
type call struct {
	method string
	// isCatalog is set for paths under the base of the service, else under that of model calls.
	isCatalog bool
	path      string
	// body is JSON; nil for none.
	body []byte
	// form is sent in place of JSON; each attempt opens it anew.
	form *uploadForm
	// isModelless is set where no model is called: the client's auto and tags are not sent.
	isModelless bool
	// isPublic is set for a call that works without a key.
	isPublic bool
	settings callSettings
}

func newTransport(s *settings) (*transport, error) {
	if s.maxRetries < 0 {
		return nil, configurationError("cannot use WithMaxRetries: %d is no count", s.maxRetries)
	}
	if _, err := s.auto.header(); err != nil {
		return nil, err
	}
	if _, err := s.tags.header(); err != nil {
		return nil, err
	}
	api, models, err := s.addresses()
	if err != nil {
		return nil, err
	}
	headers, hasKey, err := s.requestHeaders()
	if err != nil {
		return nil, err
	}
	client := http.Client{}
	if s.httpClient != nil {
		client = *s.httpClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &transport{apiBase: api, modelBase: models, headers: headers, hasKey: hasKey,
		client: &client, timeout: s.timeout, maxRetries: s.maxRetries, auto: s.auto, tags: s.tags, logger: s.logger,
		random: rand.Float64, wait: sleep}, nil
}

// open sends a call until it is answered with success, and returns the answer with the lifetime
// that its body must be read in.
func (t *transport) open(ctx context.Context, c call) (*answer, *lifetime, error) {
	request, err := t.request(c)
	if err != nil {
		return nil, nil, err
	}
	limit := t.timeout
	if c.settings.timeout != nil {
		limit = *c.settings.timeout
	}
	life := newLifetime(ctx, limit)
	if ctx.Err() != nil {
		life.end()
		return nil, nil, life.explain(ctx.Err())
	}
	for tries := 1; ; tries++ {
		got, err := t.try(life, request, c, tries)
		if err != nil {
			life.end()
			return nil, nil, life.explain(err)
		}
		if got != nil {
			return got, life, nil
		}
	}
}

// try runs one attempt. It returns neither an answer nor an error when the attempt failed, the wait
// is over, and another may follow.
func (t *transport) try(life *lifetime, request *http.Request, c call, tries int) (*answer, error) {
	t.log(slog.LevelDebug, "request", c, tries)
	started := time.Now()
	got, err := t.send(life, request, c)
	elapsed := slog.Duration("elapsed", time.Since(started))
	var headers http.Header
	if err != nil {
		t.log(slog.LevelDebug, "answer", c, tries, elapsed)
	} else {
		headers = got.response.Header
		t.log(slog.LevelDebug, "answer", c, tries, elapsed, slog.Int("status", got.response.StatusCode),
			slog.String("request_id", printable(headers.Get("x-request-id"))))
		if got.isOK() {
			return got, nil
		}
	}
	wait, mayRetry := time.Duration(0), false
	if life.context.Err() == nil && (err != nil && !isOfFile(err) || err == nil && isTransient(got.response.StatusCode)) {
		wait, mayRetry = retryWait(tries, headers, t.random(), time.Now())
	}
	if !mayRetry || tries > t.maxRetries || !life.hasLeft(wait) {
		if err != nil {
			return nil, err
		}
		return nil, got.refusal()
	}
	if got != nil {
		_ = got.response.Body.Close()
	}
	t.log(slog.LevelWarn, "retry", c, tries, slog.Duration("wait", wait))
	return nil, t.wait(life.context, wait)
}

func (t *transport) send(life *lifetime, request *http.Request, c call) (*answer, error) {
	sent := request.WithContext(life.context)
	// Its own headers: a round tripper of the application may write to them.
	sent.Header = request.Header.Clone()
	switch {
	case c.form != nil:
		if err := sendForm(sent, c.form); err != nil {
			return nil, err
		}
	case c.body == nil:
		// Not nil: net/http sends a request without a body again when a kept connection breaks.
		sent.Body = io.NopCloser(&bytes.Reader{})
	default:
		sent.Body = io.NopCloser(bytes.NewReader(c.body))
		if !isRepeatedByHTTP(sent.Header) {
			// Sent again by net/http only where nothing of it was written.
			sent.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(c.body)), nil }
		}
		sent.ContentLength = int64(len(c.body))
	}
	response, err := t.client.Do(sent)
	if err != nil {
		if life.context.Err() != nil {
			return nil, err
		}
		var cause *url.Error
		if errors.As(err, &cause) {
			err = cause.Err
		}
		if isOfFile(err) {
			return nil, &ConnectionError{Message: "the upload broke off: the file cannot be read to its end", Err: err}
		}
		origin := request.URL.Scheme + "://" + request.URL.Host
		return nil, &ConnectionError{Message: "cannot reach the service at " + origin, Err: err}
	}
	return &answer{response: response, headers: request.Header, body: c.body}, nil
}

// sendForm gives a request the body of an attempt. Its length is not known before its end.
func sendForm(sent *http.Request, form *uploadForm) error {
	body, err := form.open()
	if err != nil {
		return err
	}
	sent.Body, sent.ContentLength = body, -1
	if !isRepeatedByHTTP(sent.Header) {
		sent.GetBody = form.open
	}
	return nil
}

// isRepeatedByHTTP reports a header for which net/http sends a POST again when a kept connection
// breaks, although the service may have received it.
func isRepeatedByHTTP(headers http.Header) bool {
	_, has := headers["Idempotency-Key"]
	_, hasOlder := headers["X-Idempotency-Key"]
	return has || hasOlder
}

// request returns the request of a call without its body.
func (t *transport) request(c call) (*http.Request, error) {
	if t.client == nil {
		return nil, configurationError("cannot call the service with a client that NewClient did not make")
	}
	if !t.hasKey && !c.isPublic {
		return nil, ErrMissingAPIKey
	}
	base := t.modelBase
	if c.isCatalog {
		base = t.apiBase
	}
	if base == "" {
		return nil, configurationError("cannot call the catalog: its address does not follow from " +
			"WithOpenAIBaseURL; use WithAPIBaseURL")
	}
	request, err := http.NewRequest(c.method, base+c.path, nil)
	if err != nil {
		return nil, &ConfigurationError{Message: "cannot send the request: its address is not valid"}
	}
	request.Header = t.headers.Clone()
	request.Header.Set("Accept", "application/json")
	// The only dialect that this client reads, whatever the key's policy states.
	request.Header.Set("X-Dialect", "service")
	switch {
	case c.form != nil:
		request.Header.Set("Content-Type", c.form.contentType)
	case c.body != nil:
		request.Header.Set("Content-Type", "application/json")
	}
	isModelCall := !c.isCatalog && !c.isModelless
	auto := t.auto
	if c.settings.auto != nil {
		auto = *c.settings.auto
	}
	choice, err := auto.header()
	if err != nil {
		return nil, err
	}
	if choice != "" && isModelCall {
		request.Header.Set("X-Auto", choice)
	}
	tags := t.tags
	if c.settings.tags != nil {
		tags = *c.settings.tags
	}
	tagged, err := tags.header()
	if err != nil {
		return nil, err
	}
	if tagged != "" && isModelCall {
		request.Header.Set("X-Tag", tagged)
	}
	if c.settings.hasID {
		if id := c.settings.requestID; len(id) > 128 || !keyPattern.MatchString(id) {
			return nil, configurationError(
				"cannot send the request id: it has to be 1 to 128 visible ASCII characters")
		}
		request.Header.Set("X-Request-ID", c.settings.requestID)
	}
	return request, nil
}

// log tells the logger about an attempt. It has neither headers nor bodies.
func (t *transport) log(level slog.Level, event string, c call, tries int, more ...slog.Attr) {
	if t.logger == nil {
		return
	}
	attributes := append([]slog.Attr{slog.String("method", c.method), slog.String("path", c.path),
		slog.Int("tries", tries)}, more...)
	t.logger.LogAttrs(context.Background(), level, event, attributes...)
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
