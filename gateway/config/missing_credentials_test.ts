import { assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../domain/catalog/catalog.ts";
import {
  missingCredentials,
  missingCredentialsText,
  missingSearchVariable,
  missingSearchVariableText,
} from "./missing_credentials.ts";

function upstream(id: string, key: Partial<UpstreamConfig>): UpstreamConfig {
  return {
    id,
    kind: "openai",
    provider: id,
    maxInFlight: 1,
    onDisconnect: "cancel",
    timeouts: { connectMs: 1, firstByteMs: 1, idleMs: 1 },
    ...key,
  };
}

Deno.test("missingCredentials() names upstreams whose variable is not set or empty", () => {
  const variables = new Map([["SET", "sk-1"], ["EMPTY", ""]]);
  const env = (name: string) => variables.get(name);
  const upstreams = [
    upstream("set", { apiKeyEnv: "SET" }),
    upstream("empty", { apiKeyEnv: "EMPTY" }),
    upstream("absent", { apiKeyEnv: "ABSENT" }),
    upstream("fixed", { apiKey: "none" }),
    upstream("open", {}),
  ];
  assertEquals(missingCredentials(upstreams, env).map(({ upstream }) => upstream), [
    "empty",
    "absent",
  ]);
});

Deno.test("missingCredentials() names each variable of a key that consists of several", () => {
  const env = (name: string) => name === "ID" ? "AKIA" : undefined;
  const upstreams = [
    upstream("aws", { accessKeyIdEnv: "ID", secretAccessKeyEnv: "SECRET", sessionTokenEnv: "T" }),
    upstream("vertex", { credentialsFileEnv: "FILE" }),
  ];
  assertEquals(missingCredentials(upstreams, env), [
    { upstream: "aws", variable: "SECRET" },
    { upstream: "vertex", variable: "FILE" },
  ]);
});

Deno.test("missingCredentialsText() names the upstream and the variable", () => {
  assertEquals(
    missingCredentialsText({ upstream: "lab", variable: "LAB_KEY" }),
    'Upstream "lab" has no credentials: the environment variable LAB_KEY is not set, or the ' +
      "service may not read it",
  );
});

Deno.test("missingSearchVariable() is the variable that a back end with a key lacks", () => {
  const env = (name: string) => name === "SET" ? "key" : undefined;
  const brave = { kind: "brave", baseUrl: "https://search.example", pricePerSearch: "0" } as const;
  assertEquals(missingSearchVariable({ ...brave, apiKeyEnv: "ABSENT" }, env), "ABSENT");
  assertEquals(missingSearchVariable({ ...brave, apiKeyEnv: "SET" }, env), undefined);
  assertEquals(missingSearchVariable({ ...brave, apiKey: "fixed" }, env), undefined);
  assertEquals(missingSearchVariable({ kind: "offline", pricePerSearch: "0" }, env), undefined);
  assertEquals(missingSearchVariable(undefined, env), undefined);
});

Deno.test("missingSearchVariableText() names the variable", () => {
  assertEquals(
    missingSearchVariableText("BRAVE_API_KEY"),
    "Web search has no credentials: the environment variable BRAVE_API_KEY is not set, or the " +
      "service may not read it",
  );
});
