/** True for a name that could refer to a global, and false for the name of a field or a method. */
export function isName(node: Deno.lint.Identifier): boolean {
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

/** Returns the name of a member when it is a literal; else an empty text. */
export function memberName(node: Deno.lint.MemberExpression): string {
  if (node.property.type === "Literal") return String(node.property.value);
  return node.property.type === "Identifier" && !node.computed ? node.property.name : "";
}
