/** Largest number of lines in a file; a longer one holds two subjects. */
export const MAX_FILE_LINES = 400;

/** Largest number of lines in a function: it fits on a screen. */
export const MAX_FUNCTION_LINES = 60;

function countLines(text: string): number {
  return text.trimEnd().split("\n").length;
}

/** A file stays below {@linkcode MAX_FILE_LINES}. */
export const fileLength: Deno.lint.Rule = {
  create(context) {
    return {
      Program(node) {
        const lines = countLines(context.sourceCode.getText());
        if (lines <= MAX_FILE_LINES) return;
        context.report({
          node,
          message: `This file has ${lines} lines, more than ${MAX_FILE_LINES}`,
          hint: "Split it along what it talks about.",
        });
      },
    };
  },
};

/** A function stays below {@linkcode MAX_FUNCTION_LINES}. */
export const functionLength: Deno.lint.Rule = {
  create(context) {
    const check = (node: Deno.lint.Node) => {
      const lines = countLines(context.sourceCode.getText(node));
      if (lines <= MAX_FUNCTION_LINES) return;
      context.report({
        node,
        message: `This function has ${lines} lines, more than ${MAX_FUNCTION_LINES}`,
        hint: "Give its phases names of their own.",
      });
    };
    return {
      FunctionDeclaration: check,
      FunctionExpression: check,
      ArrowFunctionExpression: check,
    };
  },
};
