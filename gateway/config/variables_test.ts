import { assertEquals } from "@std/assert";
import { SERVE_VARIABLES } from "./settings.ts";
import { COMMAND_VARIABLES, unknownVariables } from "./variables.ts";

Deno.test("a variable that nothing reads is named with the nearest that something does", () => {
  assertEquals(
    unknownVariables(["PATH", "SERVICE_PROT", "SERVICE_ADMIN_HOTS", "SERVICE_ZZZ_QQQ_1"]),
    [
      "Unknown variable SERVICE_ADMIN_HOTS: it is no setting of svc; the nearest is SERVICE_ADMIN_HOST",
      "Unknown variable SERVICE_PROT: it is no setting of svc; the nearest is SERVICE_PORT",
      "Unknown variable SERVICE_ZZZ_QQQ_1: it is no setting of svc",
    ],
  );
});

Deno.test("known variables and keys that a configuration may name are not reported", () => {
  assertEquals(unknownVariables([...SERVE_VARIABLES, ...COMMAND_VARIABLES]), []);
  assertEquals(unknownVariables(["SERVICE_UPSTREAM_LAB_KEY", "SERVICES_X", "service_x"]), []);
  assertEquals(unknownVariables(["SERVICE_MY_OPENAI_KEY"]), [
    "The service cannot read SERVICE_MY_OPENAI_KEY; name a key SERVICE_UPSTREAM_…, or grant it",
  ]);
  for (const name of ["SERVICE_UPSTREM_X", "SERVICE_UPSTREAMS_LAB", "SERVICE_UPSTREAM"]) {
    assertEquals(unknownVariables([name]), [
      `The service cannot read ${name}; name a key SERVICE_UPSTREAM_…, or grant it`,
    ]);
  }
  const [slip = ""] = unknownVariables(["SERVICE_ADMIN_TOKNE"]);
  assertEquals(slip.endsWith("the nearest is SERVICE_ADMIN_TOKEN"), true);
});
