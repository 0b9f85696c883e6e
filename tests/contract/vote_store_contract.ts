import { assertEquals } from "@std/assert";
import type { Vote, VoteStore } from "../../gateway/ports/vote_store.ts";
import { SOURCES_MAX } from "../../gateway/domain/requests/feedback.ts";
import { type Clauses, type Open, runContract } from "./contract.ts";

function vote(more: Partial<Vote> = {}): Vote {
  return {
    logId: "log_1",
    walletId: "team",
    keyId: "key_1",
    source: "caller",
    score: 1,
    atMs: 1_000,
    model: "fast",
    task: "0123456789abcdef",
    load: 1,
    ...more,
  };
}

/** Returns everything after a cursor, page by page. */
async function rest(votes: VoteStore, from?: string, limit = 2) {
  const all: Vote[] = [];
  for (let cursor = from;;) {
    const page = await votes.since(cursor, limit);
    if (page.votes.length === 0) return { all, cursor: page.cursor };
    all.push(...page.votes);
    cursor = page.cursor;
  }
}

const CLAUSES: Clauses<VoteStore> = {
  "a vote is stored once for each request and source": async (votes) => {
    assertEquals(await votes.put(vote()), "stored");
    assertEquals(await votes.put(vote({ atMs: 2_000, comment: "again" })), "repeated");
    assertEquals(await votes.put(vote({ score: 0.5 })), "conflict");
    assertEquals(await votes.put(vote({ source: "judge", score: 0.5 })), "stored");
    assertEquals(await votes.put(vote({ logId: "log_2" })), "stored");
    assertEquals(await votes.of("log_1"), [vote(), vote({ source: "judge", score: 0.5 })]);
    assertEquals(await votes.of("log_3"), []);
  },
  "of votes at the same time one is stored": async (votes) => {
    const scores = [1, 0, 1, 0.5];
    const outcomes = await Promise.all(scores.map((score) => votes.put(vote({ score }))));
    assertEquals(outcomes, ["stored", "conflict", "repeated", "conflict"]);
    assertEquals((await rest(votes)).all, [vote()]);
  },
  "a request has votes of so many sources at most, also of votes at the same time": async (
    votes,
  ) => {
    const sources = Array.from({ length: SOURCES_MAX + 3 }, (_, at) => `source ${at}`);
    const outcomes = await Promise.all(sources.map((source) => votes.put(vote({ source }))));
    assertEquals(outcomes.filter((outcome) => outcome === "stored").length, SOURCES_MAX);
    assertEquals(outcomes.filter((outcome) => outcome === "full").length, 3);
    assertEquals((await rest(votes)).all.length, SOURCES_MAX);
    assertEquals(await votes.put(vote({ source: "source 0" })), "repeated");
    assertEquals(await votes.put(vote({ source: "source 0", score: 0 })), "conflict");
    assertEquals(await votes.put(vote({ source: "new", logId: "log_2" })), "stored");
  },
  "votes are read in the order in which they were stored": async (votes) => {
    assertEquals(await votes.since(undefined, 10), { votes: [], cursor: undefined });
    const ids = Array.from({ length: 13 }, (_, at) => `log_${at}`);
    // The time of a vote does not decide.
    for (const [at, logId] of ids.entries()) await votes.put(vote({ logId, atMs: 100 - at }));
    const { all, cursor } = await rest(votes);
    assertEquals(all.map(({ logId }) => logId), ids);
    assertEquals(await votes.since(cursor, 10), { votes: [], cursor });
    await votes.put(vote({ logId: "log_later", comment: "Too short" }));
    const { all: later } = await rest(votes, cursor);
    assertEquals(later, [vote({ logId: "log_later", comment: "Too short" })]);
  },
  "a reader that follows the cursor misses no vote of many at the same time": async (votes) => {
    const ids = Array.from({ length: 60 }, (_, at) => `log_${at}`);
    const storing = ids.map((logId) => votes.put(vote({ logId })));
    const read: string[] = [];
    let cursor: string | undefined;
    while (read.length < ids.length) {
      await Promise.any(storing);
      const page = await votes.since(cursor, 7);
      read.push(...page.votes.map(({ logId }) => logId));
      cursor = page.cursor;
    }
    assertEquals(read.toSorted(), ids.toSorted());
  },
  "old votes are deleted, and a cursor stays valid": async (votes) => {
    for (let at = 0; at < 5; at++) await votes.put(vote({ logId: `log_${at}`, atMs: at }));
    const { cursor } = await votes.since(undefined, 4);
    assertEquals(await votes.sweep(3), 3);
    assertEquals(await votes.sweep(3), 0);
    assertEquals((await rest(votes)).all.map(({ logId }) => logId), ["log_3", "log_4"]);
    assertEquals(await votes.of("log_0"), []);
    assertEquals((await rest(votes, cursor)).all.map(({ logId }) => logId), ["log_4"]);
    assertEquals(await votes.sweep(100), 2);
    // No position is used again, or the cursor of a snapshot would skip a vote.
    await votes.put(vote({ logId: "log_9", atMs: 200 }));
    assertEquals((await rest(votes, cursor)).all.map(({ logId }) => logId), ["log_9"]);
  },
  "more votes than fit into one commit are deleted": async (votes) => {
    const ids = Array.from({ length: 350 }, (_, at) => `log_${at}`);
    await Promise.all(ids.map((logId) => votes.put(vote({ logId, atMs: 5 }))));
    assertEquals(await votes.sweep(6), 350);
    assertEquals((await rest(votes)).all, []);
  },
  "ids, sources and comments may hold any text": async (votes) => {
    const odd = vote({ logId: "log_ü\u0000", source: "\ud800#", comment: "\u2028\ud800" });
    assertEquals(await votes.put(odd), "stored");
    assertEquals(await votes.put({ ...odd, source: "\ud801#" }), "stored");
    assertEquals((await votes.of(odd.logId)).map(({ source }) => source), ["\ud800#", "\ud801#"]);
  },
};

/** Contract of every store of votes. */
export function voteStoreContract(name: string, open: Open<VoteStore>): void {
  runContract(name, { open, clauses: CLAUSES });
}
