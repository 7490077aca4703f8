import { TemplateFault } from './fault.ts'

export const TURNS_MAX = 10_000
export const DEPTH_MAX = 50
export const OUTPUT_MAX = 1_048_576
export const TIME_MAX_MS = 100
export const TEMPLATE_MAX = 100_000
/** Steps of a run. The clock of some hosts stands still while a program computes. */
const STEPS_MAX = 2_000_000
const STEPS_BETWEEN_CLOCKS = 1_000

/** The turns, steps and depth that a run has left. */
export class Limits {
  #turns = 0
  #steps = 0
  #clockAt = 0
  #depth = 0
  #at = 0
  readonly #end: number

  constructor(private readonly now: () => number) {
    this.#end = now() + TIME_MAX_MS
  }

  /** A turn of a loop. */
  turn(at: number): void {
    this.#turns += 1
    if (this.#turns > TURNS_MAX)
      throw new TemplateFault(at, `loops take more than ${TURNS_MAX} turns`, 'limit')
  }

  /** A step of a computation, or many of them. */
  step(at: number, count = 1): void {
    this.#at = at
    this.#steps += count
    if (this.#steps > STEPS_MAX) throw new TemplateFault(at, 'the template computes for too long', 'limit')
    if (this.#steps < this.#clockAt) return
    this.#clockAt = this.#steps + STEPS_BETWEEN_CLOCKS
    if (this.now() > this.#end)
      throw new TemplateFault(at, `the template runs for more than ${TIME_MAX_MS} ms`, 'limit')
  }

  /** A text of this size. */
  size(at: number, size: number): void {
    this.output(at, size, size)
  }

  /** Output of this size, of which the last part is new. */
  output(at: number, size: number, added: number): void {
    if (size > OUTPUT_MAX)
      throw new TemplateFault(at, `makes a text of more than ${OUTPUT_MAX} characters`, 'limit')
    this.step(at, added >> 6)
  }

  /** Runs the body of a macro, of a function or of a snippet. */
  deeper<T>(at: number, run: () => T): T {
    this.#depth += 1
    if (this.#depth > DEPTH_MAX)
      throw new TemplateFault(at, `calls are nested deeper than ${DEPTH_MAX} levels`, 'limit')
    const result = run()
    this.#depth -= 1
    return result
  }

  /** The place of the latest step. */
  get at(): number {
    return this.#at
  }

  /** The depth of calls, to return to after a fault. */
  get depth(): number {
    return this.#depth
  }

  returnTo(depth: number): void {
    this.#depth = depth
  }
}
