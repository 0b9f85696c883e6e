import { assertEquals } from "@std/assert";
import { DEFAULT_FILE_QUOTA, fileQuotaOf } from "./file_quota.ts";
import { violationsOf } from "./policy.ts";

Deno.test("a policy that says nothing gives the default room, and a number replaces its own part", () => {
  assertEquals(fileQuotaOf({}), DEFAULT_FILE_QUOTA);
  assertEquals(fileQuotaOf({ files: { files: 0, stores: 50 } }), {
    ...DEFAULT_FILE_QUOTA,
    files: 0,
    stores: 50,
  });
});

Deno.test("room above that of another policy widens it, also above the default", () => {
  assertEquals(violationsOf({ files: { files: 101 } }, {}), ["files.files"]);
  assertEquals(violationsOf({}, { files: { stores: 1 } }), ["files.stores"]);
  assertEquals(violationsOf({}, { files: { textBytes: 1 } }), ["files.textBytes"]);
  assertEquals(violationsOf({ files: { bytes: 5 } }, { files: { bytes: 5 } }), []);
});
