/**
 * Counts the items for which something was done. One that fails stops no other: the first error is
 * thrown at the end.
 */
export async function countOfAll<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<boolean>,
): Promise<number> {
  let count = 0;
  const errors: unknown[] = [];
  for await (const item of items) {
    try {
      if (await work(item)) count++;
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw errors[0];
  return count;
}
