import { isName, memberName } from "./names.ts";
import { isTest, pathInPackage } from "./package_path.ts";

const PACKAGE = "gateway/domain";

/** Global names that reach a clock, randomness, the system or the network. */
const IMPURE_GLOBALS = new Set([
  "BroadcastChannel",
  "Deno",
  "EventSource",
  "WebSocket",
  "Worker",
  "alert",
  "caches",
  "confirm",
  "console",
  "crypto",
  "eval",
  "fetch",
  "global",
  "globalThis",
  "localStorage",
  "navigator",
  "performance",
  "process",
  "prompt",
  "queueMicrotask",
  "self",
  "sessionStorage",
  "setImmediate",
  "setInterval",
  "setTimeout",
]);

/** Impure members of globals whose other members are pure. */
const IMPURE_MEMBERS = new Set([
  "AbortSignal.timeout",
  "Date.now",
  "Intl.DateTimeFormat",
  "Math.random",
  "Temporal.Now",
]);

/**
 * Globals with such members: under another name, or by a computed one, the rule would miss them.
 */
const HALF_PURE = new Set([...IMPURE_MEMBERS].map((member) => member.split(".")[0] ?? ""));

/** True for a partly pure global that is used as a value instead of through a member. */
function isHandedOn(node: Deno.lint.Identifier): boolean {
  const parent = node.parent;
  switch (parent.type) {
    case "MemberExpression":
      return memberName(parent) === "";
    case "BinaryExpression":
      return parent.operator !== "instanceof";
    case "CallExpression":
    case "NewExpression":
      return parent.callee.range[0] !== node.range[0];
    default:
      return !parent.type.startsWith("TS");
  }
}

/** True when the domain may import this: its own files and the wire types, nothing else. */
function mayImport(path: string, specifier: string): boolean {
  if (specifier === "@svc/sdk/protocol") return true;
  if (!specifier.startsWith(".")) return false;
  return new URL(specifier, `file:///${path}`).pathname.startsWith(`/${PACKAGE}/`);
}

function visitor(context: Deno.lint.RuleContext, path: string): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node, what: string) =>
    context.report({
      node,
      message: `${PACKAGE}/ is pure: cannot use ${what}`,
      hint: "Take the value as an argument, or move the effect behind a port in gateway/ports/.",
    });
  const checkImport = (node: Deno.lint.Node, source: Deno.lint.Node | null) => {
    if (source === null) return;
    const specifier = source.type === "Literal" ? String(source.value) : "a computed module";
    if (!mayImport(path, specifier)) report(node, `an import of "${specifier}"`);
  };
  return {
    Identifier(node) {
      if (isName(node)) return;
      if (IMPURE_GLOBALS.has(node.name)) report(node, node.name);
      if (HALF_PURE.has(node.name) && isHandedOn(node)) report(node, `${node.name} as a value`);
    },
    MemberExpression(node) {
      if (node.object.type !== "Identifier") return;
      const member = `${node.object.name}.${memberName(node)}`;
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
    const path = pathInPackage(context.filename, PACKAGE);
    return path === undefined || isTest(path) ? {} : visitor(context, path);
  },
};
