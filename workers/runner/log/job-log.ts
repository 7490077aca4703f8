import {
  LOG_CHUNK_LINES,
  LOG_CHUNK_MAX_BYTES,
  LOG_HEAD_LINES,
  LOG_LINE_MAX,
  LOG_TAIL_LINES,
} from '../../../src/automation/runs/protocol.ts'
import type { LogChunk, LogLine } from '../../../src/automation/runs/protocol.ts'
import { cutText } from '../../../src/lib/text.ts'
import type { Masking } from '../../../src/lib/masking.ts'

/** The envelope of a chunk of lines. */
const AROUND_BYTES = 100
const KEPT_LINES = LOG_HEAD_LINES + LOG_TAIL_LINES

/** The lines of a job that wait to be sent: numbered, without secrets, and bounded like the stored log. Later lines
 * overwrite waiting ones, except for the first lines of the log: a flood costs no memory. */
export class JobLog {
  readonly #masking: Masking
  readonly #now: () => number
  readonly #waiting: LogLine[] = []
  #next = 1
  #lines = 0
  #sequence = 0
  #inFlight: LogChunk | null = null

  constructor(masking: Masking, now: () => number) {
    this.#masking = masking
    this.#now = now
  }

  /** The number of lines so far, with the lines that are not kept. */
  get lines(): number {
    return this.#lines
  }

  /** The characters of a line that `add` needs: with these it recognises a secret where it cuts the line. */
  get lengthMax(): number {
    return LOG_LINE_MAX + 1 + this.#masking.lengthMax
  }

  /** @param isCut whether the line was longer: its end, which may be the half of a secret, is left out */
  add(stream: LogLine['stream'], text: string, isCut = false): void {
    const line = ++this.#lines
    const masked = this.#masking.mask(text)
    // At least one character less: the decoder may have made the last one of half a character.
    const whole = isCut ? `${masked.slice(0, -Math.max(1, this.#masking.lengthMax))}…` : masked
    const shown = cutText(whole, LOG_LINE_MAX)
    this.#waiting[slotOf(line)] = { line, at: this.#now(), stream, text: shown }
  }

  /** Adds a last line about missing lines, if lines are missing. */
  close(): void {
    if (this.#lines <= KEPT_LINES) return
    const lines = this.#lines + 1
    const kept = `A log keeps its first ${LOG_HEAD_LINES} and its last ${LOG_TAIL_LINES} lines.`
    this.add('system', `${kept} ${lines - KEPT_LINES} of ${lines} lines were dropped.`)
  }

  /** The next lines to send, the same ones until `sent`; null without any. */
  take(): LogChunk | null {
    this.#inFlight ??= this.#chunk()
    return this.#inFlight
  }

  /** The last chunk has arrived. */
  sent(): void {
    this.#inFlight = null
  }

  #chunk(): LogChunk | null {
    const lines: LogLine[] = []
    let bytes = AROUND_BYTES
    while (lines.length < LOG_CHUNK_LINES) {
      const line = this.#peek()
      if (!line) break
      bytes += Buffer.byteLength(JSON.stringify(line)) + 1
      if (bytes > LOG_CHUNK_MAX_BYTES) break
      lines.push(line)
      this.#next = line.line + 1
    }
    return lines.length === 0 ? null : { sequence: ++this.#sequence, lines }
  }

  #peek(): LogLine | undefined {
    if (this.#next > LOG_HEAD_LINES) this.#next = Math.max(this.#next, this.#lines - LOG_TAIL_LINES + 1)
    return this.#next > this.#lines ? undefined : this.#waiting[slotOf(this.#next)]
  }
}

function slotOf(line: number): number {
  return line <= LOG_HEAD_LINES ? line - 1 : LOG_HEAD_LINES + (line % LOG_TAIL_LINES)
}
