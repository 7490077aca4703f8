import type { Value } from '../../ports/job-actors.ts'
import type { Sample } from '../jobs/actor.ts'

type Column = { readonly at: number[]; readonly values: Value[]; sorted: boolean }

/** The samples of one job that are in the journal and not yet in segments, by key, in order of arrival. */
export class Tail {
  readonly #columns = new Map<string, Column>()
  #size = 0

  get size(): number {
    return this.#size
  }

  keys(): IterableIterator<string> {
    return this.#columns.keys()
  }

  add({ key, at, value }: Sample): void {
    const column = this.#columns.get(key)
    if (column) {
      if (at < (column.at.at(-1) ?? 0)) column.sorted = false
      column.at.push(at)
      column.values.push(value)
    } else {
      this.#columns.set(key, { at: [at], values: [value], sorted: true })
    }
    this.#size++
  }

  /** A copy of one series in order of time; equal instants keep their order of arrival. */
  series(key: string): { at: number[]; values: Value[] } {
    const column = this.#columns.get(key)
    if (!column) return { at: [], values: [] }
    if (column.sorted) return { at: column.at.slice(), values: column.values.slice() }
    const order = column.at.map((_, index) => index).sort((a, b) => (column.at[a] ?? 0) - (column.at[b] ?? 0))
    return {
      at: order.map((index) => column.at[index] ?? 0),
      values: order.map((index) => column.values[index] ?? 0),
    }
  }
}
