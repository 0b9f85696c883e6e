import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { NativeKind } from "../../domain/catalog/catalog.ts";
import { CANNOT_CARRY, type Feature, FEATURES } from "./cannot_carry.ts";

/** Why a request cannot be carried at all. */
export interface Refusal {
  /** Path of the field. */
  readonly param: string;
  /** For the caller. */
  readonly message: string;
}

/** An image whose bytes the provider needs. */
export interface ImageToFetch {
  /** Where the bytes go. */
  readonly part: LanguageModelV4FilePart;
  /** Path of the field with the address. */
  readonly path: string;
  /** The address. */
  readonly url: string;
}

/** What becomes of what has another place or form on some wire. */
const CHANGES: Readonly<Partial<Record<Feature, string>>> = {
  inner_cache_control: "was moved to the end of the tool's result",
  late_instructions: "was moved to the front of the conversation",
  big_integers: "has integers beyond 2^53, which were rounded",
  odd_filename: "has only what a document's name may have at this model's provider",
};

/** Most lines of what was left out: a request may be made of nothing else. */
export const MAX_WARNINGS = 100;

/** What is noticed while a request is translated. */
export class Notes {
  readonly #kind: NativeKind;
  /** The first thing that cannot be carried and must be. */
  refusal: Refusal | undefined;
  /** What is left out of the request, or done otherwise; the answer lists it. */
  readonly warnings: string[] = [];
  /** To be fetched before the request is sent. */
  readonly images: ImageToFetch[] = [];

  /** For a request to an upstream of that kind. */
  constructor(kind: NativeKind) {
    this.#kind = kind;
  }

  /** Which upstream the request is for. */
  get kind(): NativeKind {
    return this.#kind;
  }

  /** Puts an image down to be fetched where the kind takes no address in this place. */
  noteAddress(feature: "image_url" | "result_image_url", image: ImageToFetch): void {
    if (CANNOT_CARRY[this.#kind][feature] === undefined) return;
    if (!this.images.some(({ part }) => part === image.part)) this.images.push(image);
  }

  /** Notes that a field asks for a feature. True: the kind has it. */
  allows(feature: Feature, param: string): boolean {
    const lack = CANNOT_CARRY[this.#kind][feature];
    if (lack === undefined) return true;
    if (lack === "reported") this.warn(`"${param}" is not supported and was left out`);
    else if (lack === "changed") this.warn(`"${param}" ${CHANGES[feature] ?? "was changed"}`);
    else this.refuse(param, `${FEATURES[feature]} cannot be carried to this model's provider`);
    return false;
  }

  /** Something is left out, or done otherwise. */
  warn(line: string): void {
    const { length } = this.warnings;
    if (length < MAX_WARNINGS) this.warnings.push(line);
    else if (length === MAX_WARNINGS) this.warnings.push("More was left out than is listed here");
  }

  /** The request cannot be carried. The first reason counts. */
  refuse(param: string, message: string): void {
    this.refusal ??= { param, message };
  }
}
