import { PHRASES } from "./phrases.ts";

/** Openings that make a comment a riddle: a relative clause in place of a statement. */
const OPENING =
  /^\s*(?:What|Whatever|Who|Whoever|Whom|Whose|Whether|Where|Wherever|How|However)\b(?!.*\?)/;

/** The text of a documentation comment, without its stars. */
function textOf({ value }: Deno.lint.LineComment | Deno.lint.BlockComment): string {
  return value.replaceAll(/^\s*\*+ ?/gm, "").trim();
}

/**
 * Refuses comments that a reader has to decode. A documentation comment states what a thing does or
 * guarantees; it does not begin with a relative clause. No comment uses the listed phrases.
 */
export const docOpening: Deno.lint.Rule = {
  create(context) {
    return {
      Program() {
        for (const comment of context.sourceCode.getAllComments()) {
          const report = (message: string, hint: string) =>
            context.report({ range: comment.range, message, hint });
          const isDoc = comment.type === "Block" && comment.value.startsWith("*");
          if (isDoc && OPENING.test(textOf(comment))) {
            report(
              "A documentation comment begins with a relative clause",
              'State what it does or guarantees: "Returns …", "True when …", "Maximum …"',
            );
          }
          for (const [phrase, hint] of PHRASES) {
            const match = phrase.exec(comment.value);
            if (match !== null) report(`A comment says "${match[0]}"`, hint);
          }
        }
      },
    };
  },
};
