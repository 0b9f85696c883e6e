/**
 * Sends one message by the given mail route, and prints the result. A process of its own, so that
 * `DENO_CERT` decides which certificates it trusts.
 *
 * @module
 */

import type { MailRoute } from "../../../gateway/domain/notices/target.ts";
import { createSend } from "../../../gateway/notify/send.ts";

if (import.meta.main) {
  const mail: MailRoute = JSON.parse(Deno.args[0] ?? "");
  const send = createSend({ trustedHosts: [mail.host], nowMs: () => Date.now() });
  const target = { id: "tgt_1", name: "Ops", createdAtMs: 0 };
  const attempted = await send({ ...target, place: { kind: "email", mail } }, {
    ...{ id: "inc_1_1", type: "backup.failed", incident: "inc_1", phase: "began", number: 1 },
    ...{ subject: "", text: "A backup failed", facts: {}, atMs: Date.now() },
  });
  console.log(JSON.stringify(attempted));
}
