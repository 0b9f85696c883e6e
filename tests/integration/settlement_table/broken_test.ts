/**
 * The table of endings: calls that failed, broke off, or whose caller left.
 *
 * @module
 */

import { CUT, LEFT, NOTHING } from "./broken_rows.ts";
import { testRows } from "./rows.ts";

testRows([...NOTHING, ...CUT, ...LEFT]);
