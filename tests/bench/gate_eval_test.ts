import { assert, assertEquals } from "@std/assert";
import { evaluateGate } from "./gate_eval.ts";

for (const half of ["tuning", "held_out"] as const) {
  Deno.test(`the gate tells compound requests from simple ones: ${half}`, () => {
    const { requests, precision, recall } = evaluateGate({ half });
    assertEquals(requests, 120);
    assert(precision >= 0.9, `precision ${precision}`);
    assert(recall >= 0.9, `recall ${recall}`);
  });
}
