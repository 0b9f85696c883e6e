import { CHAT } from "./roads.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(CHAT);
