/**
 * Settings of `auto`: the operator's, in the catalog; the key's, in its policy; the caller's, in the
 * header `X-Auto`.
 *
 * @module
 */

import { OUTCOME_SOURCES, type OutcomeSource } from "../learning/statistics.ts";
import { DEFAULT_DIAL, type Dial, dialOf } from "./dial.ts";

/** Audits: requests that are asked of the best allowed model too, after the caller was answered. */
export interface AuditSettings {
  /** Share of the requests of consenting keys, 0 to 0.05. @default {0} */
  readonly share: number;
  /** Maximum cost per UTC day, in credits, decimal string. */
  readonly dailyBudget: string;
  /** The operator's wallet that pays. */
  readonly wallet: string;
  /** Catalog id of a model that compares answers which only a reader can. @default {none} */
  readonly judge?: string | undefined;
}

/** Settings of `auto` in the catalog. */
export interface AutoSettings {
  /** Position of the dial where neither tier, policy nor request sets one. @default {0.5} */
  readonly dial?: Dial | undefined;
  /** Share of the requests of scored tasks that try another model, 0 to 0.05. @default {0.02} */
  readonly exploration?: number | undefined;
  /** Sources of outcomes that count. @default {all} */
  readonly sources?: readonly OutcomeSource[] | undefined;
  /** @default {no audits} */
  readonly audits?: AuditSettings | undefined;
}

/** Part of a key's policy about `auto`. */
export interface AutoPolicy {
  /** Position of the dial for requests that state none. @default {the tier's} */
  readonly dial?: Dial | undefined;
  /**
   * Highest position that a request may ask for with `X-Auto: quality=…`. @default {1: any}
   */
  readonly maxDial?: Dial | undefined;
  /** Minimum quality, by the catalog, of models that exploration may try. @default {0} */
  readonly qualityFloor?: number | undefined;
  /**
   * Verified answers: never, where a request asks for them, or wherever the audited record of the
   * task says that they are worth it. @default {"request"}
   */
  readonly verify?: "off" | "request" | "auto" | undefined;
  /** True when requests of the key may be audited: other models see their prompts. */
  readonly audits?: boolean | undefined;
}

/** Modes of verified answers, from the strictest. */
export const VERIFY_MODES = ["off", "request", "auto"] as const;

/** The header `X-Auto`, parsed. */
export interface AutoChoice {
  readonly dial?: Dial | undefined;
  readonly verify?: boolean | undefined;
}

/** Default share of exploration. */
export const DEFAULT_EXPLORATION = 0.02;
/** Maximum share of requests that explore, and that are audited. */
export const SHARE_MAX = 0.05;

/**
 * Parses `X-Auto`: a list of `quality=0.8` or `quality=best`, and `verify`, each at most once,
 * separated by commas. Returns the reason if it is malformed.
 */
export function parseAutoChoice(
  header: string,
): { readonly ok: true; readonly choice: AutoChoice } | {
  readonly ok: false;
  readonly reason: string;
} {
  let choice: AutoChoice = {};
  for (const item of header.split(",").map((part) => part.trim())) {
    const [name, ...values] = item.split("=").map((part) => part.trim());
    const dial = name === "quality" && values.length === 1 ? dialOf(values.join()) : undefined;
    if (dial !== undefined && choice.dial === undefined) choice = { ...choice, dial };
    else if (item === "verify" && choice.verify === undefined) choice = { ...choice, verify: true };
    else {
      const reason = `X-Auto cannot be "${item.slice(0, 80)}": it takes ` +
        '"quality=0.8" (0 to 1, or economy, balanced, best) and "verify", each at most once';
      return { ok: false, reason };
    }
  }
  return { ok: true, choice };
}

/** Returns why a policy refuses the choice of a request; `undefined` when it does not. */
export function choiceDenial(
  { auto = {} }: { readonly auto?: AutoPolicy | undefined },
  choice: AutoChoice,
): string | undefined {
  if (choice.dial !== undefined) {
    const { maxDial = 1 } = auto;
    if (choice.dial > maxDial) return `The key's policy allows a dial of at most ${maxDial}`;
  }
  if (choice.verify === true && auto.verify === "off") {
    return "The key's policy does not allow verified answers";
  }
  return undefined;
}

/** Returns the position of the dial for a request: its own, the policy's, the tier's, or the default. */
export function dialFor(
  { choice, policy, tier, settings }: {
    readonly choice?: AutoChoice | undefined;
    readonly policy: { readonly auto?: AutoPolicy | undefined };
    readonly tier: { readonly dial?: Dial | undefined };
    readonly settings?: AutoSettings | undefined;
  },
): Dial {
  return choice?.dial ?? policy.auto?.dial ?? tier.dial ?? settings?.dial ?? DEFAULT_DIAL;
}

/** Returns the sources of outcomes that count. */
export function sourcesOf(settings: AutoSettings | undefined): readonly OutcomeSource[] {
  return settings?.sources ?? OUTCOME_SOURCES;
}
