/**
 * The table of endings, row by row, on every route that has it.
 *
 * @module
 */

import { settleRow } from "./case.ts";
import { CUT, LEFT, NOTHING } from "./broken_rows.ts";
import { FINISHED, IMPOSSIBLE } from "./finished_rows.ts";
import type { ResponseRoute, Row } from "./row.ts";

const ROUTES: readonly ResponseRoute[] = ["chat", "responses, native", "responses, translated"];

const ROWS: readonly Row[] = [...FINISHED, ...IMPOSSIBLE, ...NOTHING, ...CUT, ...LEFT];

for (const row of ROWS) {
  for (const route of row.routes ?? ROUTES) {
    for (const stream of [false, true]) {
      const how = stream ? "streamed" : "as one body";
      if (row.only !== undefined && row.only !== how) continue;
      Deno.test(`${row.row} (${row.how}; ${route}, ${how})`, () =>
        settleRow(row, { route, stream }));
    }
  }
}
