/**
 * The command line over an operator's API in memory, for tests.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { AdminDeps } from "../admin/deps.ts";
import { ADMIN_TOKEN, type TestAdmin, withAdmin } from "../admin/admin_test_support.ts";
import type { CliIo } from "./io.ts";
import { runCli } from "./run.ts";

/** The result of one run of the command line. */
export interface TestRun {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The command line under test. */
export interface TestCli {
  readonly admin: TestAdmin;
  /** Files that can be read, and written files. */
  readonly files: Map<string, string>;
  /** Questions put to the operator. */
  readonly questions: string[];
  /** Runs a command: words are split at spaces. */
  run(command: string, io?: Partial<CliIo>): Promise<TestRun>;
  /** Runs a command with `--json`, which must print one JSON document and nothing else. */
  json(command: string): ReturnType<Response["json"]>;
}

/** Runs a test on a command line whose gateway has a wallet `team` and two models. */
export async function withCli(
  test: (cli: TestCli) => Promise<void>,
  overrides: Partial<AdminDeps> = {},
): Promise<void> {
  await withAdmin(async (admin) => {
    const files = new Map<string, string>();
    const questions: string[] = [];
    const run = async (command: string, io: Partial<CliIo> = {}): Promise<TestRun> => {
      let out = "";
      let err = "";
      const code = await runCli(command.split(" "), {
        env: { SERVICE_ADMIN_URL: "http://gateway.test", SERVICE_ADMIN_TOKEN: ADMIN_TOKEN },
        fetch: async (url, init) => await admin.app.request(url, init),
        stdout: (text) => void (out += text),
        stderr: (text) => void (err += text),
        readFile: (path) => {
          const text = files.get(path);
          return text === undefined
            ? Promise.reject(new Error("No such file"))
            : Promise.resolve(text);
        },
        readBytes: (path) => {
          const text = files.get(path);
          return text === undefined
            ? Promise.reject(new Error("No such file"))
            : Promise.resolve(new TextEncoder().encode(text));
        },
        createFile: (path) => {
          let text = "";
          return Promise.resolve({
            write: (piece) => void (text += piece),
            finish: () => Promise.resolve(void files.set(path, text)),
            discard: () => Promise.resolve(),
          });
        },
        isTerminal: false,
        columns: 80,
        confirm: (question) => Promise.resolve(questions.push(question) > 0),
        readSecret: () => Promise.resolve(""),
        readCredentials: () => Promise.resolve(undefined),
        ...io,
      });
      return { code, out, err };
    };
    const json = async (command: string) => {
      const result = await run(`${command} --json`, { isTerminal: true });
      assertEquals([result.code, result.err], [0, ""], command);
      return JSON.parse(result.out);
    };
    await test({ admin, files, questions, run, json });
  }, overrides);
}

/** Asserts a failure: nothing on standard output, one line on standard error. */
export function assertFailed(run: TestRun, message: string): void {
  assertEquals(run, { code: 1, out: "", err: `${message}\n` });
}
