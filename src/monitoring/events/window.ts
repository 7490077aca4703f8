import type { EventKind } from '../../ports/events.ts'

/** `gap` says that something may have been missed; `mark` is for nobody. */
export type ToldKind = EventKind | 'gap' | 'mark'

/** An event before it has its place. */
export type Draft = {
  readonly kind: ToldKind
  /** The ids from the root down to the object that it concerns; none where it concerns everybody. */
  readonly above: readonly number[]
  /** The job whose value it is, or whose values may be missing. */
  readonly jobId: number | null
  readonly data: object
}

/** An event as every reader is told it. */
export type PublishedEvent = Omit<Draft, 'data'> & { readonly seq: number; readonly bytes: Uint8Array }

export type WindowLimits = { readonly eventsMax: number; readonly sizeMaxBytes: number }

/** Why a stream cannot go on where an earlier one ended. */
export type GapReason = 'unknown' | 'restart' | 'window' | 'jobs'

const ID = /^(\d{1,15})-(\d{1,15})$/
const encoder = new TextEncoder()

/** The latest events, numbered without gaps: what readers have not been told yet, and what those who come back have
 * missed. Ids are `epoch-number`; both only grow. */
export class Window {
  readonly epoch: number
  readonly #limits: WindowLimits
  #told: PublishedEvent[] = []
  /** How many at the front of the list have gone. */
  #gone = 0
  #lastSeq = 0
  #sizeBytes = 0

  constructor(epoch: number, limits: WindowLimits) {
    this.epoch = epoch
    this.#limits = limits
  }

  /** The number of the latest event; 0 before the first. */
  get lastSeq(): number {
    return this.#lastSeq
  }

  /** The number of the oldest event that is still there, or of the next one. */
  get firstSeq(): number {
    return this.#lastSeq - (this.#told.length - this.#gone) + 1
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The event of this number, as long as it is there. */
  at(seq: number): PublishedEvent | undefined {
    return seq < this.firstSeq ? undefined : this.#told[this.#gone + seq - this.firstSeq]
  }

  /** Adds an event; the oldest go where there are too many. */
  add({ data, ...draft }: Draft): PublishedEvent {
    const seq = ++this.#lastSeq
    const told = { ...draft, seq, bytes: frameOf(this.idOf(seq), draft.kind, data) }
    this.#told.push(told)
    this.#sizeBytes += told.bytes.length
    while (this.#isTooMuch()) this.#drop()
    return told
  }

  idOf(seq: number): string {
    return `${this.epoch}-${seq}`
  }

  /** The number after which a stream goes on that ended with this id, or why it cannot. */
  resume(lastEventId: string): number | GapReason {
    const [, epoch, seq] = ID.exec(lastEventId) ?? []
    if (epoch === undefined) return 'unknown'
    if (Number(epoch) !== this.epoch) return Number(epoch) < this.epoch ? 'restart' : 'unknown'
    if (Number(seq) > this.#lastSeq) return 'unknown'
    return Number(seq) < this.firstSeq - 1 ? 'window' : Number(seq)
  }

  #isTooMuch(): boolean {
    const count = this.#told.length - this.#gone
    return count > this.#limits.eventsMax || (count > 1 && this.#sizeBytes > this.#limits.sizeMaxBytes)
  }

  #drop(): void {
    this.#sizeBytes -= this.#told[this.#gone]?.bytes.length ?? 0
    this.#gone++
    if (this.#gone * 2 < this.#told.length) return
    this.#told = this.#told.slice(this.#gone)
    this.#gone = 0
  }
}

/** An event of a stream. JSON has no line breaks, so its data is one line. */
export function frameOf(id: string, event: string, data: object): Uint8Array {
  return encoder.encode(`id: ${id}\nevent: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
}

/** Keeps connections open, and tells where a stream goes on although nothing in it concerned the reader: an event without
 * data is nobody's to hear, and its id counts all the same. */
export function heartbeatOf(id: string): Uint8Array {
  return encoder.encode(`: still here\nid: ${id}\n\n`)
}

/** How long a client waits before it comes back. */
export function retryOf(retryMs: number): Uint8Array {
  return encoder.encode(`retry: ${retryMs}\n\n`)
}
