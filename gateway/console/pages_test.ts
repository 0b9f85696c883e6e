import { assertEquals, assertStringIncludes } from "@std/assert";
import { ADMIN_TOKEN, type TestAdmin, withAdmin } from "../admin/admin_test_support.ts";
import { EMERGENCY } from "../domain/operators/operator.ts";
import { createConsole } from "./app.tsx";
import { catalogue } from "./messages/catalogue.ts";
import type { Section } from "./page.ts";

const ORIGIN = "http://127.0.0.1:8788";

/** A section that changes a text, and tells scripts what it is. */
function notes(kept: { text: string }): Section {
  return {
    title: catalogue(["Notes", "笔记"]),
    path: "/notes",
    pages: [{
      path: "/notes/:id",
      show: (view) => ({ title: `Note ${view.param("id")}`, body: kept.text }),
      change: (_view, form) => {
        const text = form.get("text") ?? "";
        if (text === "") return { title: "Note", body: "Enter a text", status: 422 };
        kept.text = text;
        return { goTo: "/notes/1", done: `Kept ${text}` };
      },
    }],
    feeds: [{
      path: "/feeds/notes",
      method: "GET",
      answer: () => Response.json({ text: kept.text }),
    }],
  };
}

async function opened({ app, deps }: TestAdmin, kept: { text: string }) {
  const application = createConsole({
    ...deps,
    api: app,
    admit: ({ secret }) =>
      Promise.resolve(secret === ADMIN_TOKEN ? { actor: EMERGENCY } : undefined),
    tokenMark: () => deps.adminTokens.markOf(ADMIN_TOKEN),
  }, [notes(kept)]);
  let cookie = "";
  const ask = async (path: string, fields?: Record<string, string>, origin = ORIGIN) => {
    const headers = { host: "127.0.0.1:8788", accept: "text/html", cookie };
    const sent = fields === undefined ? { headers } : {
      method: "POST",
      headers: { ...headers, origin },
      body: new URLSearchParams(fields),
    };
    const request = new Request(`${ORIGIN}/console${path}`, sent);
    return await application.fetch(request, { remoteAddress: undefined, requestId: "req_1" });
  };
  const signedIn = await ask("/sign-in", { token: ADMIN_TOKEN });
  cookie = signedIn.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  return ask;
}

Deno.test("a change leads to a page that says once what was done", async () => {
  await withAdmin(async (admin) => {
    const kept = { text: "old" };
    const ask = await opened(admin, kept);
    const done = await ask("/notes/1", { text: "<new>" });
    assertEquals([done.status, done.headers.get("location")], [303, "/console/notes/1"]);
    assertStringIncludes(await (await ask("/notes/1")).text(), "Kept &lt;new&gt;");
    assertEquals((await (await ask("/notes/1")).text()).includes("Kept"), false);
  });
});

Deno.test("a form that is refused is shown again, and another origin's is not even read", async () => {
  await withAdmin(async (admin) => {
    const kept = { text: "old" };
    const ask = await opened(admin, kept);
    const refused = await ask("/notes/1", { text: "" });
    assertEquals(refused.status, 422);
    assertStringIncludes(await refused.text(), "Enter a text");
    assertEquals((await ask("/notes/1", { text: "x" }, "https://page.example")).status, 403);
    assertEquals(kept.text, "old");
  });
});

Deno.test("a section's feed answers scripts, and its pages stand in the navigation", async () => {
  await withAdmin(async (admin) => {
    const ask = await opened(admin, { text: "old" });
    assertEquals(await (await ask("/feeds/notes")).json(), { text: "old" });
    const page = await (await ask("/notes/1")).text();
    assertStringIncludes(page, '<a href="/console/notes" aria-current="page">Notes</a>');
    assertEquals((await ask("")).headers.get("location"), "/console/notes");
  });
});
