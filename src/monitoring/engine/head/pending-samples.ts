import type { Value } from '../../../domain/delivery.ts'
import type { Samples } from '../../../timeseries/samples.ts'

/** The number of samples of a page. A page is freed when all its samples were taken. */
const PAGE_SAMPLES = 16_384

/** Samples in their order of arrival, each with the number of the job's previous one. */
type Page = {
  readonly at: number[]
  readonly values: Value[]
  readonly previous: number[]
  /** The number of samples that were not taken, including the samples that the page still lacks. */
  left: number
}

/**
 * Durable samples that are not in their job's tail yet. All jobs share one list of pages; each sample points to the job's
 * previous one. Appending to a separate list for each job costs more than all other work for a sample.
 */
export class PendingSamples {
  readonly #pages = new Map<number, Page>()
  #last: Page = newPage()
  #count = 0

  get pageCount(): number {
    return this.#pages.size
  }

  /** @param previous the number of the job's previous sample here, if there is one
   * @returns the number of the sample */
  add(at: number, value: Value, previous: number): number {
    const number = this.#count++
    if (number % PAGE_SAMPLES === 0) this.#pages.set(number / PAGE_SAMPLES, (this.#last = newPage()))
    this.#last.at.push(at)
    this.#last.values.push(value)
    this.#last.previous.push(previous)
    return number
  }

  /** Removes the last `count` samples of a job, of which `latest` is the number of the newest, and returns them in their
   * order of arrival. @throws {TypeError} when one of them was taken before */
  take(latest: number, count: number): Samples<Value> {
    const at: number[] = Array.from({ length: count }, () => 0)
    const values: Value[] = Array.from({ length: count }, () => 0)
    let number = latest
    for (let index = count - 1; index >= 0; index--) {
      const pageNumber = Math.floor(number / PAGE_SAMPLES)
      const page = this.#pages.get(pageNumber)
      if (!page) throw new TypeError(`The sample ${number} was taken before.`)
      const place = number - pageNumber * PAGE_SAMPLES
      at[index] = page.at[place] ?? 0
      values[index] = page.values[place] ?? 0
      number = page.previous[place] ?? 0
      if (--page.left === 0) this.#pages.delete(pageNumber)
    }
    return { at, values }
  }
}

function newPage(): Page {
  return { at: [], values: [], previous: [], left: PAGE_SAMPLES }
}
