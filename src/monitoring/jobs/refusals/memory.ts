import type { RefusedDelivery } from '../../../domain/refused-delivery.ts'
import { Lru } from '../../../lib/lru.ts'
import type { RefusedDeliveries } from '../../../ports/refused-deliveries.ts'

/** Refusals of each job: of senders that may deliver, and of strangers. */
const SENDERS_MAX = 50
const STRANGERS_MAX = 10
/** Bytes over all jobs. Past them the jobs whose latest refusal is oldest lose their refusals. */
const SENDERS_MAX_BYTES = 8 * 1024 * 1024
const STRANGERS_MAX_BYTES = 512 * 1024
/** The fixed part of a record; a character takes two bytes at most. */
const RECORD_BYTES = 300

/** The latest refused deliveries of each job in memory. Strangers have bounds of their own, so that a flood of them displaces
 * no refusal of a sender. */
export class RefusalMemory implements RefusedDeliveries {
  readonly #senders = new Lru<Ring>(SENDERS_MAX_BYTES)
  readonly #strangers = new Lru<Ring>(STRANGERS_MAX_BYTES)

  record(jobId: number, refused: RefusedDelivery): void {
    const rings = refused.isStranger ? this.#strangers : this.#senders
    const ring = rings.get(String(jobId)) ?? new Ring(refused.isStranger ? STRANGERS_MAX : SENDERS_MAX)
    ring.add(refused)
    rings.set(String(jobId), ring, ring.sizeBytes)
  }

  list(jobId: number): Promise<readonly RefusedDelivery[]> {
    return Promise.resolve(this.read(jobId))
  }

  /** The refusals of a job, latest first. */
  read(jobId: number): readonly RefusedDelivery[] {
    const rings = [this.#senders, this.#strangers].map((one) => one.get(String(jobId)))
    return rings.flatMap((ring) => ring?.latestFirst() ?? []).sort((a, b) => b.at - a.at)
  }

  /** The bytes of all jobs, by estimate. */
  get sizeBytes(): number {
    return this.#senders.weight + this.#strangers.weight
  }
}

class Ring {
  readonly #max: number
  readonly #held: RefusedDelivery[] = []
  sizeBytes = 0

  constructor(max: number) {
    this.#max = max
  }

  add(refused: RefusedDelivery): void {
    this.#held.push(refused)
    this.sizeBytes += bytesOf(refused)
    const oldest = this.#held.length > this.#max ? this.#held.shift() : undefined
    if (oldest) this.sizeBytes -= bytesOf(oldest)
  }

  latestFirst(): readonly RefusedDelivery[] {
    return this.#held.toReversed()
  }
}

function bytesOf({ detail, errors, sender, excerpt }: RefusedDelivery): number {
  const texts = [detail, excerpt, sender.username, sender.tokenName, sender.address, sender.agent]
  const chars = texts.reduce((sum, text) => sum + (text?.length ?? 0), 0)
  return RECORD_BYTES + 2 * errors.reduce((sum, one) => sum + one.pointer.length + one.message.length, chars)
}
