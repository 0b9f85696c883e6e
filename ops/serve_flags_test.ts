import { assertEquals } from "@std/assert";
import { flagsWithOptions } from "./serve_flags.ts";

const SET = {
  net: { allow: true, deny: ["169.254.0.0/16", "metadata.goog"] },
  env: ["SERVICE_PORT", "SERVICE_UPSTREAM_*"],
  read: ["data", "svc.json"],
};

Deno.test("without options the permission set is unchanged", () => {
  assertEquals(flagsWithOptions("serve", SET, ""), ["-P=serve"]);
});

Deno.test("lists in the options are added to those of the set, however often a flag is given", () => {
  const options = "--allow-read=/var/lib/svc,/etc/svc.json --allow-env=MY_KEY  --allow-read=/tmp/a";
  assertEquals(flagsWithOptions("serve", SET, options), [
    "-P=serve",
    "--allow-read=data,svc.json,/var/lib/svc,/etc/svc.json,/tmp/a",
    "--allow-env=SERVICE_PORT,SERVICE_UPSTREAM_*,MY_KEY",
  ]);
});

Deno.test("a further address can be denied without giving access to those of the set", () => {
  assertEquals(flagsWithOptions("serve", SET, "--deny-net=10.0.0.0/8"), [
    "-P=serve",
    "--deny-net=169.254.0.0/16,metadata.goog,10.0.0.0/8",
  ]);
});

Deno.test("hosts replace access to every host", () => {
  const options = "--allow-net=api.example.com:443";
  assertEquals(flagsWithOptions("serve", SET, options), ["-P=serve", options]);
});

Deno.test("options other than lists of permissions are passed on", () => {
  const options = "--cached-only --allow-sys --v8-flags=--single-threaded,--no-opt";
  assertEquals(flagsWithOptions("serve", SET, options), ["-P=serve", ...options.split(" ")]);
});
