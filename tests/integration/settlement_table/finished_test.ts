/**
 * The table of endings: calls that finished.
 *
 * @module
 */

import { FINISHED, IMPOSSIBLE } from "./finished_rows.ts";
import { testRows } from "./rows.ts";

testRows([...FINISHED, ...IMPOSSIBLE]);
