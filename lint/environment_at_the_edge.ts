import { isName, memberName } from "./names.ts";
import { isTest, pathInPackage } from "./package_path.ts";

const PACKAGE = "gateway";
const EDGE = "gateway/main.ts";

/** Objects whose member `env` is the environment. */
const OWNERS = ["Deno", "process"];

/** The modules that export the environment. */
const MODULES = ["node:process", "process"];

function isOwner(node: Deno.lint.Node): boolean {
  if (node.type === "Identifier") return OWNERS.includes(node.name);
  return node.type === "MemberExpression" && OWNERS.includes(memberName(node));
}

/** True for a name that is used as a value, so that its `env` could be read under another name. */
function isHandedOn(node: Deno.lint.Identifier): boolean {
  const { type } = node.parent;
  if (type === "MemberExpression") return memberName(node.parent) === "";
  return !type.startsWith("TS") && !type.startsWith("Import");
}

function visitor(context: Deno.lint.RuleContext): Deno.lint.LintVisitor {
  const report = (node: Deno.lint.Node) =>
    context.report({
      node,
      message: `Only ${EDGE} reads the environment`,
      hint: "Take the value as an option.",
    });
  const isEnv = (node: Deno.lint.Node) => node.type === "Identifier" && node.name === "env";
  return {
    Identifier(node) {
      if (OWNERS.includes(node.name) && !isName(node) && isHandedOn(node)) report(node);
    },
    MemberExpression(node) {
      if (isOwner(node.object) && memberName(node) === "env") report(node);
    },
    ImportDeclaration({ source, specifiers }) {
      if (!MODULES.includes(source.value)) return;
      for (const specifier of specifiers) {
        const isRead = specifier.type === "ImportSpecifier"
          ? isEnv(specifier.imported)
          : specifier.local.name !== "process";
        if (isRead) report(specifier);
      }
    },
    ExportNamedDeclaration({ source, specifiers }) {
      if (source === null || !MODULES.includes(source.value)) return;
      for (const specifier of specifiers) if (isEnv(specifier.local)) report(specifier);
    },
  };
}

/** Only `gateway/main.ts` reads the environment; the rest of the gateway receives values. */
export const environmentAtTheEdge: Deno.lint.Rule = {
  create(context) {
    const path = pathInPackage(context.filename, PACKAGE);
    return path === undefined || path === EDGE || isTest(path) ? {} : visitor(context);
  },
};
