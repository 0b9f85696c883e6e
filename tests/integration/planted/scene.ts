/**
 * A service that holds a secret of every kind, in front of providers that repeat theirs.
 *
 * @module
 */

import { generateKeyPairSync } from "node:crypto";
import { join } from "@std/path";
import {
  ACCESS_TOKEN,
  type Echo,
  ECHOES,
  EchoingProvider,
} from "../../fixtures/echoing_provider.ts";
import { OtlpCollector } from "../../fixtures/otlp_collector.ts";
import { ServiceProcess } from "../../fixtures/service_process.ts";

/** Without any form that is known of keys: they must be found by what they are. */
export const SECRETS = {
  inline: "planted.inline-key_01~x",
  openai: "planted.openai-key_02~x",
  anthropic: "planted.anthropic-key_03~x",
  google: "planted.google-key_04~x",
  azure: "planted.azure-key_05~x",
  mistral: "planted.mistral-key_06~x",
  cohere: "planted.cohere-key_07~x",
  awsId: "PLANTEDACCESSKEYID08",
  awsSecret: "planted/aws+secret_09/x",
  awsToken: "planted/aws+token_10/x==",
  tavily: "planted.tavily-key_11~x",
  otlp: "planted-otlp-header_12~x",
  accessToken: ACCESS_TOKEN,
  pepper: "planted_pepper_13",
  adminToken: "svc_planted_admin_token_14",
  serviceKey: "svc_planted_service_key_15",
  metricsToken: "planted_metrics_token_16",
  passphrase: "planted.passphrase-17",
  hookPath: "planted-hook-path_18",
  mailPassword: "planted.mail-password_19~x",
} as const;

/** Is shown, so that a search that finds nothing has looked. */
export const SHOWN = "planted-and-shown";

const KINDS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "openai-compatible": { apiKey: SECRETS.inline },
  openai: { apiKeyEnv: "OPENAI_API_KEY" },
  anthropic: { apiKeyEnv: "ANTHROPIC_API_KEY" },
  google: { apiKeyEnv: "GEMINI_API_KEY" },
  "google-vertex": { credentialsFileEnv: "GOOGLE_APPLICATION_CREDENTIALS" },
  "amazon-bedrock": {
    accessKeyIdEnv: "AWS_ACCESS_KEY_ID",
    secretAccessKeyEnv: "AWS_SECRET_ACCESS_KEY",
    sessionTokenEnv: "AWS_SESSION_TOKEN",
    region: "eu-central-1",
  },
  azure: { apiKeyEnv: "SERVICE_UPSTREAM_AZURE_KEY" },
  mistral: { apiKeyEnv: "MISTRAL_API_KEY" },
  cohere: { apiKeyEnv: "COHERE_API_KEY" },
};

/** Kinds that draw. */
const DRAWING = /^(?:openai|google|amazon|azure)/;

/** Every provider in each of its ways to fail; an upstream each, so that none cools down for another. */
export const MODELS: readonly string[] = Object.keys(KINDS)
  .flatMap((kind) => ECHOES.map((echo) => `${kind}.${echo}`));

/** Enough of them to leave traces in the log and in the store. */
export const FEW: readonly string[] = MODELS.filter((id) => /\.40[14]$/.test(id));

const ENV = {
  OPENAI_API_KEY: SECRETS.openai,
  ANTHROPIC_API_KEY: SECRETS.anthropic,
  GEMINI_API_KEY: SECRETS.google,
  SERVICE_UPSTREAM_AZURE_KEY: SECRETS.azure,
  MISTRAL_API_KEY: SECRETS.mistral,
  // As variables that are read from files end.
  COHERE_API_KEY: `${SECRETS.cohere}\n`,
  AWS_ACCESS_KEY_ID: SECRETS.awsId,
  AWS_SECRET_ACCESS_KEY: SECRETS.awsSecret,
  AWS_SESSION_TOKEN: SECRETS.awsToken,
  SERVICE_BOOTSTRAP_KEY: SECRETS.serviceKey,
  SERVICE_ADMIN_TOKEN: SECRETS.adminToken,
  SERVICE_KEY_PEPPER: SECRETS.pepper,
  SERVICE_METRICS_TOKEN: SECRETS.metricsToken,
  SERVICE_NOTIFY_HOSTS: "127.0.0.1",
} as const;

const TEXT = { en: "Standard", zh: "标准" };

function configOf(provider: EchoingProvider): unknown {
  const split = (id: string): [string, Echo] => {
    const [kind = "", echo] = id.split(".");
    return [kind, ECHOES.find((one) => one === echo) ?? "500"];
  };
  return {
    upstreams: MODELS.map((id) => {
      const [kind, echo] = split(id);
      return { id: `at-${id}`, kind, baseUrl: provider.baseUrl(echo), ...KINDS[kind] };
    }),
    models: MODELS.map((id) => ({
      ...{ id, upstream: `at-${id}`, upstreamModel: "m", quality: 0.5, contextTokens: 9_000 },
      maxOutputTokens: 100,
      endpoints: ["chat", "responses", ...(DRAWING.test(id) ? ["images.generations"] : [])],
      featureTags: ["tools"],
      price: { inputPerMTok: "1", outputPerMTok: "2", perImage: "0.01" },
    })),
    tiers: [{ id: "standard", creditsPerUsd: "1000", models: "*", name: TEXT, description: TEXT }],
    search: {
      kind: "tavily",
      apiKey: SECRETS.tavily,
      baseUrl: `${provider.origin}/401`,
    },
  };
}

/** The scene: everything that ends with it. */
export class Scene implements AsyncDisposable {
  readonly service: ServiceProcess;
  readonly provider: EchoingProvider;
  readonly collector: OtlpCollector;
  readonly folder: string;
  /** Lines of the service account's private key. */
  readonly privateKey: string;
  /** Environment variables of the service, for commands. */
  readonly env: Readonly<Record<string, string>>;

  private constructor(parts: Omit<Scene, typeof Symbol.asyncDispose | "operate" | "kvPath">) {
    this.service = parts.service;
    this.provider = parts.provider;
    this.collector = parts.collector;
    this.folder = parts.folder;
    this.privateKey = parts.privateKey;
    this.env = parts.env;
  }

  /** Starts it, exporting to a collector or not. */
  static async start(options: { readonly exports: boolean }): Promise<Scene> {
    const folder = await Deno.makeTempDir();
    const provider = new EchoingProvider();
    const collector = new OtlpCollector();
    const { privateKey } = generateKeyPairSync("rsa", {
      modulusLength: 2048,
      privateKeyEncoding: { type: "pkcs8", format: "pem" },
      publicKeyEncoding: { type: "spki", format: "pem" },
    });
    const account = join(folder, "account.json");
    const config = join(folder, "svc.json");
    const token_uri = `${provider.origin}/token`;
    const client_email = "gateway@planted.test";
    await Deno.writeTextFile(
      account,
      JSON.stringify({ client_email, token_uri, private_key: privateKey }),
    );
    await Deno.writeTextFile(config, JSON.stringify(configOf(provider)));
    const env = { ...ENV, GOOGLE_APPLICATION_CREDENTIALS: account };
    const exporting = options.exports
      ? {
        ...collector.env,
        SERVICE_TRACE_RATIO: "1",
        OTEL_EXPORTER_OTLP_HEADERS: `x-planted=${SECRETS.otlp}`,
      }
      : {};
    const service = await ServiceProcess.start(join(folder, "svc.kv"), { ...env, ...exporting }, {
      config,
      reads: [account],
    });
    const commands = { ...env, SERVICE_CONFIG: config, SERVICE_KV_PATH: join(folder, "svc.kv") };
    return new Scene({ service, provider, collector, folder, privateKey, env: commands });
  }

  /** The store's file. */
  get kvPath(): string {
    return join(this.folder, "svc.kv");
  }

  /** Calls the operator's API; the answer's text, of what has no end its beginning. */
  async operate(method: string, path: string, body?: unknown): Promise<string> {
    const response = await fetch(`${this.service.adminUrl}/admin/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${SECRETS.adminToken}`,
        "content-type": "application/json",
      },
      body: body === undefined ? null : JSON.stringify(body),
    });
    return await textOf(response);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]();
    await this.provider[Symbol.asyncDispose]();
    await this.collector[Symbol.asyncDispose]();
    await Deno.remove(this.folder, { recursive: true });
  }
}

/** Returns the text of a response; of a feed its beginning. */
export async function textOf(response: Response): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  if (!type.startsWith("text/event-stream")) return await response.text();
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  const { value = "" } = await reader?.read() ?? {};
  await reader?.cancel();
  return value;
}

/** All that a text holds of secrets, by name: as they are, in any usual writing, or a good part. */
export function leaksIn(text: string, more: Readonly<Record<string, string>> = {}): string[] {
  // Half of a key shortens the search for the rest.
  const plain = text.replace(
    /\\+u([0-9a-fA-F]{4})/g,
    (_, hex) => String.fromCharCode(parseInt(hex, 16)),
  )
    .replaceAll(/\\+/g, "");
  return Object.entries({ ...SECRETS, ...more }).filter(([, secret]) => {
    const part = secret.slice(0, Math.ceil(secret.length * 0.8));
    const writings = [secret, part, encodeURIComponent(secret), [...part].join("\0"), btoa(secret)];
    return writings.some((writing) => text.includes(writing) || plain.includes(writing));
  }).map(([name]) => name);
}

const HI = [{ role: "user", content: "Hi" }];
/** Requests for every model, each by another route. */
const CALLS: readonly (readonly [path: string, body: Readonly<Record<string, unknown>>])[] = [
  ["chat/completions", { messages: HI }],
  ["chat/completions", { messages: HI, stream: true }],
  ["chat/completions", { messages: HI, tools: [{ type: "web_search_preview" }] }],
  ["responses", { input: "Hi" }],
  ["responses", { input: "Hi", stream: true }],
  ["images/generations", { prompt: "A lamp" }],
];

/**
 * Calls models by every route, or only by the first; returns all that callers received, headers
 * included.
 */
export async function callAll(
  scene: Scene,
  { models = MODELS, calls = CALLS.length }: { models?: readonly string[]; calls?: number } = {},
): Promise<string[]> {
  const texts: string[] = [];
  for (const model of models) {
    const made = await scene.operate("POST", "/keys", {
      ...{ name: `for-${model}`, wallet: "default", policy: { models: [model] } },
    });
    const { key } = JSON.parse(made);
    for (const [path, body] of CALLS.slice(0, calls)) {
      const response = await fetch(`${scene.service.publicUrl}/openai/v1/${path}`, {
        method: "POST",
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ model: "auto", ...body }),
      });
      const headers = JSON.stringify([...response.headers]);
      texts.push(`${model} ${path} ${response.status} ${headers} ${await response.text()}`);
    }
  }
  return texts;
}
