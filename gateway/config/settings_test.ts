import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { explainListen, parseServeSettings } from "./settings.ts";

function settings(args: readonly string[], env: Record<string, string> = {}) {
  const parsed = parseServeSettings(args, env);
  assert(parsed.ok, parsed.ok ? "" : parsed.problem);
  return parsed.settings;
}

function problem(args: readonly string[], env: Record<string, string> = {}): string {
  const parsed = parseServeSettings(args, env);
  assert(!parsed.ok);
  return parsed.problem;
}

Deno.test("without flags and variables everything has its default", () => {
  assertEquals(settings([]), {
    host: "127.0.0.1",
    port: 8787,
    adminHost: "127.0.0.1",
    adminPort: 8788,
    adminUrls: [],
    store: { kind: "kv", path: "data/svc.kv" },
    configPath: "svc.json",
    configRequired: false,
    adminToken: undefined,
    bootstrapKey: undefined,
    keyPepper: undefined,
    keyPepperPrevious: undefined,
    publicUrl: undefined,
    trustedProxies: [],
  });
});

Deno.test("a flag wins over its variable; an empty one counts as absent", () => {
  const env = { SERVICE_PORT: "1", SERVICE_HOST: "0.0.0.0", SERVICE_ADMIN_PORT: "" };
  const read = settings(["--port", "0"], env);
  assertEquals([read.port, read.host, read.adminPort], [0, "0.0.0.0", 8788]);
});

Deno.test("a named configuration file is required", () => {
  assertEquals(settings([], { SERVICE_CONFIG: "x.json" }).configRequired, true);
});

Deno.test("addresses are read", () => {
  const read = settings(["--public-url", "https://ai.example.com/"], {
    SERVICE_TRUSTED_PROXIES: "10.0.0.0/8, ::1",
  });
  assertEquals(read.publicUrl, "https://ai.example.com");
  assertEquals(read.trustedProxies, ["10.0.0.0/8", "::1"]);
});

Deno.test("names of the admin listener are a list, and metrics have a listener where one is asked for", () => {
  const urls = { SERVICE_ADMIN_URLS: "https://ops.example.com/, http://svc:8788" };
  assertEquals(settings([], urls).adminUrls, ["https://ops.example.com", "http://svc:8788"]);
  assertEquals(settings([]).metrics, undefined);
  const cases: [Record<string, string>, { host: string; port: number }][] = [
    [{ SERVICE_METRICS_HOST: "0.0.0.0" }, { host: "0.0.0.0", port: 8789 }],
    [{ SERVICE_METRICS_PORT: "9100" }, { host: "127.0.0.1", port: 9100 }],
  ];
  for (const [env, expected] of cases) assertEquals(settings([], env).metrics, expected);
  assertStringIncludes(problem([], { SERVICE_METRICS_PORT: "no" }), "--metrics-port");
  for (const url of ["ops.example.com", "https://a, ftp://b", "https://"]) {
    assertStringIncludes(problem([], { SERVICE_ADMIN_URLS: url }), "SERVICE_ADMIN_URLS");
  }
});

Deno.test("fixed secrets are any visible ASCII of 16 to 256 characters", () => {
  const taken = [
    "f47ac10b-58cc-4372-a567-0e02b2c3d479",
    "c2VjcmV0L3dpdGgrc2lnbnM/PT0==",
    "!\"#$%&'()*+,-./:;<=>?@[]^`{|}~",
    "x".repeat(256),
  ];
  for (const secret of taken) {
    for (const name of ["SERVICE_ADMIN_TOKEN", "SERVICE_BOOTSTRAP_KEY", "SERVICE_METRICS_TOKEN"]) {
      assert(parseServeSettings([], { [name]: secret }).ok, secret);
    }
  }
  for (
    const secret of ["x".repeat(15), "x".repeat(257), "0123456789 abcdef", "0123456789abcdefé"]
  ) {
    assertStringIncludes(problem([], { SERVICE_ADMIN_TOKEN: secret }), "visible ASCII");
  }
});

Deno.test("a metrics token opens nothing else, and a ratio and a time to drain are numbers", () => {
  const token = { SERVICE_METRICS_TOKEN: "metrics_token_0123456789" };
  assertEquals(settings([], token).metricsToken, token.SERVICE_METRICS_TOKEN);
  const taken = { ...token, SERVICE_ADMIN_TOKEN: token.SERVICE_METRICS_TOKEN };
  assertStringIncludes(problem([], taken), "opens nothing else");
  const key = { SERVICE_METRICS_TOKEN: "svc_live_0123456789abcdef" };
  assertStringIncludes(problem([], key), "no API key");
  assertEquals(settings(["--trace-ratio", "0.01"]).traceRatio, 0.01);
  assertEquals(settings(["--drain-seconds", "2.5"]).drainMs, 2_500);
  assertEquals(settings([]).keyPages, undefined);
  assertEquals(settings([], { SERVICE_KEY_PAGES: "off" }).keyPages, false);
  assertEquals(settings(["--key-pages", "on"], { SERVICE_KEY_PAGES: "off" }).keyPages, true);
});

Deno.test("an unreadable setting is refused by name", () => {
  assertStringIncludes(problem(["--port", "65536"]), "--port (SERVICE_PORT) takes a port");
  assertStringIncludes(problem([], { SERVICE_ADMIN_PORT: "x" }), "SERVICE_ADMIN_PORT");
  assertStringIncludes(problem([], { SERVICE_ADMIN_TOKEN: "short" }), "16 to 256");
  assertStringIncludes(problem(["--public-url", "ftp://x"]), "http(s)");
  assertStringIncludes(problem(["--trusted-proxies", "10.0.0.0/99"]), "10.0.0.0/99");
  for (const ratio of ["1.5", "-1", "x", "0x1", "1..2"]) {
    assertStringIncludes(problem([], { SERVICE_TRACE_RATIO: ratio }), "SERVICE_TRACE_RATIO");
  }
  const pages = problem([], { SERVICE_KEY_PAGES: "no" });
  assertStringIncludes(pages, '--key-pages (SERVICE_KEY_PAGES) takes "on" or "off", not "no"');
  for (const seconds of ["301", "-1", "5s"]) {
    const message = problem([], { SERVICE_DRAIN_SECONDS: seconds });
    assertStringIncludes(message, "SERVICE_DRAIN_SECONDS) takes seconds from 0 to 300");
  }
  assertStringIncludes(problem(["--prot", "1"]), "--prot");
  assertStringIncludes(problem(["extra"]), "extra");
});

Deno.test("several mistakes are reported together", () => {
  const message = problem(["--port", "x"], {
    SERVICE_ADMIN_PORT: "70000",
    SERVICE_ADMIN_URLS: "a, b",
    SERVICE_TRUSTED_PROXIES: "c",
    SERVICE_ADMIN_TOKEN: "short",
    SERVICE_TRACE_RATIO: "2",
  });
  assertEquals(message.split("; ").length, 7, message);
});

Deno.test("the secrets of the two classes never mix", () => {
  const secret = "a_secret_of_16_or_more";
  const cases: readonly [Record<string, string>, string][] = [
    [{ SERVICE_ADMIN_TOKEN: secret, SERVICE_BOOTSTRAP_KEY: secret }, "--admin-token (SERVICE_ADM"],
    [{ SERVICE_ADMIN_TOKEN: `svc_live_${secret}` }, "takes no API key"],
    [{ SERVICE_BOOTSTRAP_KEY: `svc_admin_${secret}` }, "takes no admin token"],
  ];
  for (const [env, words] of cases) {
    assertStringIncludes(problem([], env), words);
    assert(!problem([], env).includes(secret));
  }
});

Deno.test("a pepper and the one before it are read", () => {
  const env = { SERVICE_KEY_PEPPER: "new", SERVICE_KEY_PEPPER_PREVIOUS: "kept" };
  const { keyPepper, keyPepperPrevious } = settings([], env);
  assertEquals([keyPepper, keyPepperPrevious], ["new", "kept"]);
  assertStringIncludes(problem(["--key-pepper", "kept"]), "takes a secret");
});

Deno.test("a refused secret is not repeated", () => {
  assert(!problem([], { SERVICE_ADMIN_TOKEN: "s3cr3t!" }).includes("s3cr3t"));
});

Deno.test("explainListen() names the address, the reason and the setting that helps", () => {
  const { errors } = Deno;
  const lookup = new Error("failed to lookup address information: Name or service not known");
  const cases: readonly [unknown, "port" | "admin-port", string][] = [
    [
      new errors.AddrInUse(),
      "port",
      "something listens there already; choose another by --port (SERVICE_PORT)",
    ],
    [
      new errors.AddrInUse(),
      "admin-port",
      "already; choose another by --admin-port (SERVICE_ADMIN_PORT)",
    ],
    [new errors.PermissionDenied(), "port", "does not permit this port; choose another by --port"],
    [new errors.AddrNotAvailable(), "port", "no address of this machine; choose another by --host"],
    [lookup, "admin-port", "no such host; choose another by --admin-host (SERVICE_ADMIN_HOST)"],
    [new URIError("invalid host '::zz'"), "port", "no such host; choose another by --host"],
    [new Error("Odd"), "port", ": Odd; choose another by --port"],
    ["odd", "port", ": odd; choose another by --port"],
  ];
  for (const [error, flag, ending] of cases) {
    const { message } = explainListen(error, { flag, address: "h:1" });
    assert(message.startsWith("Cannot listen on h:1: "), message);
    assertStringIncludes(message, ending);
  }
});

Deno.test("explainListen() knows what the system says of a port that is taken and of no host", () => {
  const listen = (hostname: string, port: number) => {
    try {
      Deno.listen({ hostname, port }).close();
      return undefined;
    } catch (error) {
      return explainListen(error, { flag: "port", address: `${hostname}:${port}` }).message;
    }
  };
  const taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  assertStringIncludes(listen("127.0.0.1", taken.addr.port) ?? "", "listens there already");
  taken.close();
  assertStringIncludes(listen("::zz", 0) ?? "", "no such host");
});
