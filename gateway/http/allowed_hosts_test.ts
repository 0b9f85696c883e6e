import { assertEquals } from "@std/assert";
import { allowedHosts, hostName, type HostSettings } from "./allowed_hosts.ts";

const LOOPBACK = ["localhost", "127.0.0.1", "::1"];

Deno.test("a listener answers to the names by which it can be meant", () => {
  const urls = ["https://Models.Example.com:8443/base"];
  const cases: [HostSettings, readonly string[] | "any"][] = [
    [{ listener: "admin", host: "127.0.0.1" }, LOOPBACK],
    [{ listener: "admin", host: "127.0.0.2" }, [...LOOPBACK, "127.0.0.2"]],
    [{ listener: "admin", host: "0.0.0.0" }, [...LOOPBACK, "0.0.0.0"]],
    [{ listener: "admin", host: "Box.lan", urls }, [
      ...LOOPBACK,
      "box.lan",
      "models.example.com",
    ]],
    [{ listener: "admin", host: "::1", urls: ["http://[::2]:1", "http://svc"] }, [
      ...LOOPBACK,
      "::2",
      "svc",
    ]],
    [{ listener: "metrics", host: "127.0.0.1" }, "any"],
    [{ listener: "public", host: "127.0.0.1" }, LOOPBACK],
    [{ listener: "public", host: "localhost", urls }, [...LOOPBACK, "models.example.com"]],
    [{ listener: "public", host: "[::1]" }, LOOPBACK],
    [{ listener: "public", host: "127.9.9.9" }, [...LOOPBACK, "127.9.9.9"]],
    [{ listener: "public", host: "0.0.0.0" }, "any"],
    [{ listener: "public", host: "::", urls }, "any"],
    [{ listener: "public", host: "10.0.0.5" }, "any"],
    [{ listener: "public", host: "box.lan" }, "any"],
  ];
  for (const [settings, expected] of cases) {
    assertEquals(allowedHosts(settings), expected, JSON.stringify(settings));
  }
});

Deno.test("a Host header is a host with or without a port, or invalid", () => {
  const cases: [string, string | undefined][] = [
    ["LocalHost", "localhost"],
    ["localhost:8787", "localhost"],
    ["[::1]:8787", "::1"],
    ["[2001:DB8::1]", "2001:db8::1"],
    ["a.example:1", "a.example"],
    ["", undefined],
    ["a/b", undefined],
    ["a b", undefined],
    ["user@a", undefined],
    ["::1", undefined],
    ["a:123456", undefined],
    ["a:", undefined],
    ["x".repeat(254), undefined],
  ];
  for (const [header, expected] of cases) assertEquals(hostName(header), expected, header);
});
