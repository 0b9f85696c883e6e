import { evaluate } from "./calculator/expression.ts";
import { describeNumber } from "./calculator/number_text.ts";
import type { Tool } from "./tool.ts";
import { tool } from "./typed_tool.ts";

const DESCRIPTION = `Computes an arithmetic expression. Use it for every calculation instead of \
computing in your head: fractions and decimals of any length stay exact.
Operators: + - * / ^ (power, right to left) ! (factorial) and parentheses; multiplication is always \
written out: 2 * pi. "x % y" is the remainder, "x%" alone is x/100; for 200 increased by 10% write \
200 * (1 + 10%).
Functions: abs, sign, floor, ceil, trunc, round(x, places), min, max, sum, mean, median, gcd, lcm, \
mod(x, y), factorial, choose(n, k), pow(x, y), sqrt, cbrt, root(x, n), exp, ln, log(x, base = 10), log2, \
sin, cos, tan, asin, acos, atan, sinh, cosh, tanh (angles in radians), radians(deg), degrees(rad). \
Constants: pi, e, tau, phi.
Numbers: 1234.5, 1,234.5 (not among the arguments of a function), 1.5e-7, 0xff.
The result says whether it is exact; where it is not, it is rounded.`;

/**
 * The tool `calculator`: arithmetic on exact fractions, without `eval`. Numbers have at most 5000
 * digits; larger numbers and invalid expressions are refused with the position and the expected
 * token. It needs no permission.
 *
 * @example
 * ```ts
 * import { calculator } from "@svc/tools";
 * import { assertEquals } from "@std/assert";
 *
 * const { execute } = calculator();
 * const context = { toolCallId: "call_1", signal: new AbortController().signal };
 * const answer = await execute?.({ expression: "0.1 + 0.2" }, context);
 * assertEquals(answer, { result: "0.3", exact: true });
 * ```
 */
export function calculator(): Tool {
  return tool({
    name: "calculator",
    description: DESCRIPTION,
    parameters: {
      type: "object",
      properties: {
        expression: {
          type: "string",
          description: 'The expression, such as "(17 + 4.5) * 3 / 7" or "round(sqrt(2), 4)"',
          minLength: 1,
          maxLength: 2_000,
        },
      },
      required: ["expression"],
      additionalProperties: false,
    },
    execute: ({ expression }) => describeNumber(evaluate(expression)),
  });
}
