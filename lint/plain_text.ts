import { PHRASES } from "./phrases.ts";

/** Phrases of messages and of test names only; in comments they may be quoted. */
const MESSAGE_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\b(?:is|are) let pass\b/i, 'Write "is accepted" or "is admitted"'],
  [/\bby its side\b/i, 'Write "beside it" or "at the same time"'],
];

/** Phrases that strings may not have. The first of the list is an id of nothing in many tests. */
const REFUSED = [...PHRASES.slice(1), ...MESSAGE_PHRASES];

/** Refuses the listed phrases in strings: names of tests, help texts and messages. */
export const plainText: Deno.lint.Rule = {
  create(context) {
    // The rules and their tests quote the phrases.
    if (/(?:^|\/)lint\/[^/]+$/.test(context.filename)) return {};
    const check = (text: string, range: Deno.lint.Node["range"]) => {
      if (!text.trim().includes(" ")) return;
      for (const [phrase, hint] of REFUSED) {
        const match = phrase.exec(text);
        if (match !== null) context.report({ range, message: `A text says "${match[0]}"`, hint });
      }
    };
    return {
      Literal(node) {
        if (typeof node.value === "string") check(node.value, node.range);
      },
      TemplateElement: (node) => check(node.cooked, node.range),
    };
  },
};
