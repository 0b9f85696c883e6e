import { NATIVE } from "./routes.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(NATIVE);
