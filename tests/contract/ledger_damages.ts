/** Tables that damages change. */
export const TABLES = [
  ...["ledger_head", "journal_batch", "journal", "wallet", "key_spend", "hold", "ended_hold"],
  "credit",
];

/**
 * Damages of the row of key `key_1`, whose last move is to wallet `v`, and the problems that they
 * cause, by their beginnings.
 */
export const MOVED_DAMAGES: Readonly<Record<string, readonly [sql: string, problem: string]>> = {
  "a moved key on another wallet": [
    `update api_key set wallet_id = 'w', data = replace(data, '"walletId":"v"', '"walletId":"w"')`,
    `Key "key_1" has wallet "w", its last move in the journal is to wallet "v"`,
  ],
  "a moved key in another wallet's list": [
    `update api_key set wallet_id = 'w'`,
    `Key "key_1" has no readable row, its last move in the journal is to wallet "v"`,
  ],
  "a moved key that is no JSON": [
    `update api_key set data = ''`,
    `Key "key_1" has no readable row`,
  ],
  "a deleted moved key": [`delete from api_key`, `Key "key_1" has no readable row`],
};

/**
 * Damages of the ledger that the test of the verification writes, and the problems that they cause, by
 * their beginnings.
 */
export const DAMAGES: Readonly<Record<string, { sql: string; problems: readonly string[] }>> = {
  "an altered amount": {
    sql: `update journal set line = replace(line, '10000', '99999') where place = 2`,
    problems: [
      "Journal batch 2 was changed after it was written",
      `The row of credit "seed" was changed`,
      `Wallet "w" has available`,
    ],
  },
  "an altered line of the last batch": {
    sql: `update journal set line = replace(line, '"m"', '"n"') where place = 9`,
    problems: ["Journal batch 8 was changed after it was written", `Hold "c" of 0.000009`],
  },
  "a line and the hash of its batch": {
    sql: `update journal set line = replace(line, 'test', 'tost') where place = 2;
      update journal_batch set hash = repeat('0', 64) where batch = 2`,
    problems: [
      "Journal batch 2 was changed after it was written",
      "Journal batch 3 was changed after it was written",
    ],
  },
  "a line that is no JSON": {
    sql: `update journal set line = '' where place = 7`,
    problems: [
      "Journal batch 6 was changed after it was written",
      "The line is not a journal entry",
      `Hold "a" of 0.000007`,
    ],
  },
  "a deleted entry": {
    sql: `delete from journal where place = 4`,
    problems: [
      "Journal batch 4 was changed after it was written",
      "Journal entry 4 is missing",
      `Wallet "w" has available`,
      `Key "k" has daySpent`,
      `Hold "h" of 0.000005 credits on wallet "w" never ends in the journal`,
      "1 rows of ended holds are of none in the journal",
    ],
  },
  "a deleted last entry": {
    sql: `delete from journal where place = 10`,
    problems: [
      "Journal batch 8 was changed after it was written",
      "Journal entry 10 is missing",
      `Wallet "#w" has`,
    ],
  },
  "entries that changed places": {
    sql: `update journal set place = 1005 where place = 5;
      update journal set place = 5 where place = 6;
      update journal set place = 6 where place = 1005`,
    problems: ["Journal batch 5 was changed after it was written"],
  },
  "an entry under another wallet": {
    sql: `update journal set wallet = 'x' where place = 3`,
    problems: ["Column wallet does not match the line, says journal entry 3"],
  },
  "an entry of another kind": {
    sql: `update journal set op = 'progress' where place = 3`,
    problems: ["Column op does not match the line, says journal entry 3"],
  },
  "an entry of another request": {
    sql: `update journal set log_id = null where place = 3`,
    problems: ["Column log_id does not match the line, says journal entry 3"],
  },
  "an entry of another batch": {
    sql: `update journal set batch = 2 where place = 3`,
    problems: ["Journal entry 3 says that it is of batch 2, it is of batch 3"],
  },
  "an entry behind the end": {
    sql: `insert into journal select 11, 8, wallet, op, at_ms, log_id, line from journal
      where place = 4`,
    problems: [
      "Journal entry 11 is of no batch",
      `Entry "settle" does not match an open hold "h", says journal entry 11`,
      "The journal has entries up to 11, the ledger's head says 10",
    ],
  },
  "a deleted batch": {
    sql: `delete from journal_batch where batch = 4`,
    problems: [
      "Journal batch 4 is missing",
      "Journal entry 4 says that it is of batch 4, it is of batch 5",
    ],
  },
  "the last batches cut off": {
    sql: `delete from journal_batch where batch > 6; delete from journal where place > 7`,
    problems: [
      "Journal batches 7 to 8 are missing",
      "Journal entries 8 to 10 are missing",
      `Wallet "#w" has`,
      `Wallet "w" has`,
      `Key "k" has`,
      `Hold "c" of`,
      `Hold "b" of`,
      "1 rows of ended holds are of none in the journal",
    ],
  },
  "a batch with another number of entries": {
    sql: `update journal_batch set entries = 1 where batch = 5`,
    problems: [
      "Journal batch 5 was changed after it was written",
      "Journal batch 6 says that it begins with entry 7, it begins with entry 6",
      "Journal entry 6 says that it is of batch 5, it is of batch 6",
    ],
  },
  "a batch with another time": {
    sql: `update journal_batch set at_ms = at_ms + 1 where batch = 5`,
    problems: ["Journal batch 5 says that its latest time is"],
  },
  "the head of an earlier day": {
    sql: `update ledger_head set batch = b.batch, entries = 7, hash = b.hash
      from journal_batch b where b.batch = 6`,
    problems: [
      "The journal has batches up to 8, the ledger's head says 6",
      "The journal has entries up to 10, the ledger's head says 7",
      "Journal batch 6 was changed after it was written, the ledger's head names another hash",
    ],
  },
  "another hash in the head": {
    sql: `update ledger_head set hash = repeat('0', 64)`,
    problems: [
      "Journal batch 8 was changed after it was written, the ledger's head names another hash",
    ],
  },
  "another time in the head": {
    sql: `update ledger_head set at_ms = 1`,
    problems: ["The ledger's head says that the latest time is 1"],
  },
  "another end of the log in the head": {
    sql: `update ledger_head set logged = 0`,
    problems: ["The request log has rows up to 1, the ledger's head says 0"],
  },
  "an altered balance": {
    sql: `update wallet set credits = credits + 1, available = available + 1 where id = 'w'`,
    problems: [`Wallet "w" has available`],
  },
  "a deleted wallet": {
    sql: `delete from wallet where id = 'w'`,
    problems: [`The row of wallet "w" is missing`],
  },
  "a wallet without an entry": {
    sql:
      `insert into wallet select 'x', null, 0, tier, 1, 1, 0, 0, 0, 1 from wallet where id = 'w'`,
    problems: [`Wallet "x" has available 0.000001`],
  },
  "a wallet under another name": {
    sql: `update wallet set id = 'x' where original is not null`,
    problems: [`The row of wallet "x" has another id`, `The row of wallet "#w" is missing`],
  },
  "an altered spend": {
    sql: `update key_spend set total_spent = 0`,
    problems: [`Key "k" has totalSpent 0.000000, its journal comes to totalSpent 0.000003`],
  },
  "an altered sum of a name": {
    sql: `update key_spend set named = replace(named, '"totalSpent":{"n":"3"}',
      '"totalSpent":{"n":"2"}')`,
    problems: [`Key "k" has named.user:ann.totalSpent 0.000002, its journal comes to`],
  },
  "a sum of a name that was moved to another": {
    sql: `update key_spend set named = replace(named, 'user:ann', 'user:ben')`,
    problems: [`Key "k" has named.user:ann.daySpent nothing, named.user:ann.held nothing`],
  },
  "deleted sums of names": {
    sql: `update key_spend set named = null`,
    problems: [`Key "k" has named.user:ann.daySpent nothing`],
  },
  "a name deleted from an entry": {
    sql: `update journal set line = replace(line, '"user:ann"', '') where place = 3`,
    problems: [
      "Journal batch 3 was changed after it was written",
      `The row of ended hold "h" was changed`,
      `Key "k" has named.user:ann.daySpent`,
    ],
  },
  "a deleted spend": {
    sql: `delete from key_spend`,
    problems: [`The row of key "k" is missing`],
  },
  "a deleted hold": {
    sql: `delete from hold where id = 'a'`,
    problems: [`Hold "a" of 0.000007 credits on wallet "w" never ends in the journal`],
  },
  "a hold that has ended": {
    sql: `insert into hold select id, 0, 'one', 'w', 'k', (data::jsonb->'hold')::text
      from ended_hold where id = 'h'`,
    problems: [`Hold "h" of 0.000005 credits on wallet "w" is open but not so in the journal`],
  },
  "a hold of another wallet": {
    sql: `update hold set wallet = '#w' where id = 'c'`,
    problems: [`The row of hold "c" was changed`, `Hold "c" of`],
  },
  "a deleted credit": {
    sql: `delete from credit`,
    problems: [`The row of credit "seed" is missing`],
  },
  "a credit without an entry": {
    sql: `insert into credit values ('x', '"w"', 1)`,
    problems: [`1 rows of credits are of none in the journal`],
  },
  "a deleted ended hold": {
    sql: `delete from ended_hold where id = 'b'`,
    problems: [`The row of ended hold "b" is missing`, "The rows of 1 ended holds are missing"],
  },
  "all ended holds deleted": {
    sql: `delete from ended_hold`,
    problems: ["The rows of 2 ended holds are missing"],
  },
  "an altered ended hold": {
    sql: `update ended_hold set data = replace(data, '"charged":{"n":"3"}', '"charged":{"n":"2"}')
      where id = 'h'`,
    problems: [`The row of ended hold "h" was changed`],
  },
};
