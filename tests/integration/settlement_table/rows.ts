/**
 * Rows of the table of endings as tests, on every route that has them.
 *
 * @module
 */

import { settleRow } from "./case.ts";
import type { ResponseRoute, Row } from "./row.ts";

const ROUTES: readonly ResponseRoute[] = ["chat", "responses, native", "responses, translated"];

/** Registers a test for each route of each row, streamed and as one body. */
export function testRows(rows: readonly Row[]): void {
  for (const row of rows) {
    for (const route of row.routes ?? ROUTES) {
      for (const stream of [false, true]) {
        const how = stream ? "streamed" : "as one body";
        if (row.only !== undefined && row.only !== how) continue;
        Deno.test(`${row.row} (${row.how}; ${route}, ${how})`, () =>
          settleRow(row, { route, stream }));
      }
    }
  }
}
