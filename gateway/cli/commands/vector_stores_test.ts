import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { assertRefused, type TestAdmin } from "../../admin/admin_test_support.ts";
import { assertFailed, withCli } from "../cli_test_support.ts";

Deno.test("svc vector-stores makes, fills, searches and removes a store", async () => {
  await withCli(async ({ files, run, json }) => {
    files.set("docs/lamp.md", "The lamp turns once a minute");
    files.set("hours.html", "<p>Open from <b>nine</b></p>");
    const { id } = await json("vector-stores create Lighthouse --wallet team");
    const added = await run(`vector-stores add ${id} docs/lamp.md hours.html`, {
      isTerminal: true,
    });
    assertEquals([added.code, added.err], [0, ""]);
    assertMatch(
      added.out,
      /^Adding docs\/lamp\.md \(1 of 2\)\nAdding hours\.html \(2 of 2\)\nFILE /,
    );
    const drawn = await run(`vector-stores add ${id} hours.html`, { progressColumns: 80 });
    assertMatch(
      drawn.err.replaceAll("\r\x1b[K", "<erase>"),
      /^<erase>Adding .* 0 of 1 files<erase>$/,
    );
    await run(`vector-stores remove ${id} --file ${/file\S*/.exec(drawn.out)?.[0]}`);
    const quiet = await json(`vector-stores add ${id} hours.html`);
    assertEquals(quiet.files[0].filename, "hours.html");

    assertMatch((await run("vector-stores list")).out, /Lighthouse +team +3 +3/);
    assertEquals((await json("vector-stores list --wallet nobody")).vectorStores, []);
    assertStringIncludes((await run("vector-stores list --wallet nobody")).out, "There are no");
    const shown = await run(`vector-stores show ${id}`);
    assertMatch(shown.out, /^vector store +vs_\d+\nname +Lighthouse\nwallet +team\nfiles +3\n/);
    assertStringIncludes(shown.out, "lamp.md");

    const result = await run(`vector-stores search ${id} when does it open --limit 1`);
    assertMatch(result.out, /^\d\.\d\d +hours\.html\n +Open from nine\n$/);
    assertEquals((await run(`vector-stores search ${id} submarine`)).out, "Nothing found\n");

    const [file] = (await json(`vector-stores show ${id}`)).contents;
    const removed = await run(`vector-stores remove ${id} --file ${file.id}`);
    assertEquals(removed.out, `Removed ${file.id}\n`);
    assertEquals((await json(`vector-stores show ${id}`)).files, 2);
    assertEquals(await json(`vector-stores remove ${id}`), { id, deleted: true });
    assertFailed(await run(`vector-stores show ${id}`), `There is no vector store "${id}"`);
  });
});

Deno.test("svc vector-stores add refuses what it cannot read before anything is sent", async () => {
  await withCli(async ({ files, run, json }) => {
    files.set("a.txt", "text");
    files.set("b.pdf", "no pdf");
    const { id } = await json("vector-stores create Books --wallet team");
    assertFailed(
      await run(`vector-stores add ${id} a.txt b.docx`),
      'Cannot add "b.docx": its name must end in one of .txt, .md, .markdown, .html, .htm, .pdf',
    );
    assertFailed(
      await run(`vector-stores add ${id} gone.txt`),
      'Cannot read "gone.txt": No such file',
    );
    assertEquals((await json(`vector-stores show ${id}`)).files, 0);
    const half = await run(`vector-stores add ${id} a.txt b.pdf a.txt`);
    assertEquals(half.code, 1);
    assertStringIncludes(half.out, "a.txt");
    assertMatch(half.err, /"b\.pdf": it is damaged.*; 1 of 3 files were added before it\n$/);
    assertFailed(
      await run("vector-stores create Books --wallet tem"),
      'Cannot accept "wallet": There is no wallet "tem"; the nearest is "team"'.slice(24),
    );
  });
});

/** Answers `POST /embeddings`; fails on demand. */
function embeddingsServer() {
  const state = { status: 200, inputs: [] as string[][] };
  const options = { port: 0, hostname: "127.0.0.1", onListen: () => {} };
  const server = Deno.serve(options, async (request) => {
    const { input } = await request.json();
    state.inputs.push(input);
    if (input[0].includes("broken")) return new Response("", { status: 500 });
    const data = input.map((_: string, index: number) => ({ index, embedding: [1, index] }));
    return Response.json({ data }, { status: state.status });
  });
  return { state, url: `http://127.0.0.1:${server.addr.port}/v1`, stop: () => server.shutdown() };
}

async function embedWith({ deps }: TestAdmin, baseUrl: string): Promise<void> {
  const { version, updatedAtMs: _, ...content } = deps.catalogs.current();
  const upstreams = content.upstreams.map((upstream) => ({ ...upstream, baseUrl }));
  const vectorStores = { embeddings: { upstream: "lab", model: "tiny" } };
  const changed = { ...content, upstreams, vectorStores };
  await deps.applyCatalog(changed, { expected: version, note: "Embed" });
}

Deno.test("svc vector-stores shows the files with embeddings, and reindex embeds the others", async () => {
  const { state, stop, url } = embeddingsServer();
  await withCli(async ({ admin, files, run, json }) => {
    files.set("a.txt", "one");
    files.set("b.txt", "two");
    const { id } = await json("vector-stores create Books --wallet team");
    assertEquals((await json(`vector-stores show ${id}`)).embeddings, null);
    const { id: fileId } = (await json(`vector-stores add ${id} a.txt`)).files[0];
    const off = `/vector-stores/${id}/files/${fileId}/embeddings`;
    assertRefused(await admin.post(off), { status: 409, code: "conflict" });
    assertFailed(
      await run(`vector-stores reindex ${id}`),
      'Cannot embed: the configuration names no "vectorStores.embeddings"',
    );

    await embedWith(admin, url);
    state.status = 503;
    admin.clock.ms++;
    const added = await run(`vector-stores add ${id} b.txt`);
    assertMatch(
      added.err,
      /"b\.txt" has no embeddings: Cannot embed with "tiny" .* 503.*; until `svc vector-stores reindex vs_\d+`/,
    );
    assertEquals(added.code, 0);
    assertMatch((await run(`vector-stores show ${id}`)).out, /\nembedded +0 by tiny\n/);
    assertRefused(await admin.post(off), { status: 502, code: "upstream_error" });
    state.status = 200;
    const done = await run(`vector-stores reindex ${id}`, { isTerminal: true });
    assertEquals([done.code, done.err], [0, ""]);
    assertMatch(done.out, /^Embedding a\.txt \(1 of 2\)\nEmbedding b\.txt \(2 of 2\)\nFILE /);
    assertMatch((await run(`vector-stores show ${id}`)).out, /\nembedded +2 by tiny\n/);
    const again = await run(`vector-stores reindex ${id}`);
    assertEquals([again.code, again.out], [0, "All files have their embeddings\n"]);

    const none = `/vector-stores/${id}/files/file_none/embeddings`;
    assertRefused(await admin.post(none), { status: 404, code: "not_found" });
  });
  await stop();
});

Deno.test("svc vector-stores reindex keeps what it has embedded where a later file fails", async () => {
  const { state, stop, url } = embeddingsServer();
  await withCli(async ({ admin, files, run, json }) => {
    await embedWith(admin, url);
    const { id } = await json("vector-stores create Books --wallet team");
    files.set("c.txt", "three");
    files.set("d.txt", "broken");
    state.status = 503;
    for (const file of ["c.txt", "d.txt"]) {
      admin.clock.ms++;
      await run(`vector-stores add ${id} ${file}`);
    }
    state.status = 200;
    const half = await run(`vector-stores reindex ${id}`);
    assertEquals(half.code, 1);
    assertMatch(half.err, /500.*; 1 of 2 files were embedded before it\n$/);
    assertEquals((await json(`vector-stores list`)).vectorStores[0].embeddings, {
      model: "tiny",
      passages: 1,
    });
  });
  await stop();
});

Deno.test("svc vector-stores explains how it is used", async () => {
  await withCli(async ({ run }) => {
    const missing = await run("vector-stores add vs_1");
    assertEquals(missing.code, 2);
    assertMatch(
      missing.err,
      /^FILE is missing\nUsage: svc vector-stores add ID FILE\.\.\. \[--json\]/,
    );
    assertEquals((await run("vector-stores search vs_1")).code, 2);
    assertEquals((await run("vector-stores remove vs_1 vs_2")).code, 2);
    assertEquals((await run("vector-stores create Books")).code, 2);
    assert((await run("help vector-stores")).out.includes("vector-stores search ID QUERY..."));
  });
});
