import { Refusal } from '../../../lib/errors.ts'

export type GroupCommitOptions<Item> = {
  /** Resolves at the next turn of the event loop. */
  readonly turn: () => Promise<void>
  /** Makes the items durable, in order; rejects when none of them is. */
  readonly commit: (items: readonly Item[]) => Promise<void>
  /** Reverts the items in memory: they and all later ones are lost. */
  readonly undo: (items: readonly Item[], cause: unknown) => void
}

/** Bounds of items that wait for a commit; past them deliveries are refused. */
export const WAITING_ITEMS_MAX = 50_000
export const WAITING_BYTES_MAX = 32 * 1024 * 1024
/** The size of one commit: a host may block while it writes. */
export const COMMIT_BYTES = 8 * 1024 * 1024

/** From here on there are so many senders that more deliveries are on their way. */
const BUSY_ITEMS = 8

/** Items that share a commit, and so one promise. */
class Batch<Item> {
  readonly items: Item[] = []
  sizeBytes = 0
  count = 0
  readonly #durable = Promise.withResolvers<void>()

  get durable(): Promise<void> {
    return this.#durable.promise
  }

  resolve(): void {
    this.#durable.resolve()
  }

  reject(): void {
    this.#durable.reject(new Refusal('unavailable', 'The storage is unavailable. Try again shortly.'))
  }
}

/** Commits the items that arrive during one turn of the event loop together, in several commits if they are too large for
 * one. One commit runs at a time. */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>
  #waiting: Batch<Item>[] = []
  #waitingItems = 0
  #waitingBytes = 0
  #committing: Batch<Item> | null = null
  #flushing: Promise<void> | null = null

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#waitingItems >= WAITING_ITEMS_MAX || this.#waitingBytes >= WAITING_BYTES_MAX
  }

  /** Resolves when the item is durable. `count` is its weight in `WAITING_ITEMS_MAX`.
   * @throws {Refusal} unavailable when the commit failed */
  push(item: Item, sizeBytes: number, count = 1): Promise<void> {
    let batch = this.#waiting.at(-1)
    if (!batch || batch.sizeBytes >= COMMIT_BYTES) this.#waiting.push((batch = new Batch()))
    batch.items.push(item)
    this.#weigh(batch, sizeBytes, count)
    this.#flushing ??= this.#flush()
    return batch.durable
  }

  /** The newest item that waits for a commit. */
  get last(): Item | null {
    return this.#waiting.at(-1)?.items.at(-1) ?? null
  }

  /** Adds one to the weight of the newest waiting item, and `sizeBytes` to its size. Resolves as `push`.
   * @throws {Refusal} as `push` @throws {TypeError} when no item waits */
  grow(sizeBytes: number): Promise<void> {
    const batch = this.#waiting.at(-1)
    if (!batch) throw new TypeError('No item waits for a commit.')
    this.#weigh(batch, sizeBytes, 1)
    return batch.durable
  }

  /** Resolves when all items so far are durable. @throws {Refusal} unavailable when the commit of one fails */
  get durable(): Promise<void> {
    return this.#waiting.at(-1)?.durable ?? this.#committing?.durable ?? Promise.resolve()
  }

  /** Resolves when no item waits. */
  async settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }

  #weigh(batch: Batch<Item>, sizeBytes: number, count: number): void {
    batch.sizeBytes += sizeBytes
    batch.count += count
    this.#waitingItems += count
    this.#waitingBytes += sizeBytes
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.turn()
      // Senders that were answered together send again together: their deliveries share this commit.
      if (this.#waitingItems >= BUSY_ITEMS) await this.#options.turn()
      const batch = this.#waiting.shift()
      if (!batch) break
      this.#waitingItems -= batch.count
      this.#waitingBytes -= batch.sizeBytes
      this.#committing = batch
      try {
        await this.#options.commit(batch.items)
        batch.resolve()
      } catch (error) {
        this.#giveUp(batch, error)
      }
      this.#committing = null
    }
    // In the same step as the check above: the next push must start a new flush.
    this.#flushing = null
  }

  /** Later items were built on the failed commit, so they are lost too. */
  #giveUp(batch: Batch<Item>, cause: unknown): void {
    const lost = [batch, ...this.#waiting]
    this.#waiting = []
    this.#waitingItems = 0
    this.#waitingBytes = 0
    this.#options.undo(
      lost.flatMap(({ items }) => items),
      cause,
    )
    for (const each of lost) each.reject()
  }
}
