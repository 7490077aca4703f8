import { frameOf } from '../../http/server-sent-events.ts'
import type { EventKind } from '../../ports/events.ts'

/** `gap`: events may have been missed. `mark`: sent to no reader. */
export type ToldKind = EventKind | 'gap' | 'mark'

/** An event without its number. */
export type Draft = {
  readonly kind: ToldKind
  /** The ids from the root down to the object of the event; empty for an event that concerns every reader. */
  readonly above: readonly number[]
  /** The job of the value, or the job whose values may be missing. */
  readonly jobId: number | null
  readonly data: object
}

/** An event as it is sent to readers. */
export type PublishedEvent = Omit<Draft, 'data'> & { readonly seq: number; readonly bytes: Uint8Array }

export type WindowLimits = { readonly eventsMax: number; readonly sizeMaxBytes: number }

/** Why a stream cannot be resumed. */
export type GapReason = 'unknown' | 'restart' | 'window' | 'jobs'

const ID = /^(\d{1,15})-(\d{1,15})$/

/** The latest events, numbered without gaps, for readers that are behind and for readers that resume. Ids are
 * `epoch-number`; both only grow. */
export class Window {
  readonly epoch: number
  readonly #limits: WindowLimits
  #told: PublishedEvent[] = []
  /** The number of dropped events at the front of the list. */
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

  /** The number of the oldest event in the window, or of the next one if it is empty. */
  get firstSeq(): number {
    return this.#lastSeq - (this.#told.length - this.#gone) + 1
  }

  get sizeBytes(): number {
    return this.#sizeBytes
  }

  /** The event of this number, if it is still in the window. */
  at(seq: number): PublishedEvent | undefined {
    return seq < this.firstSeq ? undefined : this.#told[this.#gone + seq - this.firstSeq]
  }

  /** Adds an event and drops the oldest ones beyond the limits. */
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

  /** The number after which a stream with this last id resumes, or why it cannot. */
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
