import process from "node:process";

/** Runs with these variables alone, and answers with those that were read. */
export async function withEnvironment(
  variables: Readonly<Record<string, string>>,
  run: () => unknown,
): Promise<string[]> {
  const { env } = process;
  const read: string[] = [];
  const watched = new Proxy<Record<string, string>>({}, {
    get: (_, name) => {
      read.push(String(name));
      return variables[String(name)];
    },
    has: (_, name) => String(name) in variables,
  });
  Object.defineProperty(process, "env", { value: watched, configurable: true, writable: true });
  try {
    await run();
  } finally {
    Object.defineProperty(process, "env", { value: env, configurable: true, writable: true });
  }
  return read;
}
