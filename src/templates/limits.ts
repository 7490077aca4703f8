import { TemplateFault } from './fault.ts'

export const TURNS_MAX = 10_000
export const DEPTH_MAX = 50
export const OUTPUT_MAX = 1_048_576
export const TEMPLATE_MAX = 100_000
/** Steps of a run, of 0.1 to 0.4 µs. A clock would refuse templates while other programs take the processor. */
export const STEPS_MAX = 500_000
/** Characters that are copied, or compared with others, in the time of one step. */
const CHARACTERS_A_STEP = 64
const COMPARISONS_A_STEP = 4_096

/** The turns, steps and depth that a run has left. */
export class Limits {
  #turns = 0
  #steps = 0
  #depth = 0
  #at = 0

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
    if (this.#steps > STEPS_MAX)
      throw new TemplateFault(at, `the template takes more than ${STEPS_MAX} steps`, 'limit')
  }

  /** A text of this length that is read. */
  read(at: number, length: number): void {
    this.step(at, Math.floor(length / CHARACTERS_A_STEP))
  }

  /** A search for a text in another one, of these lengths. */
  search(at: number, length: number, wanted: number): void {
    this.step(at, Math.floor((length * wanted) / COMPARISONS_A_STEP))
  }

  /** A text of this size. */
  size(at: number, size: number): void {
    this.output(at, size, size)
  }

  /** Output of this size, of which the last part is new. */
  output(at: number, size: number, added: number): void {
    if (size > OUTPUT_MAX)
      throw new TemplateFault(at, `makes a text of more than ${OUTPUT_MAX} characters`, 'limit')
    this.read(at, added)
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
