import { SIMULATOR } from "./routes.ts";
import { openResponsesSuite } from "./suite.ts";

openResponsesSuite(SIMULATOR);
