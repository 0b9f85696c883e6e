import { NATIVE } from "./roads.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(NATIVE);
