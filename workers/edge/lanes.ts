/** The objects that are called at the same time. */
const LANES = 16

/** Does the work for every item, for 16 items at a time. */
export async function inLanes<Item>(
  items: Iterable<Item>,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = Iterator.from(items)
  const lane = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: LANES }, lane))
}
