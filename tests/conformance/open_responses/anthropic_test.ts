import { CLAUDE } from "./roads.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(CLAUDE);
