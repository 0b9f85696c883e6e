import { assert, assertEquals, assertFalse, assertInstanceOf } from "@std/assert";
import * as errors from "./errors.ts";
import {
  ConfigurationError,
  MissingAPIKeyError,
  RunError,
  ServiceAPIError,
  ServiceConnectionError,
  ServiceError,
  ServiceTimeoutError,
} from "./errors.ts";

const HEADERS = new Headers({ "retry-after": "3" });
const BODY = { message: "Add credits", code: "insufficient_balance" };
const API = { status: 402, headers: HEADERS, body: BODY, requestId: "req-1" };

const FAMILY: readonly [error: ServiceError, parents: readonly string[]][] = [
  [new ServiceError("No"), []],
  [new ConfigurationError("No"), ["ConfigurationError"]],
  [new MissingAPIKeyError(), ["ConfigurationError", "MissingAPIKeyError"]],
  [new ServiceTimeoutError(5), ["ServiceTimeoutError"]],
  [new ServiceConnectionError("No"), ["ServiceConnectionError"]],
  [new ServiceAPIError("No", API), ["ServiceAPIError"]],
  [new RunError({}, { cause: "No" }), ["RunError"]],
];

/** A second copy of the package, as an application may well have loaded. */
const copy: typeof errors = await import(new URL("./errors.ts?copy", import.meta.url).href);

for (const [classes, name] of [[errors, "this copy"], [copy, "another copy"]] as const) {
  Deno.test(`instanceof knows the family by the classes of ${name}`, () => {
    const all = Object.entries(classes);
    assertEquals(all.length, 7);
    for (const [error, parents] of FAMILY) {
      const matching = all.filter(([, type]) => error instanceof type).map(([name]) => name);
      assertEquals(matching.toSorted(), ["ServiceError", ...parents].toSorted());
      assertInstanceOf(error, Error);
      assertEquals(error.name, parents.at(-1) ?? "ServiceError");
    }
  });
}

Deno.test("nothing else is of the family", () => {
  assert(copy.ServiceError !== ServiceError);
  for (const value of [undefined, null, "ServiceError", new Error("ServiceError"), {}, () => {}]) {
    assertFalse(Object(value) instanceof ServiceError);
  }
});

Deno.test("a class of the application is recognised only by itself", () => {
  class Ours extends ServiceAPIError {}
  assert(new Ours("No", API) instanceof ServiceAPIError);
  assert(new Ours("No", API) instanceof Ours);
  assertFalse(new ServiceAPIError("No", API) instanceof Ours);
});

Deno.test("ServiceAPIError has the gateway's error object and what came with it", () => {
  const error = new ServiceAPIError("Add credits", API);
  assertEquals([error.status, error.code, error.requestId], [402, "insufficient_balance", "req-1"]);
  assertEquals(error.body, BODY);
  assertEquals(error.headers.get("retry-after"), "3");
  for (const body of [undefined, null, "page", { code: 7 }]) {
    const strange = new ServiceAPIError("No", { ...API, body });
    assertEquals([strange.code, strange.body], [undefined, body]);
  }
});

Deno.test("ServiceTimeoutError names the limit", () => {
  const cause = new Error("Aborted");
  const error = new ServiceTimeoutError(250, { cause });
  assertEquals([error.timeoutMs, error.cause], [250, cause]);
  assertEquals(error.message, "The call took longer than timeoutMs, 250 ms");
});

Deno.test("RunError quotes only an error of the service", () => {
  const ours = new RunError({ steps: [] }, { cause: new ServiceTimeoutError(5) });
  assertEquals(ours.message, "The call took longer than timeoutMs, 5 ms");
  assertEquals(ours.result, { steps: [] });
  const theirs = new RunError({}, { cause: new Error("the user's password is 1234") });
  assertEquals(theirs.message, "The run was stopped early");
});

Deno.test("an error that is printed shows neither answer nor history", () => {
  const body = "you sent the secret";
  const headers = new Headers({ "x-echo": "the secret" });
  const result = { messages: [{ role: "user", content: "the secret" }] };
  const shown = [
    new ServiceAPIError("No", { ...API, body, headers }),
    new RunError(result, { cause: new ServiceAPIError("No", { ...API, body, headers }) }),
  ];
  for (const error of shown) {
    const texts = [Deno.inspect(error), JSON.stringify(error), String(error), error.stack ?? ""];
    assertFalse(texts.join().includes("secret"));
    assert(Deno.inspect(error).includes("402"));
  }
});

Deno.test("ServiceAPIError is safe to print, for any creator", () => {
  const body = { code: `no\u001b[2J${"x".repeat(1_000)}` };
  const error = new ServiceAPIError("No\u009b2J\r\nroot: all is well", { ...API, body });
  assertEquals(error.message, "No 2J  root: all is well");
  assertEquals([error.code?.slice(0, 6), error.code?.length], ["no [2J", 128]);
  assertEquals(error.body, body);
});
