/**
 * Secrets of every kind, planted where operators keep them, and searched for wherever the service says
 * anything: to callers, to operators, on pages, in the log, in what it exports, in files.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { scrape } from "../../fixtures/prometheus.ts";
import { callAll, leaksIn, MODELS, Scene, SECRETS } from "./scene.ts";

/** Texts that providers are called with; they repeat all of them. */
const PROVIDERS = [
  ...["inline", "openai", "anthropic", "google", "azure", "mistral", "cohere", "awsId"],
  ...["awsToken", "accessToken", "tavily"],
];

for (const exports of [false, true]) {
  const how = exports ? ", and in what is exported" : "";
  Deno.test(`a provider's repetition of its key is removed from answers and log${how}`, async () => {
    await using scene = await Scene.start({ exports });
    const { collector, privateKey, provider, service } = scene;
    const lines = privateKey.split("\n").filter((line) => /^[A-Za-z0-9+/=]{40,}$/.test(line));
    const keys = Object.fromEntries(lines.map((line, at) => [`private key, line ${at}`, line]));
    const texts = await callAll(scene);
    // Each key was sent and came back: else its absence would show nothing.
    assertEquals(PROVIDERS.filter((name) => !leaksIn(provider.seen).includes(name)), []);
    for (const text of texts) assertEquals(leaksIn(text, keys), [], text);
    for (const model of MODELS) assert(texts.some((text) => text.startsWith(`${model} `)));
    assert(
      texts.some((text) => text.includes("[redacted]")),
      "No message of a provider came through",
    );
    const metrics = await (await scrape(service.adminUrl, SECRETS.metricsToken)).text();
    assert(metrics.includes("at-anthropic.401"));
    assertEquals(leaksIn(metrics, keys), [], "the metrics");
    const { stderr, stdout } = await service.end("SIGTERM");
    const log = exports ? collector.lines.map(({ text }) => text).join("\n") : stderr;
    for (
      const evidence of ["upstream_refuses_credentials", "at-mistral.401", "web_search_failed"]
    ) {
      assert(log.includes(evidence), evidence);
    }
    assertEquals(leaksIn(stderr + log, keys), [], "the log");
    // The first start shows the operator's own two, once.
    const banner = stdout.replaceAll(SECRETS.serviceKey, "").replaceAll(SECRETS.adminToken, "");
    assertEquals(leaksIn(banner, keys), [], "standard output");
    if (!exports) return;
    assertEquals(collector.headers.get("x-planted"), SECRETS.otlp);
    assert(collector.spans.length > MODELS.length && collector.metrics.size > 1);
    assertEquals(leaksIn(collector.everything, keys), [], "what is exported");
  });
}
