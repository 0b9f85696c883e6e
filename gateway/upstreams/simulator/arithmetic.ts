const WORDS: readonly (readonly [RegExp, string])[] = [
  [/(\d),(?=\d{3}(?!\d))/g, "$1"],
  [/\b(?:multiplied by|times)\b|乘以|乘/gi, "*"],
  [/\bdivided by\b|除以/gi, "/"],
  [/\bplus\b|加上|加/gi, "+"],
  [/\bminus\b|减去|减/gi, "-"],
  [/(\d ?)x(?= ?\d)/gi, "$1*"],
  [/[×·]/g, "*"],
  [/÷/g, "/"],
  [/−/g, "-"],
];

const LONGEST_EXPRESSION = 200;
const RUN = /[\d.+\-*/^%() ]+/g;
const OPERATION = /[\d)] ?(?:\*\*|[+\-*/^%]) ?[-(]*\d/;
const DATE = /^\d{4}-\d{1,2}-\d{1,2}$/;

/**
 * Returns the arithmetic expressions in a text, in their order: digits, operators, or their names.
 */
export function expressionsIn(text: string): string[] {
  let plain = text;
  for (const [word, operator] of WORDS) plain = plain.replace(word, operator);
  const expressions: string[] = [];
  for (const [run] of plain.matchAll(RUN)) {
    if (run.length > LONGEST_EXPRESSION) continue;
    const expression = balance(run.replaceAll(/ +/g, " ").trim().replace(/[.+\-*/^% (]+$/, ""));
    if (OPERATION.test(expression) && !DATE.test(expression)) expressions.push(expression);
  }
  return expressions;
}

/** Removes brackets without a counterpart, and an operator before the first number. */
function balance(text: string): string {
  let balanced = "";
  let open = 0;
  for (const char of text) {
    if (char === ")" && open === 0) continue;
    if (char === "(") open++;
    if (char === ")") open--;
    balanced += char;
  }
  for (; open > 0; open--) balanced = balanced.replace("(", "");
  return balanced.replace(/^[.+*/^% ]+|^- /, "").trim();
}
