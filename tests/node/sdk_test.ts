import { hasNode, runOnNode } from "./bundle.ts";

Deno.test({
  name: "the client does on Node what it does on Deno",
  ignore: !await hasNode(),
  fn: () => runOnNode("sdk", new URL("./sdk_on_node.mjs", import.meta.url)),
});
