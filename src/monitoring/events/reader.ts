import type { Visibility, EventFilter } from '../../ports/events.ts'
import { frameOf, heartbeatOf } from '../../http/server-sent-events.ts'
import { concerns } from './filter.ts'
import type { PublishedEvent, Window } from './window.ts'

/** The bytes that a connection buffers. Events beyond that stay in the window, which all readers share. */
const BUFFER_BYTES = 16 * 1024
/** Beats without an event after which a heartbeat is sent. */
const QUIET_BEATS = 3
/** Beats without progress of the connection after which the stream is closed. Not every host reports a lost
 * connection. */
const STALLED_BEATS = 6

type Controller = ReadableStreamDefaultController<Uint8Array>

export type ReaderOptions = {
  readonly window: Window
  readonly wanted: EventFilter
  readonly sight: Visibility
  /** The number of the last event that the reader already has. */
  readonly after: number
  /** Frames that are sent before any event. */
  readonly first: readonly Uint8Array[]
  readonly once: boolean
  /** Called once, when the stream ends. */
  readonly onEnd: () => void
}

/** A reader: a position in the window, and a stream that takes events from there as fast as the client reads. */
export class Reader {
  readonly stream: ReadableStream<Uint8Array>
  readonly #options: ReaderOptions
  #sight: Visibility
  /** Frames that are sent before the next event. */
  #first: readonly Uint8Array[]
  #seq: number
  #controller: Controller | null = null
  /** Set while the connection waits for events. */
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

  /** Whether the window has dropped events that the reader has not taken yet. */
  get isBehind(): boolean {
    return this.#seq + 1 < this.#options.window.firstSeq
  }

  /** Called when the window has new events. */
  advance(): void {
    if (this.#goOn && this.#find()) this.#wake()
  }

  /** Replaces the rights of the reader. Other rights cause a gap: what the reader has read may be visible no more, or more is. */
  look(sight: Visibility): void {
    const isOther = sight.rights !== this.#sight.rights
    this.#sight = sight
    if (!isOther) return
    const id = this.#options.window.idOf(this.#seq)
    this.#first = [...this.#first, frameOf(id, 'gap', { reason: 'rights' })]
    this.#wake()
  }

  /** Called on each beat. */
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

  /** Sends as much as fits; false when there is nothing to send. */
  #take(): boolean {
    const frames = this.#frames()
    for (const bytes of frames) {
      this.#controller?.enqueue(bytes)
      this.#givenBytes += bytes.length
    }
    if (frames.length > 0) this.#quietBeats = 0
    // After the first frames, the reader lets the others continue.
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

  /** The next event for this reader; events that do not concern it are skipped. */
  #find(): PublishedEvent | null {
    const { window, wanted } = this.#options
    for (; this.#seq < window.lastSeq; this.#seq++) {
      const event = window.at(this.#seq + 1)
      // Dropped events are not skipped: a reader that is behind is cut off.
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
