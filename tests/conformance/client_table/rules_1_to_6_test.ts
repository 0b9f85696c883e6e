/**
 * Tool rules 1 to 6 of section 4.1, each by its number, on every surface: which tools are declared,
 * and which are run.
 *
 * @module
 */

import { assert, assertEquals, assertGreater, assertMatch } from "@std/assert";
import type { ServiceClientOptions } from "@svc/sdk";
import { asking, DOUBLE, each, resultsIn, running, spy, SUM, USE_DOUBLE } from "./rules.ts";
import { Stage, toolsIn } from "./stage.ts";

const DEFAULTS = [
  ...["calculator", "datetime", "file_read", "list_dir", "file_search", "file_write", "shell"],
];
each("1: a request's own tools, even none, suppress all others", asking, async (ask) => {
  const { tool, inputs } = spy();
  await using at = await Stage.open({ tools: [tool] });
  await ask(at.client, { ...SUM, tools: [] });
  const own = { name: "own_tool", parameters: { type: "object", properties: {}, "x-kept": 1 } };
  await ask(at.client, { ...SUM, tools: [own] });
  assertEquals(at.sent.map(toolsIn), [[], ["own_tool"]]);
  assertMatch(JSON.stringify(at.last.body?.["tools"]), /"x-kept":1/);
  assertEquals(inputs, []);
});

each("1: a request's own tools, even none, suppress all others", running, async (run) => {
  const { tool, inputs } = spy();
  await using at = await Stage.open();
  await run(at.client, { ...SUM, tools: [] });
  await run(at.client, { ...USE_DOUBLE, tools: [] }, { tools: [tool] });
  assertEquals(at.sent.map(toolsIn), [[], []]);
  assertEquals(inputs, []);
});

each("2: the client's tools replace the defaults", asking, async (ask) => {
  await using at = await Stage.open({ tools: [spy().tool] });
  await ask(at.client, SUM);
  assertEquals(at.sent.map(toolsIn), [["double_it"]]);
});

each("2: the client's tools replace the defaults", running, async (run) => {
  const { tool, inputs } = spy();
  await using at = await Stage.open({ tools: [tool] });
  const { stoppedBy } = await run(at.client, USE_DOUBLE);
  assertEquals(at.sent.map(toolsIn), [["double_it"], ["double_it"]]);
  assertEquals([inputs, stoppedBy], [[{ n: 21 }], "finish"]);
});

each("3: where neither brings tools, the defaults are declared and run", asking, async (ask) => {
  await using at = await Stage.open({ tools: [] });
  const { text, totalTokens } = await ask(at.client, SUM);
  assertMatch(text, /391/);
  assertEquals(at.sent.map(toolsIn), [DEFAULTS, DEFAULTS]);
  assertGreater(totalTokens ?? 0, 0);
  await at.service.assertBooks();
});

each("3: where neither brings tools, the defaults are declared and run", running, async (run) => {
  await using at = await Stage.open();
  const { finalText } = await run(at.client, SUM);
  assertMatch(finalText, /391/);
  assertEquals(at.sent.map(toolsIn), [DEFAULTS, DEFAULTS]);
});

each("4: create and stream run neither a request's tools nor a client's", asking, async (ask) => {
  const { tool, inputs } = spy();
  await using at = await Stage.open({ tools: [tool] });
  const registered = await ask(at.client, USE_DOUBLE);
  const requested = await ask(at.client, { ...USE_DOUBLE, tools: [DOUBLE] });
  const named = await ask(at.client, {
    ...{ text: 'Use calculator with {"expression": "1 + 1"}' },
    tools: [{ ...DOUBLE, name: "calculator" }],
  });
  const called = [registered, requested, named].map(({ calls }) => calls.map(({ name }) => name));
  assertEquals(called, [["double_it"], ["double_it"], ["calculator"]]);
  assertEquals([inputs, at.sent.length], [[], 3]);
});

each("5: a run executes what is registered, and no default of that name", running, async (run) => {
  const { tool, inputs } = spy();
  await using at = await Stage.open({ tools: [tool] });
  const { steps, stoppedBy } = await run(at.client, {
    text: 'Use calculator with {"expression": "1 + 1"} and double_it with {"n": 21}',
    tools: [{ ...DOUBLE, name: "calculator" }, DOUBLE],
  });
  assertEquals(inputs, [{ n: 21 }]);
  assertEquals(steps[0]?.results.map(({ isError }) => isError), [true, false]);
  const [refused, doubled] = resultsIn(at.last);
  assertEquals(JSON.parse(String(refused)).error.code, "tool_handler_not_found");
  assertEquals(doubled, '{"doubled":42}');
  assertEquals(stoppedBy, "finish");
});

each(
  "5: a registered tool without a handler is not found, unless it is manual",
  running,
  async (run) => {
    await using at = await Stage.open({ tools: [DOUBLE] });
    const { stoppedBy } = await run(at.client, USE_DOUBLE);
    assertEquals(stoppedBy, "finish");
    const [result] = resultsIn(at.last);
    assertEquals(JSON.parse(String(result)).error.code, "tool_handler_not_found");
    for (const manualTools of [["double_it"], true] as const) {
      const { pendingCalls, ...handed } = await run(at.client, USE_DOUBLE, { manualTools });
      assertEquals([handed.stoppedBy, pendingCalls.map(({ name }) => name)], [
        ...["tool_calls", ["double_it"]],
      ]);
    }
  },
);

each("5: a handler is enough for a tool that the request declares", running, async (run) => {
  const { tool: { execute }, inputs } = spy();
  assert(execute !== undefined);
  await using at = await Stage.open({ toolHandlers: { double_it: execute } });
  await run(at.client, { ...USE_DOUBLE, tools: [DOUBLE] });
  assertEquals(inputs, [{ n: 21 }]);
});

const WRITE = 'file_write with {"path": "new.txt", "mode": "create", "content": "written"}';
const FILES_AND_SHELL = {
  text: `Use ${WRITE}, shell with {"command": "echo ran"}, file_read with {"path": "notes.txt"}`,
};

/** A workspace with a file in it. */
async function withWorkspace(check: (folder: string) => Promise<void>): Promise<void> {
  const folder = await Deno.realPath(await Deno.makeTempDir());
  try {
    await Deno.writeTextFile(`${folder}/notes.txt`, "Remember the milk");
    await check(folder);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

each(
  "6: file_write and shell are declared, and refused; reading is free",
  running,
  (run) =>
    withWorkspace(async (folder) => {
      await using at = await Stage.open({ fileWorkspace: folder, shellWorkspace: folder });
      const { steps } = await run(at.client, FILES_AND_SHELL);
      assertEquals(toolsIn(at.last), DEFAULTS);
      assertEquals(steps[0]?.results.map(({ call, isError }) => [call.name, isError]), [
        ["file_write", true],
        ["shell", true],
        ["file_read", false],
      ]);
      const [, , read] = resultsIn(at.last);
      assertMatch(String(read), /Remember the milk/);
      const entries = await Array.fromAsync(Deno.readDir(folder));
      assertEquals(entries.map(({ name }) => name), ["notes.txt"]);
    }),
);

each(
  "6: what the permission callbacks grant is run, and they see where",
  running,
  (run) =>
    withWorkspace(async (folder) => {
      const questions: unknown[] = [];
      const options: ServiceClientOptions = {
        fileWorkspace: folder,
        shellWorkspace: folder,
        filePermission: ({ root, path }) => questions.push([root, path]) > 0,
        shellPermission: ({ command, workingDir }) => questions.push([command, workingDir]) > 0,
      };
      await using at = await Stage.open(options);
      const { steps } = await run(at.client, FILES_AND_SHELL);
      assertEquals(steps[0]?.results.map(({ isError }) => isError), [false, false, false]);
      assertEquals(await Deno.readTextFile(`${folder}/new.txt`), "written");
      assertMatch(String(resultsIn(at.last)[1]), /ran/);
      assertEquals(
        new Set(questions.map(String)),
        new Set([`${folder},new.txt`, `echo ran,${folder}`]),
      );
    }),
);
