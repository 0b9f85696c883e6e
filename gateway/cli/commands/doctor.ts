import manifest from "../../deno.json" with { type: "json" };
import { NoTokenFailure, UnreachableFailure } from "../admin_client.ts";
import type { Call, Command, Output, Page } from "../command.ts";
import { CliFailure, UsageError } from "../failures.ts";
import { progressBar } from "../output/progress_bar.ts";
import { wrapped } from "../output/wrapped.ts";
import type { Finding } from "../../doctor/finding.ts";
import type { CatalogContent } from "../../domain/catalog/catalog.ts";

/** `svc doctor`. */
export const doctorCommands: readonly Command[] = [
  {
    words: "doctor",
    options: ["strict", "timeout"],
    summary: "Check configuration, store, upstreams and service, with a remedy for each problem",
    run: doctor,
  },
];

const DEFAULT_TIMEOUT = "10";

async function doctor(call: Call): Promise<Output> {
  const { examine, CHECK_COUNT } = await import("../../doctor/examine.ts");
  const context = await doctorContextOf(call);
  const bar = progressBar(call.io, { label: "Examining", unit: "looks", quiet: call.has("json") });
  const findings: Finding[] = [];
  try {
    let done = 0;
    bar.show(done, CHECK_COUNT);
    for await (const results of examine(context)) {
      findings.push(...results);
      bar.show(++done, CHECK_COUNT);
    }
  } finally {
    bar.end();
  }
  const count = (status: Finding["status"]) =>
    findings.filter((finding) => finding.status === status).length;
  const [failures, warnings] = [count("failure"), count("warning")];
  const ok = failures === 0 && !(call.has("strict") && warnings > 0);
  return {
    json: { ok, version: manifest.version, failures, warnings, findings },
    text: (page) => findingsText(findings, page),
    failure: ok ? undefined : failures > 0 ? failuresText(failures) : "There are warnings",
  };
}

function failuresText(failures: number): string {
  return failures === 1 ? "1 check failed" : `${failures} checks failed`;
}

async function doctorContextOf(call: Call) {
  const { parseServeSettings, SERVE_VARIABLES } = await import("../../config/settings.ts");
  const { io, client } = call;
  const env = (name: string) => io.lookup?.(name) ?? io.env[name];
  const variables = Object.fromEntries(SERVE_VARIABLES.map((name) => [name, env(name)]));
  const parsed = parseServeSettings([], variables);
  if (!parsed.ok) throw new CliFailure(parsed.problem);
  const timeout = call.option("timeout") ?? DEFAULT_TIMEOUT;
  if (!/^([1-9]|[1-5]\d|60)$/.test(timeout)) {
    throw new UsageError(`--timeout takes seconds from 1 to 60, not "${timeout}"`);
  }
  return {
    ...{ settings: parsed.settings, env, version: manifest.version, nowMs: Date.now() },
    ask: client.call.bind(client),
    rehearse: (content: CatalogContent) =>
      client.call("POST /catalog/apply", { body: { content, dryRun: true, force: true } }),
    classifyFailure,
    timeoutMs: Number(timeout) * 1_000,
  };
}

function classifyFailure(error: unknown): "unreachable" | "no token" | "refused" {
  if (error instanceof UnreachableFailure) return "unreachable";
  return error instanceof NoTokenFailure ? "no token" : "refused";
}

const MARKS: Readonly<Record<Finding["status"], string>> = {
  ok: "ok",
  warning: "WARNING",
  failure: "FAILED",
  skipped: "-",
};
const MARGIN = 9;

function findingsText(findings: readonly Finding[], { width }: Page): string {
  return findings.map(({ check, status, message, advice }) =>
    hanging(MARKS[status], `${check}: ${message}`, width) +
    (advice === undefined ? "" : hanging("", `-> ${advice}`, width))
  ).join("");
}

/** Formats a text beside a mark, with its lines aligned. */
function hanging(mark: string, text: string, width: number): string {
  const lines = wrapped(text, width - MARGIN).trimEnd().split("\n");
  return lines.map((line, index) => `${(index === 0 ? mark : "").padEnd(MARGIN)}${line}\n`).join(
    "",
  );
}
