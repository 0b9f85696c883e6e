import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import manifest from "../deno.json" with { type: "json" };
import { ADMIN_TOKEN } from "../admin/admin_test_support.ts";
import { assertFailed, withCli } from "./cli_test_support.ts";

Deno.test("wrong usage exits 2 with the nearest word and the usage, without a request", async () => {
  await withCli(async ({ run }) => {
    const cases: readonly [string, string][] = [
      ["walets list", 'Unknown command "walets"; the nearest is "wallets"'],
      ["wallets shwo a", 'Unknown command "wallets shwo"; the nearest is "wallets show"'],
      ["wallets", '"svc wallets" takes one of create, credit, list, show, low-balance, statement'],
      ["wallets create a --teir x", 'Unknown option "--teir"; the nearest is "--tier"'],
      ["wallets show a --tier x", 'Unknown option "--tier"\n'],
      ["frobnicate", 'Unknown command "frobnicate"\n'],
      ["__proto__", 'Unknown command "__proto__"\n'],
      ["wallets toString", 'Unknown command "wallets toString"\n'],
      ["wallets list --frobnicate", 'Unknown option "--frobnicate"\n'],
      ["wallets show -5", 'Unexpected argument "-5"\n'],
      ["wallets show", "NAME is missing"],
      ["wallets credit a", "CREDITS is missing"],
      ["wallets show a b", 'Unexpected argument "b"'],
      ["wallets create a --tier", "--tier needs a value"],
      ["wallets create a --tier=", "--tier needs a value"],
      ["wallets create a --tier --json", "--tier needs a value"],
      ["wallets create a --tier x --tier y", "Give --tier once"],
      ["wallets list --json=yes", "--json takes no value"],
      ["keys create --name a", "--wallet is missing"],
      ["keys narrow key_a", "--policy is missing"],
      ["apply", "--file is missing"],
      ["apply -q", 'Unknown option "-q"'],
      ["--jsn", 'Unknown option "--jsn"; the nearest is "--json"'],
      ["--json", "Name a command"],
      ["help nonsense", 'Unknown command "nonsense"'],
      ["requests shwo log_1", 'Unknown command "requests shwo"; the nearest is "requests show"'],
      ["requests log_1", 'Unexpected argument "log_1"'],
      ["vector-stores search vs_1 word --limit many", "Give a whole number from 1 to 50"],
      ["vector-stores lst", 'Unknown command "vector-stores lst"; the nearest is'],
    ];
    const fetch = () => Promise.reject(new Error("The gateway was asked"));
    for (const [command, message] of cases) {
      const { code, out, err } = await run(command, { fetch });
      assertEquals([code, out], [2, ""], command);
      assertStringIncludes(err, message);
      assertMatch(err, /\nUsage: svc .*\n$/);
    }
  });
});

Deno.test("a command's own usage line names its operands and options", async () => {
  await withCli(async ({ run }) => {
    const { err } = await run("wallets create");
    const usage = "Usage: svc wallets create NAME [--tier TIER] [--credits CREDITS] [--json]";
    assertEquals(err, `NAME is missing\n${usage}\n`);
    assertStringIncludes((await run("apply")).err, "svc apply -f FILE [--dry-run] [--yes]");
  });
});

Deno.test("help lists all commands and explains each", async () => {
  await withCli(async ({ run, json }) => {
    const overview = await run("help");
    assertEquals([overview.code, overview.err], [0, ""]);
    for (
      const word of [
        "serve",
        "wallets create NAME",
        "keys rotate ID",
        "ledger verify",
        "apply",
        "models",
      ]
    ) {
      assertStringIncludes(overview.out, `svc ${word}`);
    }
    assertEquals((await run("--help")).out, overview.out);
    assertEquals(await json("help"), { help: overview.out });
    const one = await run("help wallets credit");
    assertStringIncludes(one.out, "Usage: svc wallets credit NAME CREDITS [--note TEXT]");
    assertEquals((await run("wallets credit --help")).out, one.out);
    assertEquals((await run("wallets credit -h")).out, one.out);
    const group = await run("help keys");
    assertEquals(group.out.match(/^Usage:/gm)?.length, 17);
    assertEquals(await run("keys --help"), group);
    assertEquals(await run("-h keys"), group);
    assertStringIncludes((await run("help serve")).out, "SERVICE_KV_PATH");
    assertStringIncludes((await run("help apply")).out, "-f, --file FILE");
    for (
      const [command, line] of [
        ["apply", "--force *Also if wallets lose their tier"],
        ["ledger export", "--force *Replace an existing file"],
        ["restore", "--force *Rename an existing store"],
        ["vector-stores remove", "--file FILE *Id of a file: only this file is removed"],
        ["vector-stores search", "--limit N *Most results to show \\(20; at most 50\\)"],
      ] as const
    ) {
      assertMatch((await run(`help ${command}`)).out, new RegExp(`${line}\n`));
    }
    assertMatch((await run("help requests")).out, /^Usage: svc requests \[options\]\n/);
  });
});

Deno.test("--version prints the version", async () => {
  await withCli(async ({ run, json }) => {
    assertEquals(await run("--version"), { code: 0, out: `svc ${manifest.version}\n`, err: "" });
    assertEquals(await json("--version"), { version: manifest.version });
  });
});

Deno.test("serve is not the command line's to run", async () => {
  await withCli(async ({ run }) => {
    assertFailed(
      await run("serve"),
      "Start the gateway with `svc serve`, in a checkout `deno task serve`",
    );
  });
});

Deno.test("a gateway that does not run is reported as such", async () => {
  await withCli(async ({ run }) => {
    const fetch = () => Promise.reject(new TypeError("connection refused"));
    const message = "Cannot reach the gateway at http://gateway.test: start it with " +
      "`svc serve`, in a checkout `deno task serve`, or set SERVICE_ADMIN_URL";
    assertFailed(await run("wallets list", { fetch }), message);
    const cut = () =>
      Promise.resolve(
        new Response(
          new ReadableStream({
            start: (controller) => controller.error(new Error("cut")),
          }),
        ),
      );
    assertFailed(await run("wallets list", { fetch: cut }), message);
  });
});

Deno.test("an answer that is not the admin API's is reported as such", async () => {
  await withCli(async ({ run }) => {
    for (const [body, status] of [["<html>", 200], ["[]", 200], ["{}", 404], ["", 502]] as const) {
      const fetch = () => Promise.resolve(new Response(body, { status }));
      const message = `The server at http://gateway.test is not the gateway's admin API ` +
        `(status ${status})` +
        (status === 404 ? ": SERVICE_ADMIN_URL must be the address of its admin listener" : "");
      assertFailed(await run("wallets list", { fetch }), message);
    }
  });
});

Deno.test("a fault of the gateway names the request to quote", async () => {
  await withCli(async ({ run }) => {
    const error = { message: "An internal error", request_id: "req_9" };
    const fetch = () => Promise.resolve(Response.json({ error }, { status: 500 }));
    assertFailed(await run("models", { fetch }), "An internal error (request req_9)");
  });
});

Deno.test("credentials come from the environment, else from what the first start left", async () => {
  await withCli(async ({ admin, run }) => {
    const seen: string[] = [];
    const fetch = async (url: string, init: RequestInit) => {
      seen.push(`${url} ${new Headers(init.headers).get("authorization")}`);
      return await admin.app.request(url, init);
    };
    const readCredentials = () => Promise.resolve({ url: "http://left.test/", token: ADMIN_TOKEN });
    assertEquals((await run("models", { fetch, env: {}, readCredentials })).code, 0);
    const env = { SERVICE_ADMIN_TOKEN: "wrong" };
    assertFailed(
      await run("models", { fetch, env, readCredentials }),
      "The gateway at http://left.test/ refuses the admin token of SERVICE_ADMIN_TOKEN: " +
        "give the one in force, or unset it beside the gateway's store",
    );
    const another = () => Promise.resolve({ url: "http://left.test", token: "another" });
    assertFailed(
      await run("models", { env: {}, readCredentials: another }),
      "The gateway at http://left.test refuses the admin token that lies beside the " +
        "store: give that gateway's own by SERVICE_ADMIN_TOKEN",
    );
    assertEquals(
      (await run("models", { fetch, env: { SERVICE_ADMIN_TOKEN: ADMIN_TOKEN } })).code,
      0,
    );
    assertEquals(seen, [
      `http://left.test/admin/v1/models Bearer ${ADMIN_TOKEN}`,
      "http://left.test/admin/v1/models Bearer wrong",
      `http://127.0.0.1:8788/admin/v1/models Bearer ${ADMIN_TOKEN}`,
    ]);
    assertMatch(
      (await run("models", { env: {} })).err,
      /^There is no admin token: set SERVICE_ADM/,
    );
    const odd = { SERVICE_ADMIN_URL: "gateway:80", SERVICE_ADMIN_TOKEN: ADMIN_TOKEN };
    assertMatch(
      (await run("models", { env: odd })).err,
      /^Cannot use SERVICE_ADMIN_URL "gateway:80"/,
    );
  });
});

Deno.test("a bug is not reported as a refusal", async () => {
  await withCli(async ({ run }) => {
    const stdout = () => {
      throw new RangeError("A bug");
    };
    const thrown = await run("models", { stdout }).then(() => undefined, (error) => error);
    assert(thrown instanceof RangeError);
  });
});
