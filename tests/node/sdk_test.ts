import { hasNode, runOnNode } from "./bundle.ts";

Deno.test({
  name: "the client does on Node what it does on Deno",
  ignore: !await hasNode(),
  fn: () => runOnNode("../../sdk/mod.ts", "sdk_on_node.mjs"),
});
