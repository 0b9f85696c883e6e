import {
  type Command,
  meaningOf,
  type OptionName,
  OPTIONS,
  optionsOf,
  usageLine,
} from "./command.ts";
import { displayWidth } from "./output/table.ts";

/** Help of `svc serve`, which `main.ts` runs without the command line. */
const SERVE_USAGE = `Usage: svc serve [options]

Start the gateway

Each option replaces the environment variable beside it.
  --host HOST                SERVICE_HOST (127.0.0.1)
  --port PORT                SERVICE_PORT (8787; 0: any free port)
  --admin-host HOST          SERVICE_ADMIN_HOST (127.0.0.1)
  --admin-port PORT          SERVICE_ADMIN_PORT (8788)
  --admin-urls URLS          SERVICE_ADMIN_URLS, other base URLs of the admin listener
  --metrics-host HOST        SERVICE_METRICS_HOST (127.0.0.1), opens a listener for /metrics
  --metrics-port PORT        SERVICE_METRICS_PORT (8789), its port
  --store PATH               SERVICE_STORE (data/svc.kv; :memory:; postgres://…: give a password
                             in the environment)
  --kv-path PATH             SERVICE_KV_PATH, the older name of it
  --credentials-file FILE    SERVICE_CREDENTIALS_FILE (beside a store that is a file)
  --config FILE              SERVICE_CONFIG (svc.json, optional)
  --public-url URL           SERVICE_PUBLIC_URL
  --trusted-proxies RANGES   SERVICE_TRUSTED_PROXIES
  --notify-hosts HOSTS       SERVICE_NOTIFY_HOSTS, targets of notifications that may be private
  --approval-credits CREDITS SERVICE_APPROVAL_CREDITS (10000): corrections above it wait for a
                             second operator
  --trace-ratio RATIO        SERVICE_TRACE_RATIO, 0 to 1, where OTEL_DENO=true exports traces
                             (default: up to 10 a second, and 50 begun by callers)
  --oidc-issuer URL          SERVICE_OIDC_ISSUER, sign-in of operators by OpenID Connect
  --oidc-client-id ID        SERVICE_OIDC_CLIENT_ID
  --oidc-roles PAIRS         SERVICE_OIDC_ROLES, such as staff=viewer,ops=admin
  --oidc-groups-claim NAME   SERVICE_OIDC_GROUPS_CLAIM (groups)
  --oidc-scopes SCOPES       SERVICE_OIDC_SCOPES (openid profile)
  --drain-seconds SECONDS    SERVICE_DRAIN_SECONDS, between the signal to stop and the first refusal
                             (PostgreSQL: 5; a file: 0)
Secrets; set them in the environment rather than on a command line:
  --admin-token TOKEN        SERVICE_ADMIN_TOKEN
  --bootstrap-key KEY        SERVICE_BOOTSTRAP_KEY
  --metrics-token TOKEN      SERVICE_METRICS_TOKEN, reads /metrics and nothing else
  --oidc-client-secret TEXT  SERVICE_OIDC_CLIENT_SECRET
  --key-pepper PEPPER        SERVICE_KEY_PEPPER
  --key-pepper-previous OLD  SERVICE_KEY_PEPPER_PREVIOUS, during a change
`;

/** Lists all commands, one per line. */
export function overview(commands: readonly Command[]): string {
  const calls = commands.map((command) => [command.words, ...command.operands ?? []].join(" "));
  const width = Math.max(...calls.map(displayWidth));
  const lines = commands.map((command, index) =>
    `  svc ${(calls[index] ?? "").padEnd(width)}  ${command.summary}\n`
  );
  return `Usage: svc COMMAND [options]\n\n${lines.join("")}
Every command takes --json: one JSON document on standard output, nothing else.
"svc help COMMAND" explains one command; "svc --version" prints the version.

The commands speak to the admin API at SERVICE_ADMIN_URL with SERVICE_ADMIN_TOKEN, or with what
the token file that the first start of the gateway wrote beside its store.
`;
}

/** Explains one command. */
export function explain(command: Command): string {
  if (command.words === "serve") return SERVE_USAGE;
  const names: readonly OptionName[] = [...optionsOf(command), "json"];
  const flags = names.map(flagOf);
  const width = Math.max(...flags.map(displayWidth));
  const lines = names.map((name, index) =>
    `  ${(flags[index] ?? "").padEnd(width)}  ${meaningOf(name, command)}\n`
  );
  return `Usage: ${usageLine(command)}\n\n${command.summary}\n\n${lines.join("")}`;
}

function flagOf(name: OptionName): string {
  const { short, value } = OPTIONS[name];
  return `${short ? `-${short}, ` : ""}--${name}${value ? ` ${value}` : ""}`;
}
