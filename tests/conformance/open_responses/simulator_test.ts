import { SIMULATOR } from "./roads.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(SIMULATOR);
