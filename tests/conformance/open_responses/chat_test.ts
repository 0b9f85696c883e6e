import { CHAT } from "./routes.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(CHAT);
