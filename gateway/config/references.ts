/**
 * References between the parts of a configuration, checked on the parsed JSON, so that mistakes
 * within a part do not hide these.
 *
 * @module
 */

/** Returns ids that occur twice, and unknown names of upstreams and models. */
export function referenceProblems(written: unknown): string[] {
  return [...duplicates(written), ...strangers(written)];
}

/** Returns the entries of a list of the file; none where it is no list. */
export function entriesOf(written: unknown, list: string): readonly unknown[] {
  const value = member(written, list);
  return Array.isArray(value) ? value : [];
}

function duplicates(written: unknown): string[] {
  return ["upstreams", "models", "tiers"].flatMap((list) => {
    const seen = new Set<unknown>();
    return entriesOf(written, list).flatMap((entry, index) => {
      const id = member(entry, "id");
      if (typeof id !== "string") return [];
      const isTwice = seen.has(id);
      seen.add(id);
      return isTwice ? [`${list}.${index}.id: "${id}" is there twice`] : [];
    });
  });
}

function strangers(written: unknown): string[] {
  const isUpstream = knownIds(written, "upstreams");
  const isModel = knownIds(written, "models");
  const embedder = member(member(member(written, "vectorStores"), "embeddings"), "upstream");
  const problems: string[] = [];
  if (!isUpstream(embedder)) {
    problems.push(`vectorStores.embeddings.upstream: There is no upstream "${embedder}"`);
  }
  const judge = member(member(member(written, "auto"), "audits"), "judge");
  if (!isModel(judge)) problems.push(`auto.audits.judge: There is no model "${judge}"`);
  for (const [index, model] of entriesOf(written, "models").entries()) {
    const upstream = member(model, "upstream");
    if (isUpstream(upstream)) continue;
    problems.push(`models.${index}.upstream: There is no upstream "${upstream}"`);
  }
  for (const [index, tier] of entriesOf(written, "tiers").entries()) {
    for (const [position, id] of entriesOf(tier, "models").entries()) {
      if (isModel(id)) continue;
      problems.push(`tiers.${index}.models.${position}: There is no model "${id}"`);
    }
  }
  return problems;
}

/**
 * Returns a test for ids of a list. It accepts every id where the list or one of its ids is
 * unreadable.
 */
function knownIds(written: unknown, list: string): (id: unknown) => boolean {
  const entries = entriesOf(written, list);
  const ids = new Set(entries.map((entry) => member(entry, "id")));
  const isReadable = entries.length > 0 && [...ids].every((id) => typeof id === "string");
  return (id) => !isReadable || typeof id !== "string" || ids.has(id);
}

function member(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null) return undefined;
  return Object.entries(value).find(([key]) => key === name)?.[1];
}
