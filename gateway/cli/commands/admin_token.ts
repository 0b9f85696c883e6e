import type { Call, Command, Output } from "../command.ts";
import { CliFailure } from "../failures.ts";

/** `svc admin-token …`. */
export const adminTokenCommands: readonly Command[] = [
  {
    words: "admin-token rotate",
    summary: "Replace the admin token of the first start, and show the new one once",
    run: rotate,
  },
];

const GIVEN = "A token of SERVICE_ADMIN_TOKEN is accepted as long as the service runs with it.";

async function rotate({ client, print }: Call): Promise<Output> {
  const { token } = await client.call("POST /admin-token/rotate");
  // Printed first: whatever happens next, one of the two tokens is valid, and both are known.
  print(`${token}\n\nThis is the only time the token is shown: store it now.\n`);
  try {
    await client.withToken(token).call("POST /admin-token/confirm");
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    const failure = `The old token is still accepted: ${error.message}`;
    return { json: { token, confirmed: false }, text: () => "", failure };
  }
  return {
    json: { token, confirmed: true },
    text: () => `The old token is no longer accepted. ${GIVEN}\n`,
  };
}
