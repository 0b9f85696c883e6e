/** Text that is read without giving others their turn meanwhile, in bytes or characters. */
export const TURN_CHARS = 1024 * 1024;

/** Lets what waits be done: requests of others, answers that have come. For work that takes long. */
export function othersTurn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}
