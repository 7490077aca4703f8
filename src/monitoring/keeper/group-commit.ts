import { Refusal } from '../../lib/errors.ts'

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
export const WAITING_BYTES_MAX = 64 * 1024 * 1024

type Waiting<Item> = {
  readonly item: Item
  readonly resolve: () => void
  readonly reject: (reason: unknown) => void
}

/** Collects what arrives during one turn of the event loop and commits it together. One commit runs at a time. */
export class GroupCommit<Item> {
  readonly #options: GroupCommitOptions<Item>
  #waiting: Waiting<Item>[] = []
  #waitingBytes = 0
  #flushing: Promise<void> | null = null

  constructor(options: GroupCommitOptions<Item>) {
    this.#options = options
  }

  get isFull(): boolean {
    return this.#waiting.length >= WAITING_ITEMS_MAX || this.#waitingBytes >= WAITING_BYTES_MAX
  }

  /** Resolves when the item is durable. @throws {Refusal} unavailable when it is not and never will be */
  push(item: Item, sizeBytes: number): Promise<void> {
    this.#waitingBytes += sizeBytes
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject })
      this.#flushing ??= this.#flush()
    })
  }

  /** Resolves when nothing waits any more. */
  async settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }

  async #flush(): Promise<void> {
    while (this.#waiting.length > 0) {
      await this.#options.turn()
      const batch = this.#waiting
      this.#waiting = []
      this.#waitingBytes = 0
      try {
        await this.#options.commit(batch.map(({ item }) => item))
        for (const { resolve } of batch) resolve()
      } catch (error) {
        this.#giveUp(batch, error)
      }
    }
    // In the same step as the check above: whoever pushes next must find that nobody is flushing.
    this.#flushing = null
  }

  /** What came after a failed commit was built on it, so it is lost with it. */
  #giveUp(batch: readonly Waiting<Item>[], cause: unknown): void {
    const lost = [...batch, ...this.#waiting]
    this.#waiting = []
    this.#waitingBytes = 0
    this.#options.undo(
      lost.map(({ item }) => item),
      cause,
    )
    for (const { reject } of lost) reject(new Refusal('unavailable', 'Storage is away. Try again shortly.'))
  }
}
