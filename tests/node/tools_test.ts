import { hasNode, runOnNode } from "./bundle.ts";

Deno.test({
  name: "calculator, datetime, shell and typed tools do on Node what they do on Deno",
  ignore: !await hasNode(),
  fn: () => runOnNode("tools", new URL("./tools_on_node.mjs", import.meta.url)),
});
