/**
 * The web console: pages on the admin listener, for whoever holds an admin token. It is a client of the
 * operator's API, as the command line is, and knows nothing else. It is loaded with its first request.
 *
 * A page in five lines, in a folder of its section in `pages/`:
 *
 * 1. Its messages in the section's `messages.ts`: a table of `[English, Chinese]` pairs, by `catalogue()`.
 * 2. A file that exports a `Page`: a `path`, `show(view)` that returns a title and a body of
 *    `components/`, and, where it changes something, `change(view, form)`.
 * 3. What it shows comes from `view.api`, decoded by a zod schema beside the page; `view.need()` ends
 *    the page with the API's refusal, and `answer.refusal` goes into the form where one is shown again.
 * 4. A line in the section's `section.ts`.
 * 5. A line in `tests/console/visits.ts`, which has it pictured and checked for accessibility.
 *
 * A page works without scripts; one that helps is a file in `assets/`, named in `assets.ts` and in the
 * page's `scripts`. What scripts fetch is a `Feed` of the section. No markup is written as text: JSX
 * escapes whatever comes from outside, and nothing here is exempt from that.
 *
 * @module
 */

export { createConsole } from "./app.tsx";
