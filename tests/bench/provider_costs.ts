/**
 * Measures the cost of each provider package: the time to load it, and the memory that it keeps, each
 * in a separate process; the median of five.
 *
 * ```sh
 * deno run --allow-read --allow-env --allow-run tests/bench/provider_costs.ts
 * ```
 *
 * @module
 */

import { isTranslated, PROVIDERS } from "../../gateway/upstreams/providers/provider_kinds.ts";

/** The cost of loading packages. */
export interface Cost {
  readonly ms: number;
  readonly megabytes: number;
}

const RUNS = 5;
const TRANSLATED = PROVIDERS.filter(isTranslated);

/** Loads packages of these kinds in this process. */
async function load(kinds: readonly string[]): Promise<Cost> {
  const startedMs = performance.now();
  const { rss } = Deno.memoryUsage();
  for (const { kind, protocol } of TRANSLATED) {
    if (kinds.includes(kind)) await protocol.open();
  }
  return {
    ms: performance.now() - startedMs,
    megabytes: (Deno.memoryUsage().rss - rss) / 2 ** 20,
  };
}

/** Measures it in processes of their own. */
async function measure(kinds: readonly string[]): Promise<Cost> {
  const costs: Cost[] = [];
  for (let run = 0; run < RUNS; run++) {
    const { stdout, success } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-prompt", "--allow-read", "--allow-env", import.meta.url, ...kinds],
      stderr: "inherit",
    }).output();
    if (!success) throw new Error(`Cannot load the packages of ${kinds.join(", ")}`);
    costs.push(JSON.parse(new TextDecoder().decode(stdout)));
  }
  return {
    ms: median(costs.map(({ ms }) => ms)),
    megabytes: median(costs.map(({ megabytes }) => megabytes)),
  };
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
}

if (import.meta.main) {
  if (Deno.args.length > 0) console.log(JSON.stringify(await load(Deno.args)));
  else {
    const kinds = TRANSLATED.map(({ kind }) => kind);
    for (const some of [...kinds.map((kind) => [kind]), kinds]) {
      const { megabytes, ms } = await measure(some);
      const name = some.length === 1 ? some[0] : "all together";
      console.log(`${name}: ${Math.round(ms)} ms, ${megabytes.toFixed(1)} MB`);
    }
  }
}
