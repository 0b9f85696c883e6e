/** Languages of the console. */
export const LANGUAGES = ["en", "zh"] as const;

/** A language of the console. */
export type Language = (typeof LANGUAGES)[number];

/** The same messages in every language. */
export type Catalogue<Messages> = Readonly<Record<Language, Messages>>;

/**
 * Messages of one page, or of what pages share, in every language. The English ones give the type: one
 * that is missing in another language, or takes other arguments there, does not compile.
 */
export function catalogue<Messages>(
  en: Messages,
  others: Readonly<Record<Exclude<Language, "en">, NoInfer<Messages>>>,
): Catalogue<Messages> {
  return { en, ...others };
}
