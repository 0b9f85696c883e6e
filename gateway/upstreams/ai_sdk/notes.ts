import type { LanguageModelV4FilePart } from "@ai-sdk/provider";
import type { ChatFormat } from "../providers/descriptor.ts";
import { type Feature, FEATURES } from "./features.ts";

/** The reason why a request cannot be translated at all. */
export interface Refusal {
  /** Path of the field. */
  readonly param: string;
  /** For the caller. */
  readonly message: string;
}

/** An image whose bytes the provider needs. */
export interface ImageToFetch {
  /** Part of the prompt that gets the bytes. */
  readonly part: LanguageModelV4FilePart;
  /** Path of the field with the address. */
  readonly path: string;
  /** The address. */
  readonly url: string;
}

/** Sentences for features that are translated to another field or form. */
const CHANGES: Readonly<Partial<Record<Feature, string>>> = {
  inner_cache_control: "was moved to the end of the tool's result",
  late_instructions: "was moved to the front of the conversation",
  big_integers: "has integers beyond 2^53, which were rounded",
  odd_filename: "has only what a document's name may have at this model's provider",
};

/** Maximum number of warnings: a request may consist of unknown fields only. */
export const MAX_WARNINGS = 100;

/** Notes on the translation of one request: a refusal, warnings, and images to fetch. */
export class Notes {
  /** The format that the request is translated to. */
  readonly format: ChatFormat;
  /** The first required field that cannot be translated. */
  refusal: Refusal | undefined;
  /** Fields that are left out or changed; the answer lists them. */
  readonly warnings: string[] = [];
  /** Images to fetch before the request is sent. */
  readonly images: ImageToFetch[] = [];

  constructor(format: ChatFormat) {
    this.format = format;
  }

  /** Notes that an image must be fetched, unless the provider takes addresses in this place. */
  noteAddress(feature: "image_url" | "result_image_url", image: ImageToFetch): void {
    if (this.format.lacks[feature] === undefined) return;
    if (!this.images.some(({ part }) => part === image.part)) this.images.push(image);
  }

  /** Notes that a field uses a feature. Returns true when the provider has the feature. */
  allows(feature: Feature, param: string): boolean {
    const lack = this.format.lacks[feature];
    if (lack === undefined) return true;
    if (lack === "reported") this.warn(`"${param}" is not supported and was left out`);
    else if (lack === "changed") this.warn(`"${param}" ${CHANGES[feature] ?? "was changed"}`);
    else this.refuse(param, `${FEATURES[feature]} cannot be carried to this model's provider`);
    return false;
  }

  /** Adds a warning, up to a maximum. */
  warn(line: string): void {
    const { length } = this.warnings;
    if (length < MAX_WARNINGS) this.warnings.push(line);
    else if (length === MAX_WARNINGS) this.warnings.push("More was left out than is listed here");
  }

  /** Refuses the request. The first reason counts. */
  refuse(param: string, message: string): void {
    this.refusal ??= { param, message };
  }
}
