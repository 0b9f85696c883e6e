import manifest from "../deno.json" with { type: "json" };
import { Interrupted } from "../system/read_secret.ts";
import { AdminClient } from "./admin_client.ts";
import { adminTokenCommands } from "./commands/admin_token.ts";
import { auditCommands } from "./commands/audit.ts";
import { backupCommands } from "./commands/backup/backup.ts";
import { bridgeCommands } from "./commands/bridge.ts";
import { catalogCommands } from "./commands/catalog/catalog.ts";
import {
  correctionCommands,
  keyMoveCommands,
  refundCommands,
  walletCorrectionCommands,
} from "./commands/corrections.ts";
import { type Call, type Command, type Output, usageLine } from "./command.ts";
import { completionCommand } from "./completion/completions.ts";
import { doctorCommands } from "./commands/doctor.ts";
import { explain, overview } from "./help.ts";
import { CommandUsageError, type Invocation, parseInvocation } from "./invocation.ts";
import { INTERRUPTED } from "./input/interrupt.ts";
import type { CliIo } from "./io.ts";
import { CliFailure, OutputClosed, UsageError } from "./failures.ts";
import { keyCommands } from "./commands/keys/keys.ts";
import { ledgerCommands } from "./commands/ledger/ledger.ts";
import { modelCommands } from "./commands/models.ts";
import { notifyCommands } from "./commands/notify.ts";
import { operatorCommands } from "./commands/operators.ts";
import { pepperCommands } from "./commands/pepper.ts";
import { requestCommands } from "./commands/requests.ts";
import { routingCommands } from "./commands/routing.ts";
import { printable } from "./output/table.ts";
import { storeCommands } from "./commands/store.ts";
import { usageCommands } from "./commands/usage.ts";
import { vectorStoreCommands } from "./commands/vector_stores.ts";
import { walletCommands } from "./commands/wallets.ts";

const COMMANDS: readonly Command[] = [
  {
    words: "serve",
    summary: "Start the gateway",
    run: () =>
      Promise.reject(
        new CliFailure("Start the gateway with `svc serve`, in a checkout `deno task serve`"),
      ),
  },
  ...walletCommands,
  ...walletCorrectionCommands,
  ...keyCommands,
  ...keyMoveCommands,
  ...pepperCommands,
  ...adminTokenCommands,
  ...operatorCommands,
  ...auditCommands,
  ...catalogCommands,
  ...requestCommands,
  ...refundCommands,
  ...correctionCommands,
  ...routingCommands,
  ...usageCommands,
  ...modelCommands,
  ...ledgerCommands,
  ...vectorStoreCommands,
  ...notifyCommands,
  ...bridgeCommands,
  ...backupCommands,
  ...storeCommands,
  ...doctorCommands,
  completionCommand(() => COMMANDS),
  {
    words: "help",
    summary: "Explain a command",
    run: ({ operands }) => Promise.resolve(help(operands)),
  },
];

/**
 * Runs one command of `svc` over the operator's API. Resolves to the exit code: 0; 1 when it was
 * refused or failed (one sentence on standard error); 2 for wrong usage (with the usage line); 130
 * after Ctrl-C at a question.
 */
export async function runCli(args: readonly string[], io: CliIo): Promise<number> {
  try {
    const invocation = parseInvocation(args, COMMANDS);
    const output = await outputOf(invocation, io);
    if (output === undefined) return 0;
    const asJson = invocation.options.json === true;
    const width = io.isTerminal ? io.columns : Infinity;
    io.stdout(asJson ? `${JSON.stringify(output.json, null, 2)}\n` : output.text({ width }));
    if (output.failure !== undefined) throw new CliFailure(output.failure);
    return 0;
  } catch (error) {
    if (error instanceof UsageError) {
      io.stderr(`${error.message}\n${usageOf(error)}\n`);
      return 2;
    }
    if (error instanceof CliFailure) {
      // It may repeat an upstream's message, which may contain control characters.
      io.stderr(`${error.message.split("\n").map(printable).join("\n")}\n`);
      return 1;
    }
    // The output is incomplete, so this is no success; the reader needs no message.
    if (error instanceof OutputClosed) return 1;
    if (error instanceof Interrupted) return INTERRUPTED;
    throw error;
  }
}

async function outputOf(
  { command, operands, options }: Invocation,
  io: CliIo,
): Promise<Output | undefined> {
  if (options.version === true) {
    return { json: { version: manifest.version }, text: () => `svc ${manifest.version}\n` };
  }
  if (options.help === true) return help(command === undefined ? operands : [command.words]);
  if (command === undefined) throw new UsageError("Name a command");
  const call: Call = {
    client: new AdminClient(io),
    io,
    operands,
    option: (name) => {
      const value = options[name];
      return value === true ? undefined : value;
    },
    has: (name) => options[name] !== undefined,
    print: (text) => options.json === true ? undefined : io.stdout(text),
    warn: (sentence) => io.stderr(`Warning: ${sentence}\n`),
  };
  try {
    return await command.run(call);
  } catch (cause) {
    // A usage error reported by the gateway is shown like one of the command line.
    if (!(cause instanceof UsageError)) throw cause;
    throw new CommandUsageError(command, cause.message);
  }
}

function help(words: readonly string[]): Output {
  const text = helpText(words);
  return { json: { help: text }, text: () => text };
}

function helpText(words: readonly string[]): string {
  if (words.length === 0) return overview(COMMANDS);
  const name = words.join(" ");
  const group = COMMANDS.filter(({ words }) => words === name || words.startsWith(`${name} `));
  if (group.length > 0) return group.map(explain).join("\n");
  // The same search as for a call: its error suggests the nearest command.
  const { command } = parseInvocation(["--help", ...words], COMMANDS);
  return command === undefined ? overview(COMMANDS) : explain(command);
}

function usageOf(error: UsageError): string {
  return error instanceof CommandUsageError
    ? `Usage: ${usageLine(error.command)} [--json]`
    : 'Usage: svc COMMAND [options]; "svc help" lists the commands';
}
