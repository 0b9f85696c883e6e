import { assertEquals } from "@std/assert";
import type { UpstreamConfig } from "../domain/catalog.ts";
import { missingCredentials, missingCredentialsText } from "./missing_credentials.ts";

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

Deno.test("missingCredentialsText() names the upstream and the variable", () => {
  assertEquals(
    missingCredentialsText({ upstream: "lab", variable: "LAB_KEY" }),
    'Upstream "lab" has no credentials: the environment variable LAB_KEY is not set, or the ' +
      "service may not read it",
  );
});
