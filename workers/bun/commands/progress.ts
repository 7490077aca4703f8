type Terminal = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown }

const CELLS = 24
/** The characters beside the label and the bar, and the cell of the cursor. */
const ROOM = ' [] 100 %'.length + 1
const LINE_CLEAR = '\r\u001b[K'

/** A bar on standard error while long work runs. It writes nothing where standard error is not a terminal. */
export class ProgressBar {
  readonly #label: string
  readonly #total: number
  readonly #terminal: Terminal | null
  #done = 0
  #shown = ''

  /** `total` is the amount of work, in steps or bytes. */
  constructor(label: string, total: number, terminal: Terminal = process.stderr) {
    this.#label = label
    this.#total = total
    this.#terminal = terminal.isTTY === true ? terminal : null
  }

  /** Draws the bar again if it changes. */
  advance(by = 1): void {
    if (!this.#terminal) return
    this.#done += by
    const percent = this.#total === 0 ? 100 : Math.min(100, Math.floor((this.#done * 100) / this.#total))
    const cells = this.#cellsOf(this.#terminal)
    const filled = Math.floor((percent * cells) / 100)
    const bar = `${'#'.repeat(filled)}${'.'.repeat(cells - filled)}`
    const text = `${this.#label} [${bar}] ${percent} %`
    if (text === this.#shown) return
    this.#shown = text
    this.#terminal.write(LINE_CLEAR + text)
  }

  /** The longest bar that the terminal shows in one line, because only the line of the cursor is drawn again. */
  #cellsOf({ columns = 0 }: Terminal): number {
    if (columns === 0) return CELLS
    return Math.max(0, Math.min(CELLS, columns - this.#label.length - ROOM))
  }

  /** Removes the bar. */
  end(): void {
    if (this.#shown !== '') this.#terminal?.write(LINE_CLEAR)
    this.#shown = ''
  }

  /** Counts the bytes of a stream. */
  counted(): TransformStream<Uint8Array, Uint8Array> {
    return new TransformStream({
      transform: (chunk, controller) => {
        this.advance(chunk.length)
        controller.enqueue(chunk)
      },
    })
  }
}
