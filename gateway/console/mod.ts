/**
 * The web console: pages on the admin listener, for operators with an admin token. It is a client of the
 * operator's API, as the command line is, and knows nothing else. It is loaded with its first request.
 *
 * A page in five steps, in a folder of its section in `pages/`:
 *
 * 1. Its messages in the section's `messages.ts`: a table of `[English, Chinese]` pairs, by `catalogue()`.
 * 2. A file that exports a `Page`: a `path`, `show(view)` that returns a title and a body, and, where it
 *    changes something, `change(view, form)`. `ui.listPage`, `ui.formPage` and `ui.confirmPage` of
 *    `components/` make the usual kinds of pages from a description.
 * 3. Its data from the operator's API, typed by `admin_api/operations.ts`: `view.load("GET /wallets")`
 *    ends the page with the API's refusal; `view.api.call(...)` returns the refusal for a form to show.
 * 4. A line in its section of `sections.ts`.
 * 5. A line in `tests/console/visits.ts`, for its pictures and its accessibility checks.
 *
 * A page works without scripts; one that helps is a file in `assets/`, named in `assets.ts` and in the
 * page's `scripts`. Scripts fetch the `Feed`s of the section. No markup is written as text: JSX escapes
 * all text from outside, without exception.
 *
 * @module
 */

export { createConsole } from "./app.tsx";
