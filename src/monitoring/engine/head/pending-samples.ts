import type { Value } from '../../../domain/delivery.ts'
import type { Samples } from '../../../timeseries/samples.ts'

/** A page is given back when all its values were taken. */
const PAGE_VALUES = 16_384

/** Values in the order in which they came, each with the number of the one before it of its job, if there is one. */
type Page = {
  readonly at: number[]
  readonly values: Value[]
  readonly before: number[]
  /** How many values are to be taken, with those to come. */
  left: number
}

/**
 * Values on stable storage that came alone and that their jobs have not taken yet, those of all jobs behind each other. A
 * job knows its latest, and each value the one before it: to reach a list of the job's own takes longer than everything
 * else that is done with a value.
 */
export class PendingSamples {
  readonly #pages = new Map<number, Page>()
  #last: Page = newPage()
  #count = 0

  /** How many pages are kept. */
  get pageCount(): number {
    return this.#pages.size
  }

  /** Adds a value behind the one with another number, if its job has one here. @returns its number */
  add(at: number, value: Value, before: number): number {
    const number = this.#count++
    if (number % PAGE_VALUES === 0) this.#pages.set(number / PAGE_VALUES, (this.#last = newPage()))
    this.#last.at.push(at)
    this.#last.values.push(value)
    this.#last.before.push(before)
    return number
  }

  /** Takes so many values of a job, the last of which has this number; the oldest comes first. They are here no more. */
  take(latest: number, count: number): Samples<Value> {
    const at: number[] = Array.from({ length: count }, () => 0)
    const values: Value[] = Array.from({ length: count }, () => 0)
    let number = latest
    for (let index = count - 1; index >= 0; index--) {
      const pageNumber = Math.floor(number / PAGE_VALUES)
      const page = this.#pages.get(pageNumber)
      if (!page) throw new TypeError(`The value ${number} was taken before.`)
      const place = number - pageNumber * PAGE_VALUES
      at[index] = page.at[place] ?? 0
      values[index] = page.values[place] ?? 0
      number = page.before[place] ?? 0
      if (--page.left === 0) this.#pages.delete(pageNumber)
    }
    return { at, values }
  }
}

function newPage(): Page {
  return { at: [], values: [], before: [], left: PAGE_VALUES }
}
