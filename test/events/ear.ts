/** One event of a stream, as it was told. */
export type Heard = {
  readonly id: string
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

/** What reads a stream, in whichever package's words. */
type Reading = { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>; cancel(): Promise<void> }

/** Reads a stream of events to its end, and keeps what it hears. Chunks may end anywhere. */
export class Ear {
  readonly heard: Heard[] = []
  readonly retries: number[] = []
  /** The id of the last frame, with data or without. */
  lastId = ''
  heartbeats = 0
  hasEnded = false
  /** Why the connection broke off, where it did. */
  broken: unknown = null
  readonly #reader: Reading
  readonly #listening: Promise<void>
  #waiting: (() => void)[] = []
  #rest = ''

  constructor(body: ReadableStream<Uint8Array> | null) {
    if (!body) throw new Error('There is nothing to hear.')
    this.#reader = body.getReader()
    this.#listening = this.#listen()
  }

  /** Resolves once this holds; never where it does not. */
  async until(holds: (ear: this) => boolean): Promise<this> {
    while (!holds(this)) {
      if (this.hasEnded)
        throw new Error(`The stream ended early: ${JSON.stringify(this.heard)}`, { cause: this.broken })
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
    }
    return this
  }

  /** What was told of one kind. */
  of(event: string): readonly Heard['data'][] {
    return this.heard.filter((one) => one.event === event).map(({ data }) => data)
  }

  /** Resolves when the other side has ended the stream. */
  async ended(): Promise<this> {
    await this.#listening
    return this
  }

  /** Hears no more. */
  async leave(): Promise<void> {
    await this.#reader.cancel()
    await this.#listening
  }

  async #listen(): Promise<void> {
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = await this.#reader.read()
        if (done) break
        this.#rest += decoder.decode(value, { stream: true })
        const frames = this.#rest.split('\n\n')
        this.#rest = frames.pop() ?? ''
        for (const frame of frames) this.#hear(frame)
        this.#tell()
      }
    } catch (error) {
      // A connection that breaks off ends the stream as well.
      this.broken = error
    }
    this.hasEnded = true
    this.#tell()
  }

  #hear(frame: string): void {
    const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(frame)?.[1]
    const [id, event, data, retry] = ['id', 'event', 'data', 'retry'].map(field)
    if (id !== undefined) this.lastId = id
    if (retry !== undefined) this.retries.push(Number(retry))
    if (frame.startsWith(':')) this.heartbeats++
    if (id !== undefined && event !== undefined && data !== undefined)
      this.heard.push({ id, event, data: JSON.parse(data) as Heard['data'] })
  }

  #tell(): void {
    const waiting = this.#waiting
    this.#waiting = []
    for (const resolve of waiting) resolve()
  }
}
