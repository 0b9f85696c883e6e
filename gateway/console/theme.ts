/** Colours: the machine's own setting, or one of the two. */
export type Theme = (typeof THEMES)[number];

/** Every theme. */
export const THEMES = ["auto", "light", "dark"] as const;
