import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import { calculator } from "./calculator.ts";
import { type ToolContext, ToolError } from "./tool.ts";

const CONTEXT: ToolContext = { toolCallId: "call_1", signal: new AbortController().signal };

interface Answer {
  readonly result: string;
  readonly exact: boolean;
  readonly fraction?: string;
}

async function compute(expression: string): Promise<Answer> {
  const answer = await calculator().execute?.({ expression }, CONTEXT);
  const { result, exact, fraction } = Object(answer);
  return { result, exact, ...(fraction === undefined ? {} : { fraction }) };
}

async function refusal(expression: string): Promise<ToolError> {
  return await assertRejects(() => compute(expression), ToolError, undefined, expression);
}

const EXACT: Readonly<Record<string, string>> = {
  "0.1 + 0.2": "0.3",
  "1/3*3": "1",
  "19.99 * 3": "59.97",
  "2^10": "1024",
  "2 ** 3": "8",
  "-2^2": "-4",
  "(-2)^2": "4",
  "2^-1": "0.5",
  "2^3^2": "512",
  "-2^-2": "-0.25",
  "+5 - -3": "8",
  "7 × 6 ÷ 4 − 1·2": "8.5",
  "5!": "120",
  "(3!)!": "720",
  "-3!": "-6",
  "0!": "1",
  "10 % 3": "1",
  "-7 % 3": "-1",
  "7.5 % 2": "1.5",
  "10 % (2+1)": "1",
  "mod(-7, 3)": "2",
  "mod(10, -3)": "-2",
  "50%": "0.5",
  "200 * 10%": "20",
  "5% + 3% - 1%": "0.07",
  "-5% + 10%": "0.05",
  "200 * (1 + 0.1)": "220",
  "200 * (1 + 10%)": "220",
  "200 * (1 - 10%) * (1 - 10%)": "162",
  "10% + 1": "1.1",
  "100 * (1 + 5%)^2": "110.25",
  "1,234.5 * 2": "2469",
  "1,234,567": "1234567",
  "1_000 * 2": "2000",
  "max(1,234)": "234",
  "sum(1, 2, 3.5)": "6.5",
  "min(3, -1, 2)": "-1",
  "mean(1, 2)": "1.5",
  "avg(4)": "4",
  "median(1, 3, 2, 10)": "2.5",
  "median(5, 1, 3)": "3",
  "abs(-3)": "3",
  "abs(3)": "3",
  "sign(-3) + sign(0) + sign(7)": "0",
  "floor(-2.5)": "-3",
  "floor(2.5)": "2",
  "floor(-2)": "-2",
  "ceil(-2.5)": "-2",
  "ceil(2.1)": "3",
  "trunc(-2.7)": "-2",
  "round(2.5)": "3",
  "round(-2.5)": "-3",
  "round(2.345, 2)": "2.35",
  "round(12345, -2)": "12300",
  "round(1/3, 4)": "0.3333",
  "gcd(12, -18)": "6",
  "gcd(0, 0)": "0",
  "lcm(4, 6, -10)": "60",
  "lcm(0, 0)": "0",
  "choose(52, 5)": "2598960",
  "choose(5, 6)": "0",
  "choose(100, 98)": "4950",
  "factorial(6)": "720",
  "pow(2, 0.5 + 0.5)": "2",
  "sqrt(16)": "4",
  "sqrt(2.25)": "1.5",
  "sqrt(0)": "0",
  "8^(1/3)": "2",
  "8^(-2/3)": "0.25",
  "cbrt(27/8)": "1.5",
  "root(-8, 3)": "-2",
  "0^0": "1",
  "0^3": "0",
  "1^999999999999": "1",
  "(-1)^999999999999": "-1",
  "log(1000)": "3",
  "log(8, 2)": "3",
  "log2(1/8)": "-3",
  "log10(1)": "0",
  "ln(1)": "0",
  "1e-3": "0.001",
  "1.5e3": "1500",
  "1e400 / 1e399": "10",
  "1e-30": "1e-30",
  "-12.5e-29": "-1.25e-28",
  "0xff + 0b11 + 0o17": "273",
  ".5 + 5.": "5.5",
  " ( 1 + 2 ) * 3 ": "9",
  "((((7))))": "7",
  "SQRT(4)": "2",
};

Deno.test("a result that can be exact is exact", async () => {
  for (const [expression, result] of Object.entries(EXACT)) {
    assertEquals(await compute(expression), { result, exact: true }, expression);
  }
});

const ROUNDED: Readonly<Record<string, string>> = {
  "sqrt(2)": "1.4142135623731",
  "sqrt(2)^2": "2",
  "sqrt(2)^2 - 2": "0",
  "2^0.3333": "1.25989193987372",
  "root(2, 1000)": "1.00069338746258",
  "pi": "3.14159265358979",
  "π * 10^17": "314159265358979000",
  "pi * 10^-5": "0.0000314159265358979",
  "1e30 * pi": "3.14159265358979e+30",
  "tau / 2 - pi": "0",
  "e^2": "7.38905609893065",
  "exp(1)": "2.71828182845905",
  "exp(0)": "1",
  "exp(1000)": "1.97007111401705e+434",
  "exp(-5000)": "3.36969414830892e-2172",
  "phi": "1.61803398874989",
  "ln(2)": "0.693147180559945",
  "ln(1e300)": "690.775527898214",
  "ln(1e-300)": "-690.775527898214",
  "ln(1 + 1/10^20)": "1e-20",
  "log(50)": "1.69897000433602",
  "(1 + 10^-30)^(10^31)": "22026.4657948067",
  "(1 + 10^-400)^(10^402)": "2.68811714181614e+43",
  "(1 - 10^-400)^(10^402)": "3.72007597602084e-44",
  "log(10^4000, 1 + 10^-400)": "9.21034037197618e+403",
  "2^1000.001": "1.07225157782054e+301",
  "sin(1e-20)": "1e-20",
  "sin(10^8 + 1/3)": "0.761461095993262",
  "cos(10^9 - 2)": "0.147649944125367",
  "tan(22)": "0.00885165604168446",
  "sin(22)": "-0.00885130929040388",
  "cos(11)": "0.00442569798805079",
  "cos(0)": "1",
  "tan(-pi / 4)": "-1",
  "sin(pi)": "0",
  "cos(pi / 2)": "0",
  "sin(radians(30))": "0.5",
  "degrees(pi)": "180",
  "tan(1)": "1.5574077246549",
  "asin(1) - pi/2": "0",
  "acos(0.5)": "1.0471975511966",
  "atan(1)": "0.785398163397448",
  "sinh(1)": "1.1752011936438",
  "cosh(1)": "1.54308063481524",
  "tanh(1)": "0.761594155955765",
  "(1 + 0.0375/365)^(365*30)": "3.08003885714508",
  "1.000001^999999999": "1.9690843562499e+434",
  "max(pi, 3)": "3.14159265358979",
  "round(pi, 2)": "3.14",
};

Deno.test("a result that cannot be exact is rounded, and says so", async () => {
  for (const [expression, result] of Object.entries(ROUNDED)) {
    assertEquals(await compute(expression), { result, exact: false }, expression);
  }
});

Deno.test("a fraction with infinitely many digits is shown as a fraction too", async () => {
  assertEquals(await compute("-1/3"), {
    result: "-0.333333333333333333333333333333",
    exact: false,
    fraction: "-1/3",
  });
  assertEquals(await compute("2/3"), {
    result: "0.666666666666666666666666666667",
    exact: false,
    fraction: "2/3",
  });
  assertEquals((await compute("1/3/10^30")).result, "3.33333333333333333333333333333e-31");
  const long = await compute("1/1600!");
  assertEquals([long.exact, long.fraction], [false, undefined]);
  assertStringIncludes(long.result, "e-4434");
});

const UNREADABLE: Readonly<Record<string, string>> = {
  "5 +": 'at character 4: expected a number, a name or "(", found the end',
  "(1": 'at character 3: expected an operator or ")", found the end',
  "1)": 'at character 2: expected an operator or the end, found ")"',
  "2pi": 'at character 2: expected an operator or the end, found "p"',
  "3 4": 'found "4"',
  "5 km": 'found "k"',
  "1.2.3": 'found "."',
  "1 = 1": 'found "="',
  "$5": 'found "$"',
  "5!!": 'at character 2: it has "!!"',
  "😀": 'found "😀"',
  "sqr(4)": 'did you mean "sqrt"?',
  "__proto__": 'found "_"',
  "constructor(1)": '"constructor" is not known; known are abs,',
  "toString": "is not known",
  "sqrt 4": 'expected "(" after sqrt, found "4"',
  "sqrt()": "sqrt() takes 1 arguments, found 0",
  "sum()": "sum() takes at least 1 arguments, found 0",
  "round(1, 2, 3)": "round() takes 1 or 2 arguments, found 3",
  "max(1, 2": 'expected an operator, "," or the ")" of max(, found the end',
  "(1, 2)": 'found ","',
  "12,34": 'found ","',
  "1e": 'found "e"',
  "200 + 10%": "write x * (1 + 10%)",
  "200 - 10%": "or x * (1 - 10%)",
  "1 + 10% + 5%": "Cannot add a percentage to a number",
  "100% * 1 + 10% - 1%": "Cannot add a percentage to a number",
  "10 % -3": "for a remainder mod(x, y)",
  [`${"1+".repeat(1_000)}1`]: "expected at most 2000 characters",
};

Deno.test("an unreadable expression is refused with its place and the expected input", async () => {
  for (const [expression, message] of Object.entries(UNREADABLE)) {
    const error = await refusal(expression);
    assertStringIncludes(error.message, message, expression);
  }
  await assertRejects(() => compute(""), ToolError, "at least 1 characters");
});

const UNDEFINED: Readonly<Record<string, string>> = {
  "1/0": "Cannot divide by zero (at character 2)",
  "2 + 5 % 0": "Cannot divide by zero (at character 7)",
  "0^-1": "Cannot raise zero to a negative power",
  "(-8)^(1/3)": "for a real root use root(x, n)",
  "sqrt(-1)": "the result is not real",
  "root(8, 0)": "degree 0",
  "ln(0)": "not positive",
  "log(5, 1)": "Cannot divide by zero",
  "1.5!": "not an integer",
  "(-1)!": "negative",
  "choose(-1, 2)": "negative",
  "choose(1.5, 2)": "not an integer",
  "gcd(1.5, 2)": "not an integer",
  "asin(2)": "not a real number",
  "tan(pi / 2)": "it has no value",
};

Deno.test("an expression without a value is refused", async () => {
  for (const [expression, message] of Object.entries(UNDEFINED)) {
    const error = await refusal(expression);
    assertEquals(error.code, "undefined_result", expression);
    assertStringIncludes(error.message, message, expression);
  }
});

const HOSTILE = [
  "9^9^9",
  "9^9^9^9^9",
  "0.9^100000000",
  "1e999999999",
  "1e-999999999",
  "1e5000 * 10",
  "1e-5000 / 10",
  "99999!",
  "9999999999999999999999!",
  "choose(10^18, 10^17)",
  "choose(1000000, 10000)",
  "exp(10^9)",
  "sinh(1000)",
  "sin(10^10)",
  "round(1, 10^9)",
  "exp(0.1)^9999999",
  `${"1600!+".repeat(300)}1`,
  `${"1/3^9000+".repeat(200)}1`,
  `${"choose(16600,8000)+".repeat(100)}1`,
  "(".repeat(2_000),
  `${"-".repeat(1_999)}1`,
  `${"2^".repeat(900)}1`,
  `${"abs(".repeat(450)}1`,
];

Deno.test("hostile expressions are refused before they are computed", async () => {
  for (const expression of HOSTILE) {
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
