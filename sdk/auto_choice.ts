import { ConfigurationError } from "./errors.ts";

/**
 * Choice of the model of a call, sent as the header `X-Auto`. The key's policy may refuse it.
 *
 * @example
 * ```ts
 * import { type AutoOptions, ServiceClient } from "@svc/sdk";
 * import { assertEquals } from "@std/assert";
 *
 * const auto: AutoOptions = { quality: 0.8, verify: true };
 * const sent: (string | null)[] = [];
 * const message = { role: "assistant", content: "Hello" };
 * const client = new ServiceClient({
 *   apiKey: "key",
 *   fetch: (_, init) => {
 *     sent.push(new Headers(init?.headers).get("x-auto"));
 *     return Promise.resolve(Response.json({ choices: [{ index: 0, message }] }));
 *   },
 * });
 * await client.chat.completions.create({ messages: [{ role: "user", content: "Hi" }] }, { auto });
 * assertEquals(sent, ["quality=0.8, verify"]);
 * ```
 */
export interface AutoOptions {
  /**
   * Position of the dial between cost and quality: from 0 (`economy`) over 0.5 (`balanced`) to 1
   * (`best`).
   *
   * @default {as the key's policy, the tier or the catalog states}
   */
  readonly quality?: number | "economy" | "balanced" | "best" | undefined;
  /**
   * True to compare the answers of two cheap models, and ask a better one only where they differ.
   *
   * @default {as the key's policy states}
   */
  readonly verify?: boolean | undefined;
}

/** Name of the header. */
export const AUTO_HEADER = "x-auto";

const NAMES: readonly unknown[] = ["economy", "balanced", "best"];

/**
 * Returns the value of the header; `undefined` where nothing is chosen.
 *
 * @throws {ConfigurationError} A member is unknown, or cannot be used.
 */
export function autoHeader(auto: AutoOptions): string | undefined {
  const { quality, verify, ...others } = auto;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) {
    throw new ConfigurationError(`Cannot use auto: it has no member "${unknown}"`);
  }
  if (verify !== undefined && typeof verify !== "boolean") {
    throw new ConfigurationError("Cannot use auto.verify: it is not true or false");
  }
  const items = [
    ...(quality === undefined ? [] : [`quality=${qualityText(quality)}`]),
    ...(verify === true ? ["verify"] : []),
  ];
  return items.length === 0 ? undefined : items.join(", ");
}

function qualityText(quality: unknown): string {
  if (NAMES.includes(quality)) return String(quality);
  if (typeof quality === "number" && quality >= 0 && quality <= 1) {
    return String(Math.round(quality * 1_000_000) / 1_000_000);
  }
  throw new ConfigurationError(
    "Cannot use auto.quality: it is not a number from 0 to 1, economy, balanced or best",
  );
}
