/** Faults of the next commits and reads of a database. */
export interface Faults {
  /** `before`: throws without committing. `after`: commits, then throws. */
  commit: "none" | "before" | "after";
  /** Reads throw. */
  reads: boolean;
  /** Called before each commit. */
  onCommit?: () => void;
  /** Commits tried so far. */
  commits: number;
  /** Reads that have thrown so far. */
  failedReads: number;
}

/** Opens a database whose commits and reads can be made to fail. */
export function faultyKv(): { faults: Faults; openKv: (path: string) => Promise<Deno.Kv> } {
  const faults: Faults = { commit: "none", reads: false, commits: 0, failedReads: 0 };
  const failed = () => {
    faults.failedReads++;
    return Promise.reject(new Error("disk I/O error"));
  };
  const openKv = async (path: string) => {
    const kv = await Deno.openKv(path);
    const atomic = kv.atomic.bind(kv);
    const get = kv.get.bind(kv);
    const getMany = kv.getMany.bind(kv);
    kv.atomic = () => {
      const operation = atomic();
      const commit = operation.commit.bind(operation);
      operation.commit = async () => {
        faults.commits++;
        faults.onCommit?.();
        const { commit: fault } = faults;
        if (fault === "before") throw new Error("database or disk is full");
        const result = await commit();
        if (fault === "after") throw new Error("database is locked");
        return result;
      };
      return operation;
    };
    kv.getMany = (keys, options) => {
      if (faults.reads) return failed();
      return getMany(keys, options);
    };
    kv.get = (key, options) => {
      if (faults.reads) return failed();
      return get(key, options);
    };
    return kv;
  };
  return { faults, openKv };
}

/** Runs with another way to open a database in place of Deno's own. */
export async function withOpenKv<T>(openKv: typeof Deno.openKv, run: () => Promise<T>): Promise<T> {
  const own = Object.getOwnPropertyDescriptor(Deno, "openKv") ?? {};
  const restore = () => Object.defineProperty(Deno, "openKv", own);
  const value = (path?: string) => {
    restore();
    return openKv(path);
  };
  Object.defineProperty(Deno, "openKv", { configurable: true, value });
  try {
    return await run();
  } finally {
    restore();
  }
}
