import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import {
  ConfigurationError,
  type FileUpload,
  ServiceAPIError,
  ServiceClient,
  type ServiceClientOptions,
  ServiceConnectionError,
} from "../mod.ts";

const STORED = { id: "file_1", filename: "a.txt" };

/** An upload whose pieces are counted, and its ends. */
function counted(pieces: readonly Uint8Array[]) {
  const seen = { opened: 0, read: 0, ended: 0 };
  const file: FileUpload = {
    name: "a.txt",
    async *open() {
      seen.opened++;
      try {
        for (const piece of pieces) {
          seen.read++;
          yield await Promise.resolve(piece);
        }
      } finally {
        seen.ended++;
      }
    },
  };
  return { file, seen };
}

function clientOf(send: typeof fetch, options: ServiceClientOptions = {}): ServiceClient {
  const base = { apiKey: "svc_live_key", apiBaseUrl: "http://svc.test", timeoutMs: 0 };
  return new ServiceClient({ ...base, ...options, fetch: send });
}

/** A service that reads each upload to its end. */
function reading(texts: string[]): typeof fetch {
  return async (input, init) => {
    texts.push(await new Request(input, init).text());
    return Response.json(STORED);
  };
}

const bytes = (length: number) => new Uint8Array(length).fill(97);

Deno.test("files.create() reads an opened file piece by piece, no faster than it is sent", async () => {
  const { file, seen } = counted(Array.from({ length: 50 }, () => bytes(1_000)));
  let ahead = 0;
  let sent = 0;
  const client = clientOf(async (_, init) => {
    assert(init?.body instanceof ReadableStream);
    for await (const _piece of init.body) {
      ahead = Math.max(ahead, seen.read - sent++);
      await new Promise((resolve) => setTimeout(resolve, 0));
    }
    return Response.json(STORED);
  });
  await client.files.create({ file });
  assertEquals(seen, { opened: 1, read: 50, ended: 1 });
  assert(ahead <= 3, `${ahead} pieces were read ahead`);
});

Deno.test("files.create() opens a file again for each attempt, and ends the one before", async () => {
  const { file, seen } = counted([bytes(3), new Uint8Array(0), bytes(2)]);
  const texts: string[] = [];
  let attempts = 0;
  const client = clientOf(async (input, init) => {
    // Refused before the form was read.
    if (++attempts === 1) {
      await (init?.body as ReadableStream<Uint8Array>).getReader().read();
      return Response.json({}, { status: 503, headers: { "retry-after": "0" } });
    }
    return await reading(texts)(input, init);
  }, { maxRetries: 1 });
  await client.files.create({ file });
  assertEquals([seen.opened, seen.ended, texts.length], [2, 2, 1]);
  assertStringIncludes(texts[0] ?? "", "\r\n\r\naaaaa\r\n--");
});

Deno.test("files.create() gives a blob to fetch as it is", async () => {
  const file = new File([bytes(100_000)], "a.txt");
  const client = clientOf((_, init) => {
    assert(init?.body instanceof Blob);
    assert(init.body.size > file.size);
    return Promise.resolve(Response.json(STORED));
  });
  assertEquals((await client.files.create({ file })).id, "file_1");
});

Deno.test("files.create() writes names as browsers do", async () => {
  const texts: string[] = [];
  const client = clientOf(reading(texts));
  await client.files.create({ file: new File(["x"], 'say "hi"\r\n.md') });
  assertMatch(texts[0] ?? "", /name="file"; filename="say %22hi%22%0D%0A\.md"\r\n/);
});

Deno.test("files.create() tells a file that cannot be opened or read from a broken connection", async () => {
  let requests = 0;
  const client = clientOf(async (input, init) => {
    requests++;
    return await reading([])(input, init);
  }, { maxRetries: 2 });
  const gone = new Error("gone");
  const cannotOpen = { name: "a.txt", open: () => Promise.reject(gone) };
  const unopened = await assertRejects(
    () => client.files.create({ file: cannotOpen }),
    ConfigurationError,
    "cannot be opened",
  );
  assertEquals([unopened.cause, requests], [gone, 0]);
  const breaks = {
    name: "a.txt",
    async *open() {
      yield await Promise.resolve(bytes(3));
      throw gone;
    },
  };
  const unread = await assertRejects(
    () => client.files.create({ file: breaks }),
    ServiceConnectionError,
    "cannot be read to its end",
  );
  // Sending the rest again would not help.
  assertEquals([unread.cause, requests], [gone, 1]);
  for (const open of [() => "text", () => 5, () => ["text"], () => null]) {
    await assertRejects(
      // As plain JavaScript may call it.
      () => Reflect.apply(client.files.create, client.files, [{ file: { name: "a.txt", open } }]),
      Array.isArray(open()) ? ServiceConnectionError : ConfigurationError,
    );
  }
});

Deno.test("files.create() refuses what is no file", async () => {
  const client = clientOf(() => Promise.reject(new Error("sent")));
  const odd = [
    [{}, "file"],
    [{ file: new Blob(["a"]) }, "no name"],
    [{ file: { name: "a.txt" } }, "nor has it open"],
    [{ file: "a.txt" }, "not an object"],
    [{ file: new File([], "a.txt"), model: "auto" }, 'the option "model"'],
    ["a.txt", "no object"],
  ] as const;
  for (const [request, message] of odd) {
    await assertRejects(
      () => Reflect.apply(client.files.create, client.files, [request]),
      ConfigurationError,
      message,
    );
  }
});

Deno.test("files.create() ends the reading when the call is stopped, and sends no complete form", async () => {
  const { file, seen } = counted([bytes(3), bytes(3), bytes(3)]);
  const stop = new AbortController();
  let sent = "";
  const read = Promise.withResolvers<void>();
  // Ignores its signal.
  const client = clientOf(async (_, init) => {
    const decoder = new TextDecoder();
    try {
      for await (const piece of init?.body as ReadableStream<Uint8Array>) {
        sent += decoder.decode(piece);
        if (seen.read === 2) stop.abort(new Error("enough"));
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
    } finally {
      read.resolve();
    }
    return Response.json(STORED);
  });
  const { signal } = stop;
  await assertRejects(() => client.files.create({ file }, { signal }), Error, "enough");
  await read.promise.catch(() => {});
  assertEquals(seen.ended, 1);
  assert(!/--\r\n$/.test(sent), sent);
});

Deno.test("files.content() gives any bytes, as a stream or whole", async () => {
  const noise = new Uint8Array(70_000).map((_, at) => at * 7);
  const client = clientOf(() => Promise.resolve(new Response(noise)));
  assertEquals(await (await client.files.content("file_1")).bytes(), noise);
  const { body } = await client.files.content("file_1");
  const pieces = await Array.fromAsync(body);
  assertEquals(pieces.reduce((sum, { length }) => sum + length, 0), noise.length);
});

Deno.test("files.content() ends the call when it is left, or stopped", async () => {
  let cancelled = 0;
  const client = clientOf(() =>
    Promise.resolve(
      new Response(
        new ReadableStream({
          pull: (controller) => controller.enqueue(bytes(10)),
          cancel: () => void cancelled++,
        }),
      ),
    )
  );
  for await (const _piece of (await client.files.content("file_1")).body) break;
  assertEquals(cancelled, 1);
  const stop = new AbortController();
  const content = await client.files.content("file_1", { signal: stop.signal });
  const reader = content.body.getReader();
  await reader.read();
  stop.abort(new Error("enough"));
  await assertRejects(() => reader.read(), Error, "enough");
  assertEquals(cancelled, 2);
});

Deno.test("the store of a batch of files is checked, and each member of a query", async () => {
  const client = clientOf(() => Promise.resolve(Response.json({})));
  const { fileBatches } = client.vectorStores;
  for (const method of [fileBatches.retrieve, fileBatches.cancel, fileBatches.listFiles]) {
    for (const store of [undefined, {}, { vector_store_id: ".." }]) {
      await assertRejects(
        () => Reflect.apply(method, fileBatches, ["vsfb_1", store]),
        ConfigurationError,
        "Cannot ask for a vector store",
      );
    }
  }
  const ask = (query: object) =>
    Reflect.apply(fileBatches.listFiles, fileBatches, ["vsfb_1", {
      vector_store_id: "vs_1",
      ...query,
    }]);
  await assertRejects(() => ask({ filters: "failed" }), ConfigurationError, '"filters" of a query');
  await assertRejects(() => ask({ limit: "5" }), ConfigurationError, "Cannot use limit");
  await assertRejects(
    () => Reflect.apply(fileBatches.create, fileBatches, ["vs_1"]),
    ConfigurationError,
    "it is no object",
  );
  await assertRejects(() => fileBatches.create("vs_1", { file_ids: ["file_1"] }), ServiceAPIError);
});

Deno.test("the own id of a store's file is checked, too", async () => {
  const client = clientOf(() => Promise.resolve(Response.json({})));
  const { files } = client.vectorStores;
  for (const store of [undefined, {}, { vector_store_id: ".." }]) {
    await assertRejects(
      () => Reflect.apply(files.delete, files, ["file_1", store]),
      ConfigurationError,
      "Cannot ask for a vector store",
    );
  }
  await assertRejects(() => files.delete("..", { vector_store_id: "vs_1" }), ConfigurationError);
  await assertRejects(() => files.delete("f", { vector_store_id: "vs_1" }), ServiceAPIError);
});
