import { assert, assertAlmostEquals, assertEquals, assertStringIncludes } from "@std/assert";
import { meanOf, qualitiesOf } from "./catalog.ts";
import { evaluateSet, pairOf } from "./evaluate.ts";
import { evaluateFeedback } from "./feedback.ts";
import { evaluate, main, parseOptions, reportLines } from "./mod.ts";
import { svgOf, textPlotOf } from "./plot.ts";
import { plotOf } from "./report.ts";
import { benchOf, planOf, served } from "./replay.ts";
import { auditedSnapshot, trainedSnapshot } from "./snapshots.ts";
import { halfOf } from "./evaluate.ts";
import { gzipped, syntheticSet, textOf } from "./synthetic_fixture_test.ts";

const SET = syntheticSet(160);
const quiet = { progress: () => {} };

Deno.test("training sends the hard task to the model that solves it, and the easy one elsewhere", () => {
  const bench = benchOf(SET);
  const half = halfOf(bench, 1, "published");
  const snapshot = trainedSnapshot({ bench, ...half });
  const model = (at: number) => {
    const way = { snapshot, verify: "off" } as const;
    const plan = planOf(bench, at, { catalog: half.catalog, way, dial: 0.5, seed: 0.5 });
    return SET.models[served(bench, at, plan).model];
  };
  assertEquals(model(1), "large");
  assert(model(0) !== "large");
});

Deno.test("audits let the easy task be verified by cheap models that agree", () => {
  const bench = benchOf(SET);
  const half = halfOf(bench, 1, "published");
  const snapshot = auditedSnapshot({ bench, ...half });
  const way = { snapshot, verify: "always" } as const;
  const plan = planOf(bench, 0, { catalog: half.catalog, way, dial: 0.5, seed: 0.5 });
  assert(plan.ladder !== undefined);
  const { quality, cost } = served(bench, 0, plan);
  assertEquals(quality, 1);
  assert(cost < 50, `${cost}`);
  const hard = planOf(bench, 1, { catalog: half.catalog, way, dial: 0.5, seed: 0.5 });
  const result = served(bench, 1, hard);
  assertEquals(SET.models[result.model], "large");
  assert(result.cost > 50, `${result.cost}`);
});

Deno.test("a set is evaluated: learned routing keeps the quality at half of the cost", () => {
  const report = evaluateSet(benchOf(SET), [1, 2], { ...quiet });
  const trained = report.ways.find(({ way }) => way === "trained");
  assert(trained !== undefined);
  assertAlmostEquals(trained.points["best-1"].quality.value, 0.99, 0.02);
  assert(trained.points["best-1"].share.value < 0.6, `${trained.points["best-1"].share.value}`);
  assertEquals(trained.points.best.quality.value, 1);
  assertAlmostEquals(report.apgr.trained.value, 0.75, 0.02);
  assertEquals(report.ways.length, 5);
});

Deno.test("qualities come from the file, else from published scores, else from the training half", () => {
  const training = [0, 1];
  assertEquals(qualitiesOf(SET, training).source, "the file");
  const unknown = { ...SET, quality: undefined };
  assertEquals(qualitiesOf(unknown, training), {
    source: "the training half",
    values: [0.5, 0.5, 0.5, 1],
    assumed: [],
  });
  const known = {
    ...unknown,
    models: ["gpt-4o-2024-08-06", "gemini-1.5-pro", "x", "gemini-1.5-flash"],
  };
  const { source, values, assumed } = qualitiesOf(known, training);
  assertEquals([source, values[0], values[2]], ["published scores", 0.887, 0.859]);
  assertEquals(assumed, ["x"]);
});

Deno.test("the pair of APGR is the file's, else the cheapest and the best model", () => {
  assertEquals(pairOf(SET), ["tiny", "large"]);
  assertEquals(pairOf({ ...SET, pair: ["small", "middle"] }), ["small", "middle"]);
});

Deno.test("votes about the served model are evaluated beside the random mix", () => {
  const { pair, before, voted } = evaluateFeedback(SET, [1, 2], { ...quiet });
  assertEquals(pair, ["tiny", "large"]);
  assert(voted.gain.value >= before.gain.value - 0.02);
  assert(Number.isFinite(voted.gain.error));
});

Deno.test("the report names seeds, sources and every way; the plots name every series", () => {
  const other = { ...SET, name: "<other>" };
  const report = evaluate([SET, other], 1, () => {});
  const text = reportLines(report).join("\n");
  for (
    const part of ["seeds 1;", "Qualities of the catalog: the file", "prompt length", "oracle"]
  ) {
    assertStringIncludes(text, part);
  }
  assertStringIncludes(text, "untrained, constants fitted without this set");
  assertEquals(report.pooled.length, 1);
  const plot = plotOf(report.sets[1] ?? report.pooled[0]!);
  const svg = svgOf([plot]);
  assertStringIncludes(svg, "&lt;other&gt;");
  for (const { name } of plot.series) {
    assertStringIncludes(svg, `>${name}<`);
    assertStringIncludes(textPlotOf(plot), name);
  }
});

/** Runs the program and returns what it printed. */
async function run(args: readonly string[]) {
  const lines: string[] = [];
  const errors: string[] = [];
  const code = await main(args, {
    log: (line) => lines.push(line),
    error: (line) => errors.push(line),
  });
  return { code, text: lines.join("\n"), errors: errors.join("\n") };
}

Deno.test("without data the evaluation says that it is skipped, and succeeds", async () => {
  const none = await run([]);
  assertEquals(none.code, 0);
  assertStringIncludes(none.text, "skipped");
  const absent = await run(["--data", "/nonexistent/routing-data"]);
  assertEquals(absent.code, 0);
  assertStringIncludes(absent.text, "skipped: /nonexistent/routing-data holds no file");
});

Deno.test("malformed data ends the evaluation with file and line", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/bad.jsonl.gz`, await gzipped('{"name":"x"}\n'));
    const { code, errors } = await run(["--data", folder]);
    assertEquals(code, 1);
    assertStringIncludes(errors, `${folder}/bad.jsonl.gz:1: "models"`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("JSON and an SVG file are written on request", async () => {
  const folder = await Deno.makeTempDir();
  try {
    await Deno.writeFile(`${folder}/s.jsonl.gz`, await gzipped(textOf(syntheticSet(60))));
    const svg = `${folder}/plot.svg`;
    const { code, text } = await run(["--data", folder, "--splits", "1", "--json", "--svg", svg]);
    assertEquals(code, 0);
    const { sets } = JSON.parse(text);
    assertEquals(sets[0].name, "synthetic");
    assertEquals(meanOf(sets[0].models.map(({ cost }: { cost: number }) => cost)), 14.5);
    assertStringIncludes(await Deno.readTextFile(svg), "<svg");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});

Deno.test("options are checked", () => {
  assertEquals(parseOptions(["--splits", "3"]).ok, true);
  for (const args of [["--splits", "0"], ["--splits", "21"], ["--splits", "x"], ["--other"]]) {
    assertEquals(parseOptions(args).ok, false, args.join(" "));
  }
});
