import type { Visibility, EventFilter } from '../../ports/events.ts'
import { concerns } from './filter.ts'
import { heartbeatOf } from './window.ts'
import type { PublishedEvent, Window } from './window.ts'

/** What a connection holds of its own; everything else that it has not taken yet is in the window, once for all. */
const BUFFER_BYTES = 16 * 1024
/** Quiet beats after which a reader is told that the stream is still there. */
const QUIET_BEATS = 3
/** Beats without anything being taken of what is there, after which nobody reads any more. Not every host says so. */
const STALLED_BEATS = 6

type Controller = ReadableStreamDefaultController<Uint8Array>

export type ReaderOptions = {
  readonly window: Window
  readonly wanted: EventFilter
  readonly sight: Visibility
  /** The number of the event after which it goes on. */
  readonly after: number
  /** What it is told first. */
  readonly first: readonly Uint8Array[]
  readonly once: boolean
  /** Called once, when nobody reads any more. */
  readonly onEnd: () => void
}

/** Somebody who reads along: a place in the window, and a stream that takes events from there as fast as they are read. */
export class Reader {
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: ReaderOptions
  #sight: Visibility
  #first: readonly Uint8Array[]
  #seq: number
  #controller: Controller | null = null
  /** Set while the connection could take more than there is. */
  #goOn: (() => void) | null = null
  #quietBeats = 0
  #stalledBeats = 0
  #givenBytes = 0
  #takenBytes = 0
  #hasEnded = false

  constructor(options: ReaderOptions) {
    this.#options = options
    this.#sight = options.sight
    this.#first = options.first
    this.#seq = options.after
    this.stream = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.#controller = controller
        },
        pull: () => this.#pull(),
        cancel: () => this.#finish(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: BUFFER_BYTES }),
    )
  }

  /** Whether it has not taken what is no longer there. */
  get isBehind(): boolean {
    return this.#seq + 1 < this.#options.window.firstSeq
  }

  /** There are more events. */
  advance(): void {
    if (this.#goOn && this.#find()) this.#wake()
  }

  /** From now on it may see this. */
  narrow(sight: Visibility): void {
    this.#sight = sight
  }

  /** Time has passed. */
  beat(): void {
    this.#quietBeats++
    const waitingBytes = BUFFER_BYTES - (this.#controller?.desiredSize ?? BUFFER_BYTES)
    const takenBytes = this.#givenBytes - waitingBytes
    this.#stalledBeats = waitingBytes > 0 && takenBytes === this.#takenBytes ? this.#stalledBeats + 1 : 0
    this.#takenBytes = takenBytes
    if (this.#stalledBeats >= STALLED_BEATS) this.end()
    else if (this.#quietBeats >= QUIET_BEATS) this.#wake()
  }

  end(): void {
    if (this.#hasEnded) return
    this.#controller?.close()
    this.#finish()
  }

  async #pull(): Promise<void> {
    while (!this.#hasEnded && !this.#take()) {
      await new Promise<void>((resolve) => {
        this.#goOn = resolve
      })
    }
  }

  /** Hands over as much as fits; false when there is nothing. */
  #take(): boolean {
    const frames = this.#frames()
    for (const bytes of frames) {
      this.#controller?.enqueue(bytes)
      this.#givenBytes += bytes.length
    }
    if (frames.length > 0) this.#quietBeats = 0
    // After the first frames all the others get their turn.
    else if (this.#options.once) this.end()
    return frames.length > 0 || this.#hasEnded
  }

  #frames(): readonly Uint8Array[] {
    if (this.#first.length > 0) {
      const first = this.#first
      this.#first = []
      return first
    }
    const frames: Uint8Array[] = []
    let sizeBytes = 0
    for (let event = this.#find(); event && sizeBytes < BUFFER_BYTES; event = this.#find()) {
      frames.push(event.bytes)
      sizeBytes += event.bytes.length
      this.#seq = event.seq
    }
    if (frames.length === 0 && this.#quietBeats >= QUIET_BEATS)
      frames.push(heartbeatOf(this.#options.window.idOf(this.#seq)))
    return frames
  }

  /** The next event for this reader; those before it are passed over. */
  #find(): PublishedEvent | null {
    const { window, wanted } = this.#options
    for (; this.#seq < window.lastSeq; this.#seq++) {
      const event = window.at(this.#seq + 1)
      // What has gone is not passed over: whoever is behind is cut off.
      if (!event) return null
      if (concerns(event, wanted, this.#sight)) return event
    }
    return null
  }

  #wake(): void {
    this.#goOn?.()
    this.#goOn = null
  }

  #finish(): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#wake()
    this.#options.onEnd()
  }
}
