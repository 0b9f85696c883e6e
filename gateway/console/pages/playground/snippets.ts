/**
 * A call as code to take along. Each runs as it is pasted once the key stands in it; whatever was
 * entered is a literal of its language there and nothing else.
 *
 * @module
 */

import type { PlaygroundCall } from "./call.ts";

/** Stands where the reader's key goes. */
export const KEY_PLACEHOLDER = "svc_live_YOUR_KEY";

/** The same call in four ways. */
export interface Snippets {
  readonly curl: string;
  readonly sdk: string;
  readonly openai: string;
  readonly python: string;
}

const PATHS = {
  chat: "chat/completions",
  responses: "responses",
  "images.generations": "images/generations",
} as const;

/** A call, for a gateway that applications reach at this address. */
export function snippets(call: PlaygroundCall, publicUrl: string): Snippets {
  return {
    curl: curl(call, publicUrl),
    sdk: sdk(call, publicUrl),
    openai: openai(call, publicUrl),
    python: python(call, publicUrl),
  };
}

function curl({ endpoint, body, orchestration }: PlaygroundCall, publicUrl: string): string {
  const headers = [
    `Authorization: Bearer ${KEY_PLACEHOLDER}`,
    "Content-Type: application/json",
    ...orchestration === undefined ? [] : [`X-Orchestration: ${orchestration}`],
  ];
  return [
    `curl -sS ${shell(`${publicUrl}/openai/v1/${PATHS[endpoint]}`)}`,
    ...headers.map((header) => `-H ${shell(header)}`),
    ...endpoint === "images.generations" ? ["-o answer.json"] : [],
    `-d ${shell(JSON.stringify(body, null, 2))}`,
  ].join(" \\\n  ");
}

function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

const CALLS = {
  chat: "chat.completions.create",
  responses: "responses.create",
  "images.generations": "images.generate",
} as const;

function sdk({ endpoint, body, orchestration }: PlaygroundCall, publicUrl: string): string {
  const { model: _, ...rest } = body;
  const options = {
    apiKey: KEY_PLACEHOLDER,
    apiBaseUrl: publicUrl,
    ...(orchestration === undefined ? {} : { headers: { "X-Orchestration": orchestration } }),
  };
  return typescript({
    endpoint,
    imports: 'import { ServiceClient } from "@svc/sdk";',
    client: `new ServiceClient(${literal(options)})`,
    callArguments: literal(rest),
    text: endpoint === "chat" ? "answer.choices[0]?.message.content" : "answer.outputText",
    bill: "answer.metadata?.billing",
  });
}

function openai({ endpoint, body, orchestration }: PlaygroundCall, publicUrl: string): string {
  const options = { apiKey: KEY_PLACEHOLDER, baseURL: `${publicUrl}/openai/v1` };
  const headers = orchestration === undefined
    ? ""
    : `, ${literal({ headers: { "X-Orchestration": orchestration } })}`;
  return typescript({
    endpoint,
    imports: 'import OpenAI from "openai";',
    client: `new OpenAI(${literal(options)})`,
    callArguments: literal(body) + headers,
    text: endpoint === "chat" ? "answer.choices[0]?.message.content" : "answer.output_text",
    bill: undefined,
  });
}

function typescript(parts: {
  readonly endpoint: PlaygroundCall["endpoint"];
  readonly imports: string;
  readonly client: string;
  readonly callArguments: string;
  readonly text: string;
  readonly bill: string | undefined;
}): string {
  const { endpoint, imports, client, callArguments, text, bill } = parts;
  const draws = endpoint === "images.generations";
  const printed = draws
    ? 'await writeFile("image.png", answer.data?.[0]?.b64_json ?? "", "base64");'
    : `console.log(${text}${bill === undefined ? "" : `, ${bill}`});`;
  return [
    ...draws ? ['import { writeFile } from "node:fs/promises";'] : [],
    imports,
    "",
    `const client = ${client};`,
    `const answer = await client.${CALLS[endpoint]}(${callArguments});`,
    printed,
  ].join("\n");
}

function literal(value: unknown): string {
  return JSON.stringify(value, null, 2);
}

function python({ endpoint, body, orchestration }: PlaygroundCall, publicUrl: string): string {
  const extra = orchestration === undefined
    ? []
    : [["extra_headers", { "X-Orchestration": orchestration }] as const];
  const callArguments = [...Object.entries(body), ...extra]
    .map(([name, value]) => `    ${name}=${pythonLiteral(value)},`);
  const draws = endpoint === "images.generations";
  const printed = draws
    ? [
      'with open("image.png", "wb") as file:',
      "    file.write(base64.b64decode(answer.data[0].b64_json))",
    ]
    : [`print(answer.${endpoint === "chat" ? "choices[0].message.content" : "output_text"})`];
  return [
    ...draws ? ["import base64", ""] : [],
    "from openai import OpenAI",
    "",
    "client = OpenAI(",
    `    api_key=${pythonLiteral(KEY_PLACEHOLDER)},`,
    `    base_url=${pythonLiteral(`${publicUrl}/openai/v1`)},`,
    ")",
    `answer = client.${CALLS[endpoint]}(`,
    ...callArguments,
    ")",
    ...printed,
  ].join("\n");
}

/** Texts are written as in JSON, whose escapes are Python's too. */
function pythonLiteral(value: unknown): string {
  if (value === true) return "True";
  if (value === false) return "False";
  if (value === null || value === undefined) return "None";
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(", ")}]`;
  if (typeof value !== "object") return JSON.stringify(value);
  const entries = Object.entries(value).map(([name, each]: [string, unknown]) =>
    `${JSON.stringify(name)}: ${pythonLiteral(each)}`
  );
  return `{${entries.join(", ")}}`;
}
