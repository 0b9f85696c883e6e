import { nearest } from "../nearest.ts";
import { ToolError } from "../tool.ts";
import { CONSTANTS, factorial, FUNCTIONS, remainder } from "./functions.ts";
import { parseDecimal } from "./number_text.ts";
import { power } from "./power.ts";
import {
  add,
  bitsOf,
  divide,
  integer,
  multiply,
  negate,
  type Rational,
  subtract,
} from "./rational.ts";

const MAX_DEPTH = 100;
const MAX_WORK_BITS = 500_000;
const HUNDRED = integer(100);
const BASED = /0x[0-9a-f]+|0b[01]+|0o[0-7]+/iy;
const GROUPED = /\d{1,3}(?:,\d{3})+(?![\d,])(?:\.\d+)?(?:e[+-]?\d+)?/iy;
const DECIMAL = /(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy;
const NAME = /π|[a-z][a-z0-9]*/iy;
const OPERAND = /\s*[\d.a-zπ(]/iy;
const SPACE = /\s*/y;

/** Alternative spellings of operators. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/\*\*/g, "^ "],
  [/[×·⋅]/g, "*"],
  [/÷/g, "/"],
  [/[−–]/g, "-"],
];

/**
 * Computes an arithmetic expression.
 *
 * @throws {ToolError} It cannot be read, or has no value within range.
 */
export function evaluate(expression: string): Rational {
  let text = expression;
  for (const [spelling, sign] of SPELLINGS) text = text.replaceAll(spelling, sign);
  return new Evaluation(text).result();
}

/**
 * One pass through an expression, from left to right:
 *
 * ```text
 * sum      product { ("+" | "-") product }
 * product  signed { ("*" | "/" | "%") signed }
 * signed   [ "+" | "-" ] signed | power
 * power    postfix [ "^" signed ]
 * postfix  operand { "!" | "%" }
 * operand  number | constant | name "(" sum { "," sum } ")" | "(" sum ")"
 * ```
 */
class Evaluation {
  readonly #text: string;
  /** Values with a percent sign. */
  readonly #percentages = new Set<Rational>();
  #at = 0;
  #depth = 0;
  /** Bits of all numbers computed so far; they bound the time that an expression takes. */
  #work = 0;
  /** Depth of calls whose arguments are being read: inside one, a comma separates them. */
  #calls = 0;

  constructor(text: string) {
    this.#text = text;
  }

  result(): Rational {
    const value = this.#sum();
    this.#match(SPACE);
    if (this.#at < this.#text.length) throw this.#unexpected("an operator or the end");
    return value;
  }

  #sum(): Rational {
    let value = this.#product();
    for (;;) {
      const at = this.#at;
      const sign = this.#take("+") ? add : this.#take("-") ? subtract : undefined;
      if (sign === undefined) return value;
      const other = this.#product();
      value = this.#compute(at, () => this.#combine(sign, value, other));
    }
  }

  #combine(
    sign: (one: Rational, other: Rational) => Rational,
    one: Rational,
    other: Rational,
  ): Rational {
    const percentages = [one, other].filter((value) => this.#percentages.has(value)).length;
    // For 1, a tenth and 10% are equal: the two readings of "1 + 10%" agree, those of other values
    // differ.
    if (percentages === 1 && !isOne(one) && !isOne(other)) {
      throw new ToolError(
        "Cannot add a percentage to a number, or subtract it: 10% is 0.1 here; for a change by " +
          "10% write x * (1 + 10%) or x * (1 - 10%), for a remainder mod(x, y)",
        { code: "invalid_expression" },
      );
    }
    const result = sign(one, other);
    return percentages === 2 ? this.#percentage(result) : result;
  }

  #product(): Rational {
    let value = this.#signed();
    for (;;) {
      const at = this.#at;
      const operation = this.#take("*")
        ? multiply
        : this.#take("/")
        ? divide
        : this.#take("%")
        ? remainder
        : undefined;
      if (operation === undefined) return value;
      const other = this.#signed();
      value = this.#compute(at, () => operation(value, other));
    }
  }

  #signed(): Rational {
    return this.#nested(() => {
      if (this.#take("+")) return this.#signed();
      if (!this.#take("-")) return this.#power();
      const value = this.#signed();
      const negative = negate(value);
      return this.#percentages.has(value) ? this.#percentage(negative) : negative;
    });
  }

  #power(): Rational {
    const base = this.#postfix();
    const at = this.#at;
    if (!this.#take("^")) return base;
    const exponent = this.#signed();
    return this.#compute(at, () => power(base, exponent));
  }

  #postfix(): Rational {
    let value = this.#operand();
    for (;;) {
      const at = this.#at;
      const operand = value;
      if (this.#take("!")) {
        // Ambiguous: a double factorial, or the factorial of a factorial.
        if (this.#take("!")) {
          throw this.#invalid(at, 'it has "!!"; for a factorial twice use (n!)!');
        }
        value = this.#compute(at, () => factorial(operand));
      } else if (this.#takePercent()) value = this.#percentage(divide(value, HUNDRED));
      else return value;
    }
  }

  /** Reads a percent sign, unless the next token makes it the operator for remainders. */
  #takePercent(): boolean {
    const before = this.#at;
    if (!this.#take("%")) return false;
    OPERAND.lastIndex = this.#at;
    if (!OPERAND.test(this.#text)) return true;
    this.#at = before;
    return false;
  }

  #percentage(value: Rational): Rational {
    const percentage = { ...value };
    this.#percentages.add(percentage);
    return percentage;
  }

  #operand(): Rational {
    const based = this.#match(SPACE) === undefined ? undefined : this.#match(BASED);
    if (based !== undefined) return integer(BigInt(based));
    const at = this.#at;
    const number = (this.#calls === 0 ? this.#match(GROUPED) : undefined) ?? this.#match(DECIMAL);
    if (number !== undefined) {
      return this.#compute(at, () => parseDecimal(number.replaceAll(/[,_]/g, "")));
    }
    const name = this.#match(NAME);
    if (name !== undefined) return this.#named(name, at);
    if (!this.#take("(")) throw this.#unexpected('a number, a name or "("');
    const value = this.#sum();
    if (!this.#take(")")) throw this.#unexpected('an operator or ")"');
    return value;
  }

  #named(name: string, at: number): Rational {
    const key = name.toLowerCase();
    const constant = CONSTANTS.get(key);
    if (constant !== undefined) return constant;
    const called = FUNCTIONS.get(key);
    if (called === undefined) throw this.#unknown(name, at);
    if (!this.#take("(")) throw this.#unexpected(`"(" after ${key}`);
    const args = this.#arguments(key);
    if (args.length < called.min || args.length > called.max) {
      const count = called.max === Infinity
        ? "at least 1"
        : called.min === called.max
        ? called.min
        : `${called.min} or ${called.max}`;
      throw this.#invalid(at, `${key}() takes ${count} arguments, found ${args.length}`);
    }
    return this.#compute(at, () => called.of(args));
  }

  #arguments(name: string): Rational[] {
    const args: Rational[] = [];
    if (this.#take(")")) return args;
    this.#calls++;
    do args.push(this.#sum()); while (this.#take(","));
    this.#calls--;
    if (!this.#take(")")) throw this.#unexpected(`an operator, "," or the ")" of ${name}(`);
    return args;
  }

  #nested(read: () => Rational): Rational {
    if (++this.#depth > MAX_DEPTH) {
      throw this.#invalid(this.#at, `it is nested more than ${MAX_DEPTH} deep`);
    }
    const value = read();
    this.#depth--;
    return value;
  }

  /** Computes a step; an error carries the step's position. */
  #compute(at: number, step: () => Rational): Rational {
    try {
      const value = step();
      this.#work += bitsOf(value.num) + bitsOf(value.den);
      if (this.#work <= MAX_WORK_BITS) return value;
      throw new ToolError("Cannot compute with so many long numbers at once: do it in parts", {
        code: "out_of_range",
      });
    } catch (error) {
      if (!(error instanceof ToolError) || error.cause !== undefined) throw error;
      const message = `${error.message} (at character ${at + 1})`;
      throw new ToolError(message, { code: error.code, cause: error });
    }
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const token = pattern.exec(this.#text)?.[0];
    this.#at += token?.length ?? 0;
    return token;
  }

  #take(sign: string): boolean {
    this.#match(SPACE);
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #invalid(at: number, problem: string): ToolError {
    return new ToolError(`Cannot read the expression at character ${at + 1}: ${problem}`, {
      code: "invalid_expression",
    });
  }

  #unexpected(expected: string): ToolError {
    this.#match(SPACE);
    const [token] = this.#text.slice(this.#at);
    const seen = token === undefined ? "the end" : `"${token}"`;
    return this.#invalid(this.#at, `expected ${expected}, found ${seen}`);
  }

  #unknown(name: string, at: number): ToolError {
    const alike = nearest(name, [...FUNCTIONS.keys(), ...CONSTANTS.keys()]);
    const hint = alike === undefined
      ? `known are ${[...FUNCTIONS.keys()].join(", ")}, pi, e, tau and phi`
      : `did you mean "${alike}"?`;
    return this.#invalid(at, `"${name.slice(0, 32)}" is not known; ${hint}`);
  }
}

function isOne({ num, den }: Rational): boolean {
  return num === den;
}
