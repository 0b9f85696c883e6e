import { hasNode, runOnNode } from "./bundle.ts";

Deno.test({
  name: "calculator, datetime, files, shell and typed tools do on Node what they do on Deno",
  ignore: !await hasNode(),
  fn: () => runOnNode("tools_and_zod.ts", "tools_on_node.mjs"),
});
