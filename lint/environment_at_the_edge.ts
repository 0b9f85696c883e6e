import { isTest, pathInRoom } from "./room.ts";

const ROOM = "gateway";
const EDGE = "gateway/main.ts";

/** Only `gateway/main.ts` reads the environment; everything else of the gateway is given values. */
export const environmentAtTheEdge: Deno.lint.Rule = {
  create(context) {
    const path = pathInRoom(context.filename, ROOM);
    if (path === undefined || path === EDGE || isTest(path)) return {};
    const report = (node: Deno.lint.Node) =>
      context.report({
        node,
        message: `Only ${EDGE} reads the environment`,
        hint: "Take the value as an option.",
      });
    return {
      MemberExpression(node) {
        if (node.object.type !== "Identifier" || node.property.type !== "Identifier") return;
        const owner = node.object.name;
        if ((owner === "Deno" || owner === "process") && node.property.name === "env") report(node);
      },
      ImportSpecifier(node) {
        if (node.parent.type !== "ImportDeclaration") return;
        const source = node.parent.source.value;
        if (source !== "node:process" && source !== "process") return;
        if (node.imported.type === "Identifier" && node.imported.name === "env") report(node);
      },
    };
  },
};
