import { CLAUDE } from "./routes.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(CLAUDE);
