import { assertEquals } from "@std/assert";
import { createHmac } from "node:crypto";
import { KeyedHash } from "./keyed_hash.ts";

const SECRETS = ["", "s", "k".repeat(64), "k".repeat(65), "schlüssel 密钥"];
const TEXTS = ["", "task\nwallet\nchat\ntext", "ü".repeat(5_000), "\0"];

Deno.test("KeyedHash is HMAC-SHA-256, also for secrets beyond a block", () => {
  for (const secret of SECRETS) {
    const hash = new KeyedHash(secret);
    for (const text of TEXTS) {
      const expected = createHmac("sha256", secret).update(text).digest("hex");
      assertEquals(hash.digest(text).toString("hex"), expected);
    }
  }
});
