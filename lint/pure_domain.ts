import { isTest, pathInRoom } from "./room.ts";

const ROOM = "gateway/domain";

/** Global names that reach a clock, randomness, the system or the network. */
const IMPURE_GLOBALS = new Set([
  "Deno",
  "EventSource",
  "WebSocket",
  "Worker",
  "console",
  "crypto",
  "fetch",
  "globalThis",
  "navigator",
  "performance",
  "process",
  "queueMicrotask",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** Single members that do, of globals that otherwise do not. */
const IMPURE_MEMBERS = new Set(["Date.now", "Math.random", "Temporal.Now"]);

/** A field's or a method's name is not the global of that name. */
function isName(node: Deno.lint.Identifier): boolean {
  const parent = node.parent;
  const same = (other: Deno.lint.Node) => other.range[0] === node.range[0];
  switch (parent.type) {
    case "MemberExpression":
      return !parent.computed && !same(parent.object);
    case "Property":
      return !parent.computed && !parent.shorthand && same(parent.key);
    case "MethodDefinition":
    case "PropertyDefinition":
    case "TSMethodSignature":
    case "TSPropertySignature":
      return !parent.computed && same(parent.key);
    default:
      return false;
  }
}

/** Whether the domain may import this: its own files and the wire types, nothing else. */
function mayImport(path: string, specifier: string): boolean {
  if (specifier === "@svc/sdk/protocol") return true;
  if (!specifier.startsWith(".")) return false;
  return new URL(specifier, `file:///${path}`).pathname.startsWith(`/${ROOM}/`);
}

function visitor(context: Deno.lint.RuleContext, path: string): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node, what: string) =>
    context.report({
      node,
      message: `${ROOM}/ is pure: cannot use ${what}`,
      hint: "Take the value as an argument, or move the effect behind a port in gateway/ports/.",
    });
  const checkImport = (node: Deno.lint.Node, source: Deno.lint.Node | null) => {
    if (source === null) return;
    const specifier = source.type === "Literal" ? String(source.value) : "a computed module";
    if (!mayImport(path, specifier)) report(node, `an import of "${specifier}"`);
  };
  return {
    Identifier(node) {
      if (IMPURE_GLOBALS.has(node.name) && !isName(node)) report(node, node.name);
    },
    MemberExpression(node) {
      if (node.object.type !== "Identifier") return;
      const name = node.property.type === "Identifier"
        ? node.property.name
        : node.property.type === "Literal"
        ? String(node.property.value)
        : "";
      const member = `${node.object.name}.${name}`;
      if (IMPURE_MEMBERS.has(member)) report(node, member);
    },
    NewExpression(node) {
      const isDate = node.callee.type === "Identifier" && node.callee.name === "Date";
      if (isDate && node.arguments.length === 0) report(node, "new Date() without an argument");
    },
    CallExpression(node) {
      const isDate = node.callee.type === "Identifier" && node.callee.name === "Date";
      if (isDate) report(node, "Date() as a function");
    },
    ImportDeclaration: (node) => checkImport(node, node.source),
    ImportExpression: (node) => checkImport(node, node.source),
    ExportAllDeclaration: (node) => checkImport(node, node.source),
    ExportNamedDeclaration: (node) => checkImport(node, node.source),
  };
}

/** No clock, no randomness, no input or output, and no imports but its own in `gateway/domain/`. */
export const pureDomain: Deno.lint.Rule = {
  create(context) {
    const path = pathInRoom(context.filename, ROOM);
    return path === undefined || isTest(path) ? {} : visitor(context, path);
  },
};
