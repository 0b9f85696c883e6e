import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { calculator } from "./calculator.ts";
import { sharedCases } from "./shared_cases_test.ts";
import { type ToolContext, ToolError } from "./tool.ts";

const CONTEXT: ToolContext = { toolCallId: "call_1", signal: new AbortController().signal };

interface Answer {
  readonly result: string;
  readonly exact: boolean;
  readonly fraction?: string;
}

interface Refused {
  readonly expression: string;
  readonly message: string;
}

const CASES = sharedCases<{
  readonly exact: Readonly<Record<string, string>>;
  readonly rounded: Readonly<Record<string, string>>;
  /** Without `fraction`: the fraction is too long to be shown, or is not compared. */
  readonly fractions: readonly (Partial<Answer> & { readonly expression: string })[];
  readonly unreadable: readonly Refused[];
  readonly undefined: readonly Refused[];
  readonly hostile: readonly string[];
}>("calculator");

async function compute(expression: string): Promise<Answer> {
  const answer = await calculator().execute?.({ expression }, CONTEXT);
  const { result, exact, fraction } = Object(answer);
  return { result, exact, ...(fraction === undefined ? {} : { fraction }) };
}

async function refusal(expression: string): Promise<ToolError> {
  return await assertRejects(() => compute(expression), ToolError, undefined, expression);
}

Deno.test("a result that can be exact is exact", async () => {
  for (const [expression, result] of Object.entries(CASES.exact)) {
    assertEquals(await compute(expression), { result, exact: true }, expression);
  }
});

Deno.test("a result that cannot be exact is rounded, and says so", async () => {
  for (const [expression, result] of Object.entries(CASES.rounded)) {
    assertEquals(await compute(expression), { result, exact: false }, expression);
  }
});

Deno.test("a fraction with infinitely many digits is shown as a fraction too", async () => {
  for (const { expression, ...expected } of CASES.fractions) {
    const answer = await compute(expression);
    assertEquals({ ...answer, ...expected }, answer, expression);
    assertEquals(answer.exact, false, expression);
  }
  const long = await compute("1/1600!");
  assertEquals([long.exact, long.fraction], [false, undefined]);
  assertStringIncludes(long.result, "e-4434");
});

Deno.test("an unreadable expression is refused with its place and the expected input", async () => {
  for (const { expression, message } of CASES.unreadable) {
    const error = await refusal(expression);
    assertStringIncludes(error.message, message, expression);
  }
});

Deno.test("an expression without a value is refused", async () => {
  for (const { expression, message } of CASES.undefined) {
    const error = await refusal(expression);
    assertEquals(error.code, "undefined_result", expression);
    assertStringIncludes(error.message, message, expression);
  }
});

Deno.test("hostile expressions are refused before they are computed", async () => {
  for (const expression of CASES.hostile) {
    const { code, message } = await refusal(expression);
    assert(code === "out_of_range" || message.includes("nested more than"), message);
  }
});

Deno.test("the largest numbers are whole", async () => {
  assertEquals((await compute("10^4999")).result, `1${"0".repeat(4_999)}`);
  const product = Array.from({ length: 1_000 }, (_, index) => BigInt(index + 1));
  assertEquals((await compute("1000!")).result, `${product.reduce((a, b) => a * b)}`);
});

/** An independent oracle: an expression together with its value as a fraction of integers. */
interface Sample {
  readonly text: string;
  readonly value: readonly [num: bigint, den: bigint];
}

const decimals: fc.Arbitrary<Sample> = fc.tuple(fc.nat(99_999), fc.nat(4)).map((
  [digits, places],
) => ({
  text: (digits / 10 ** places).toFixed(places),
  value: [BigInt(digits), 10n ** BigInt(places)],
}));

const { samples } = fc.letrec<{ samples: Sample }>((tie) => ({
  samples: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    decimals,
    tie("samples").map(({ text, value: [num, den] }): Sample => ({
      text: `-(${text})`,
      value: [-num, den],
    })),
    fc.tuple(tie("samples"), fc.constantFrom("+", "-", "*", "/"), tie("samples"))
      .map(([one, sign, other]): Sample => {
        const [[a, b], [c, d]] = [one.value, other.value];
        const text = `(${one.text}) ${sign} (${other.text})`;
        if (sign === "+") return { text, value: [a * d + c * b, b * d] };
        if (sign === "-") return { text, value: [a * d - c * b, b * d] };
        if (sign === "*") return { text, value: [a * c, b * d] };
        return c === 0n ? one : { text, value: [a * d, b * c] };
      }),
  ),
}));

/** Returns a result as a fraction of integers. */
function read({ result, fraction }: Answer): readonly [bigint, bigint] {
  const [num = "0", den = "1"] = (fraction ?? "").split("/");
  if (fraction !== undefined) return [BigInt(num), BigInt(den)];
  const [mantissa = "0", exponent = "0"] = result.split("e");
  const [units = "0", places = ""] = mantissa.split(".");
  const shift = places.length - Number(exponent);
  return [BigInt(units + places), 10n ** BigInt(Math.max(0, shift))];
}

Deno.test("results equal those of an independent oracle", async () => {
  await fc.assert(
    fc.asyncProperty(samples, async ({ text, value: [num, den] }) => {
      fc.pre(text.length <= 1_500);
      const answer = await compute(text);
      if (!answer.exact && answer.fraction === undefined) return;
      const [ours, below] = read(answer);
      assertEquals(ours * den, num * below, text);
    }),
    { numRuns: 300 },
  );
});

Deno.test("double-precision functions agree with JavaScript's", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("sin" as const, "cos" as const, "atan" as const, "exp" as const),
      fc.integer({ min: -9_999, max: 9_999 }),
      async (name, thousandths) => {
        const argument = thousandths / 1_000;
        const expected = Math[name];
        const { result } = await compute(`${name}(${argument})`);
        const error = Math.abs(Number(result) - expected(argument));
        assert(error <= 1e-13 * Math.max(1, Math.abs(expected(argument))), `${name} ${argument}`);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("for any input, the answer is a number or a ToolError", async () => {
  const signs = fc.constantFrom(..."0123456789.,+-*/^%!() e", "pi", "sqrt(", "max(", "round(");
  await fc.assert(
    fc.asyncProperty(fc.array(signs, { minLength: 1, maxLength: 30 }), async (parts) => {
      try {
        assert(/^-?\d+(\.\d+)?(e[+-]\d+)?$/.test((await compute(parts.join(""))).result));
      } catch (error) {
        if (!(error instanceof ToolError)) throw error;
      }
    }),
    { numRuns: 1_000 },
  );
});
