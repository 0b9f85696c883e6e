/**
 * A value that is known at once, as from memory, or a promise of it. A caller that checks for the
 * promise needs no turn of the event loop for a known value; any other awaits both.
 */
export type AtOnce<T> = T | Promise<T>;
