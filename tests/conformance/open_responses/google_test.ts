import { GEMINI } from "./roads.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(GEMINI);
