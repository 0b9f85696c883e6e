/** Bare participles say that something happened to a value, and not which value it is. */
const PARTICIPLES = [
  ...["found", "asked", "told", "said", "left", "put"],
];

/** Banned words that are also verbs: a method may have such a name. */
const VERBS: readonly string[] = ["put"];

/** Private terms, each with the term of the glossary that takes its place. */
const TERMS: Readonly<Record<string, string>> = {
  House: "Service",
  Patient: "DoctorContext",
  Thing: "CatalogEntry",
  Road: "ResponseRoute",
  PlaceSearch: "CapacitySearch",
  LateEndings: "SettlementRetries",
  FoundMemory: "SearchMemory",
  Gathered: "EventBatcher",
  LastPieces: "FinalEvents",
  othersTurn: "yieldToEventLoop",
  livingKey: "activeKey",
  underWay: "inFlight",
  whileWanted: "whileCallerConnected",
  settleForSure: "settleUntilConfirmed",
  house: "service",
  road: "route",
};

/** The hint for a banned name; `undefined` for a name that may stand. */
function hintFor(name: string): string | undefined {
  if (PARTICIPLES.includes(name)) {
    return "Name the value: match, request, reply, text, remaining, result";
  }
  return Object.hasOwn(TERMS, name) ? `Use ${TERMS[name]} (docs/glossary.md)` : undefined;
}

/** The names that a pattern declares. */
function declared(
  node: Deno.lint.Node | Deno.lint.TSParameterProperty | null,
): (Deno.lint.Identifier | Deno.lint.PrivateIdentifier)[] {
  if (node?.type === "TSParameterProperty") return declared(node.parameter);
  switch (node?.type) {
    case "Identifier":
    case "PrivateIdentifier":
      return [node];
    case "ObjectPattern":
      return node.properties.flatMap((property) =>
        declared(property.type === "Property" ? property.value as Deno.lint.Node : property)
      );
    case "ArrayPattern":
      return node.elements.flatMap(declared);
    case "AssignmentPattern":
      return declared(node.left);
    case "RestElement":
      return declared(node.argument);
    default:
      return [];
  }
}

/**
 * Refuses declarations whose name is a bare participle or a private term. It looks at variables,
 * parameters, functions, classes, types and members of types and classes, private ones too; a method
 * may be named by a verb, such as `put`. Names that the wire or another library prescribes are not declared here.
 */
export const plainName: Deno.lint.Rule = {
  create(context) {
    const check = (node: Deno.lint.Node | Deno.lint.TSParameterProperty | null) => {
      for (const name of declared(node)) {
        const hint = hintFor(name.name);
        if (hint === undefined) continue;
        context.report({ node: name, message: `"${name.name}" does not say what it is`, hint });
      }
    };
    const checkMember = (node: { computed: boolean; key: Deno.lint.Node }) => {
      if (!node.computed) check(node.key);
    };
    const checkMethod = (node: { computed: boolean; key: Deno.lint.Node }) => {
      const isVerb = node.key.type === "Identifier" && VERBS.includes(node.key.name);
      if (!isVerb) checkMember(node);
    };
    const checkFunction = (node: { params: readonly Deno.lint.Parameter[] }) =>
      node.params.forEach(check);
    return {
      VariableDeclarator: (node) => check(node.id),
      FunctionDeclaration(node) {
        check(node.id);
        checkFunction(node);
      },
      FunctionExpression: checkFunction,
      ArrowFunctionExpression: checkFunction,
      TSFunctionType: checkFunction,
      ClassDeclaration: (node) => check(node.id),
      TSInterfaceDeclaration: (node) => check(node.id),
      TSTypeAliasDeclaration: (node) => check(node.id),
      TSEnumDeclaration: (node) => check(node.id),
      CatchClause: (node) => check(node.param),
      MethodDefinition: checkMethod,
      TSMethodSignature: checkMethod,
      PropertyDefinition: checkMember,
      TSPropertySignature: checkMember,
    };
  },
};
