/**
 * Rules of this project that the built-in linter does not know, as a plugin of `deno lint`.
 *
 * An exception is written where it applies, with its reason, and is counted by
 * `tests/architecture/exceptions_test.ts`: `deno-lint-ignore svc/function-length -- why`.
 *
 * @module
 */

import { docOpening } from "./doc_opening.ts";
import { environmentAtTheEdge } from "./environment_at_the_edge.ts";
import { plainName } from "./plain_name.ts";
import { plainText } from "./plain_text.ts";
import { pureDomain } from "./pure_domain.ts";
import { fileLength, functionLength } from "./size.ts";

/** The plugin: its rules are reported as `svc/<rule>`. */
const plugin: Deno.lint.Plugin = {
  name: "svc",
  rules: {
    "pure-domain": pureDomain,
    "environment-at-the-edge": environmentAtTheEdge,
    "doc-opening": docOpening,
    "plain-name": plainName,
    "plain-text": plainText,
    "file-length": fileLength,
    "function-length": functionLength,
  },
};

export default plugin;
