/** State that seeds start from, made of a secret. */
export interface SeedKey {
  readonly high: number;
  readonly low: number;
}

/** Returns the key of a secret. */
export function seedKeyOf(secret: string): SeedKey {
  return mixed(secret, { high: 0x9e3779b9, low: 0x85ebca6b });
}

/**
 * Returns the seed of a decision, uniform in [0, 1), from the gateway's own random id. It is not
 * cryptographic: no caller chooses the id, and the seed only spreads decisions evenly.
 */
export function seedOf(id: string, key: SeedKey): number {
  const { high, low } = mixed(id, key);
  return (finished(high) + finished(low ^ high) / 2 ** 32) / 2 ** 32 % 1;
}

/**
 * Returns a name of 64 bits for a text under a key, for a memory of texts that forgets. It is not
 * cryptographic: two texts of one name confuse only the memory of the caller that found them.
 */
export function nameOf(text: string, key: SeedKey): string {
  const { high, low } = mixed(text, key);
  return `${finished(high)}.${finished(low ^ high)}`;
}

/** Mixes two lanes by steps that are bijections of 32 bits. */
function mixed(text: string, { high, low }: SeedKey): SeedKey {
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    high = Math.imul(high ^ unit, 2654435761);
    high ^= high >>> 15;
    low = Math.imul(low ^ unit, 1597334677);
    low ^= low >>> 13;
  }
  return { high, low };
}

/** Spreads a lane over all bits; an unsigned number of 32 bits. */
function finished(lane: number): number {
  let value = Math.imul(lane ^ (lane >>> 16), 2246822507);
  value = Math.imul(value ^ (value >>> 13), 3266489909);
  return (value ^ (value >>> 16)) >>> 0;
}
