import { Refusal } from '../../../lib/errors.ts'

export type GroupCommitOptions<Item> = {
  /** Resolves once everything that is ready now has had its turn. */
  readonly turn: () => Promise<void>
  /** Makes the items durable, in order; rejects when none of them is. */
  readonly commit: (items: readonly Item[]) => Promise<void>
  /** Takes back what the items did in memory: they and all that followed them are lost. */
  readonly undo: (items: readonly Item[], cause: unknown) => void
}

/** Bounds of what may wait for a commit; past them deliveries are refused. */
export const WAITING_ITEMS_MAX = 50_000
export const WAITING_BYTES_MAX = 32 * 1024 * 1024
/** What one commit takes of it: a host may stand still while it writes. */
export const COMMIT_BYTES = 8 * 1024 * 1024

/** So many at once come from so many senders that more are on their way. */
const BUSY_ITEMS = 8

/** Items that share a commit, and so one promise: what is durable is so for all of them. */
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

/** Collects what arrives during one turn of the event loop and commits it together, in several commits if it is much.
 * One commit runs at a time. */
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

  /** Resolves when the item, which counts for so many, is durable. @throws {Refusal} unavailable when it is not and never will be */
  push(item: Item, sizeBytes: number, count = 1): Promise<void> {
    let batch = this.#waiting.at(-1)
    if (!batch || batch.sizeBytes >= COMMIT_BYTES) this.#waiting.push((batch = new Batch()))
    batch.items.push(item)
    this.#weigh(batch, sizeBytes, count)
    this.#flushing ??= this.#flush()
    return batch.durable
  }

  /** What came last of that which waits. */
  get last(): Item | null {
    return this.#waiting.at(-1)?.items.at(-1) ?? null
  }

  /** Lets what came last count for one more, of so many bytes, and resolves when it is durable.
   * @throws {Refusal} as `push` @throws {TypeError} when nothing waits */
  grow(sizeBytes: number): Promise<void> {
    const batch = this.#waiting.at(-1)
    if (!batch) throw new TypeError('Nothing waits that could grow.')
    this.#weigh(batch, sizeBytes, 1)
    return batch.durable
  }

  /** Resolves when all items so far are durable. @throws {Refusal} unavailable when one of them never will be */
  get durable(): Promise<void> {
    return this.#waiting.at(-1)?.durable ?? this.#committing?.durable ?? Promise.resolve()
  }

  /** Resolves when nothing waits any more. */
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
      // Whoever was answered last sends again: what is on its way while much is being taken shares this commit.
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
    // In the same step as the check above: whoever pushes next must find that nobody is flushing.
    this.#flushing = null
  }

  /** What came after a failed commit was built on it, so it is lost with it. */
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
