/**
 * A gateway that adds a file, in a process of its own: before the commit that follows so many of the
 * file it prints `halfway` and goes no further, to be killed; else it prints what came of it.
 *
 * @module
 */

import { openKvStores } from "../../gateway/stores/kv/open.ts";
import { faultyKv } from "./faulty_kv.ts";
import { fileOf } from "./passage_store_contract.ts";

const [path = "", commits = "", ...passages] = Deno.args;
const { faults, openKv } = faultyKv();
const stores = await openKvStores(path, { openKv });
const last = faults.commits + Number(commits);
faults.onCommit = () => {
  if (faults.commits <= last) return;
  console.log("halfway");
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
};
console.log(await stores.passages.addFile(fileOf("vs_a", "file_half", passages), passages));
delete faults.onCommit;
await stores.close();
