import { ConfigurationError } from "./errors.ts";

/**
 * Tags of a call by name, each sent in the header `X-Tag`: the service sums usage by them. Up to
 * eight; a name is a letter and up to 31 letters, digits and `_.-`, a value up to 64 letters, digits
 * and `_.:/@+=~!?*()-`.
 *
 * @example
 * ```ts
 * import { ServiceClient, type Tags } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const tags: Tags = { team: "search", env: "prod" };
 * const sent: (string | null)[] = [];
 * const message = { role: "assistant", content: "Hello" };
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: (_, init) => {
 *     sent.push(new Headers(init?.headers).get("x-tag"));
 *     return Promise.resolve(Response.json({ choices: [{ index: 0, message }] }));
 *   },
 * });
 * await client.chat.completions.create({ messages: [{ role: "user", content: "Hi" }] }, { tags });
 * assertEquals(sent, ["env=prod, team=search"]);
 * ```
 */
export type Tags = Readonly<Record<string, string>>;

/** Name of the header. */
export const TAG_HEADER = "x-tag";

const TAGS_MAX = 8;
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,31}$/;
const VALUE = /^[A-Za-z0-9_.:/@+=~!?*()-]{1,64}$/;

/**
 * Returns the value of the header, in order of names; `undefined` without tags.
 *
 * @throws {ConfigurationError} A tag cannot be sent, or there are too many.
 */
export function tagHeader(tags: Tags): string | undefined {
  const pairs: readonly (readonly [string, unknown])[] = Object.entries(tags);
  if (pairs.length === 0) return undefined;
  if (pairs.length > TAGS_MAX) {
    throw new ConfigurationError(`Cannot send ${pairs.length} tags: at most ${TAGS_MAX}`);
  }
  for (const [name, value] of pairs) {
    const wrong = `Cannot send the tag ${JSON.stringify(name)}: its`;
    if (!NAME.test(name)) {
      throw new ConfigurationError(
        `${wrong} name is not a letter and up to 31 letters, digits and _.-`,
      );
    }
    if (typeof value !== "string" || !VALUE.test(value)) {
      throw new ConfigurationError(
        `${wrong} value is not 1 to 64 letters, digits and _.:/@+=~!?*()-`,
      );
    }
  }
  return pairs.map(([name, value]) => `${name}=${value}`).sort().join(", ");
}
