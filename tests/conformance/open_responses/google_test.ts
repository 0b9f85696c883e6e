import { GEMINI } from "./routes.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(GEMINI);
