import { hasNode, runOnNode } from "./bundle.ts";

Deno.test({
  name: "the bridge and the tools of MCP servers run on Node",
  ignore: !await hasNode(),
  fn: () => runOnNode("bridge_and_mcp.ts", "bridge_and_mcp_on_node.mjs"),
});
