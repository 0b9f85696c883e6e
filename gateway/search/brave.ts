/**
 * Brave Search: `GET /res/v1/web/search`.
 *
 * Source: https://api-dashboard.search.brave.com/documentation
 *
 * @module
 */

import { z } from "zod";
import type { BoundQuery } from "./bound_query.ts";
import type { ErrorAnswer, SearchApi } from "./http_search.ts";

const MAX_WAIT_MS = 3_600_000;

const answer = z.object({
  type: z.literal("search"),
  // Absent where nothing matched.
  web: z.object({ results: z.array(z.unknown()) }).nullish(),
}).transform(({ web }) => web?.results ?? []);

const page = z.object({
  url: z.string(),
  title: z.string(),
  description: z.string().nullish(),
  extra_snippets: z.array(z.string()).nullish(),
  page_age: z.string().nullish(),
}).transform((entry) => ({
  url: entry.url,
  title: entry.title,
  text: [entry.description ?? "", ...entry.extra_snippets ?? []].join("\n"),
  published: entry.page_age ?? undefined,
}));

/**
 * Returns Brave's API. Locations are sent in headers and domains in a goggle, so that neither takes
 * part of the query's 400 characters.
 */
export function braveApi(config: {
  readonly baseUrl: string;
  readonly key: SearchApi["key"];
}): SearchApi {
  const base = config.baseUrl.replace(/\/+$/, "");
  return {
    id: "brave",
    key: config.key,
    takesPlaces: true,
    request(query, key) {
      return {
        url: `${base}/res/v1/web/search?${parametersOf(query)}`,
        headers: {
          "x-subscription-token": key,
          "x-loc-country": query.location.country,
          "x-loc-city": query.location.city,
          "x-loc-state-name": query.location.region,
          "x-loc-timezone": query.location.timezone,
        },
      };
    },
    answer,
    page,
    refusal,
  };
}

function parametersOf({ domains, maxResults, text }: BoundQuery): URLSearchParams {
  const parameters = new URLSearchParams({
    q: text,
    count: String(maxResults),
    result_filter: "web",
    text_decorations: "false",
  });
  if (domains.length > 0) {
    const rules = ["$discard", ...domains.map((domain) => `$site=${domain}`)];
    parameters.set("goggles", rules.join("\n"));
  }
  return parameters;
}

function refusal(answer: ErrorAnswer): ReturnType<NonNullable<SearchApi["refusal"]>> {
  const { headers, status, text } = answer;
  // Brave answers 422 to a wrong or missing key, as to a wrong query.
  if (status === 422 && /SUBSCRIPTION_TOKEN|x-subscription-token/i.test(text)) {
    return { outcome: "refused_credentials" };
  }
  return status === 429 ? { retryAfterMs: windowEndMs(headers) } : {};
}

/**
 * Returns the end of a rate window in milliseconds. The headers have the rest of each window and
 * its end in seconds; a limit of 0 means none.
 */
function windowEndMs(headers: Headers): number | undefined {
  const [limits, remaining, ends] = ["limit", "remaining", "reset"].map((name) =>
    (headers.get(`x-ratelimit-${name}`) ?? "").split(",").map(Number)
  );
  const spent = (ends ?? []).filter((_, at) => limits?.[at] !== 0 && remaining?.[at] === 0);
  const waitMs = Math.max(...spent) * 1_000;
  return waitMs > 0 ? Math.min(waitMs, MAX_WAIT_MS) : undefined;
}
