/**
 * The text that the operator reads when the service starts.
 *
 * @module
 */

import type { MigrationProgress } from "../stores/kv/migrate.ts";
import type { SecretPlace, SecretPlaces } from "./first_secrets.ts";

/** The addresses and the state of a service that has started. */
export interface Banner {
  readonly version: string;
  readonly publicUrl: string;
  readonly adminUrl: string;
  /** Other addresses of the admin listener. */
  readonly adminUrls?: readonly string[];
  /** Page of the separate listener for metrics. */
  readonly metricsUrl?: string | undefined;
  readonly store: string;
  /** Sentence about the upstreams that serve, with the reason. */
  readonly upstreams: string;
  readonly catalogVersion: number;
  /** Sentences about settings of an earlier version. @default {none} */
  readonly notices?: readonly string[];
}

/** Returns the lines of every start. */
export function startLines(banner: Banner): string {
  const { adminUrls = [], metricsUrl, notices = [] } = banner;
  return [
    `svc ${banner.version} is ready`,
    `  public     ${banner.publicUrl}  (OpenAI base URL ${banner.publicUrl}/openai/v1)`,
    `  admin      ${banner.adminUrl}${adminUrls.length === 0 ? "" : `  (${adminUrls.join(", ")})`}`,
    `  console    ${adminUrls[0] ?? banner.adminUrl}/console  (sign in with the admin token)`,
    ...(metricsUrl === undefined ? [] : [`  metrics    ${metricsUrl}`]),
    `  store      ${banner.store}`,
    `  upstreams  ${banner.upstreams} (catalog version ${banner.catalogVersion})`,
    ...notices.map((notice) => `  note       ${notice}`),
    "",
  ].join("\n");
}

/**
 * Returns a function that reports the migration of an older store to the current layout: its
 * beginning, each tenth of the work, and its end.
 */
export function migrationTeller(print: (text: string) => void): (one: MigrationProgress) => void {
  let tenths = 0;
  return ({ from, to, what, done, total, state }) => {
    if (state === "begins") {
      tenths = 0;
      print(
        `Bringing the store from schema ${from} to ${to}: ${what}. An earlier svc cannot read it ` +
          `any more; only a backup from before leads back ("svc backup")\n`,
      );
    } else if (state === "ends") print(`The store has schema ${to}\n`);
    else if (Math.floor(10 * done / total) > tenths) {
      tenths = Math.floor(10 * done / total);
      print(`  ${done} of ${total}\n`);
    }
  };
}

/**
 * Returns the lines of the first start: the places of its secrets, and calls that work when they
 * are pasted.
 */
export function firstStartLines({ key, adminToken }: SecretPlaces, publicUrl: string): string {
  const messages = '[{"role":"user","content":"Say hello"}]';
  const { header, literal } = pasted(key);
  const isPrinted = [key, adminToken].some(({ kind }) => kind === "printed");
  return `
First start: a wallet "default" with 1000000 credits and a key for it were created.${
    isPrinted ? "\nSecrets are shown only now; store them." : ""
  }

  API key      ${placeText(key)}
  Admin token  ${placeText(adminToken)}

Try it:

curl -s ${publicUrl}/openai/v1/chat/completions -H ${header} -H 'Content-Type: application/json' -d '{"model":"auto","messages":${messages}}'

Or with the SDK, in this checkout:

npx --yes deno@2.9.6 run --allow-net --allow-env - <<EOF
import { ServiceClient } from "@svc/sdk";
const client = new ServiceClient({ apiKey: ${literal}, apiBaseUrl: "${publicUrl}" });
const answer = await client.chat.completions.create({ messages: ${messages} });
console.log(answer.choices[0]?.message.content, answer.metadata?.billing);
EOF

`;
}

function placeText(place: SecretPlace): string {
  if (place.kind === "printed") return place.secret;
  if (place.kind === "given") return `the value of ${place.variable}`;
  return `in ${place.path}, readable only by this user`;
}

/**
 * Returns the key as a shell inserts it into a header of curl, and into a program in a
 * here-document.
 */
function pasted(key: SecretPlace): { header: string; literal: string } {
  if (key.kind === "given") {
    // The value may contain quotation marks, which would end a literal of the program.
    const { variable } = key;
    return {
      header: `"Authorization: Bearer $${variable}"`,
      literal: `Deno.env.get("${variable}")`,
    };
  }
  const text = key.kind === "printed" ? key.secret : `$(cat ${shellWord(key.path)})`;
  return { header: `"Authorization: Bearer ${text}"`, literal: `"${text}"` };
}

/** Quotes a text as one word of a POSIX shell. */
function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
