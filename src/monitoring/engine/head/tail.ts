import type { SampleSeries, Value } from '../../../domain/delivery.ts'
import type { Samples } from '../../../timeseries/samples.ts'

/** One value for each job of a list, in its order. */
export type TailRow = { readonly at: readonly number[]; readonly values: readonly Value[] }

type Column = {
  readonly key: string
  readonly at: number[]
  readonly values: Value[]
  /** The instant of the sample that arrived last, epoch ms. */
  latestAt: number
  sorted: boolean
}

/** The samples of one job that are in the WAL and not in segments yet, by key, in order of arrival. */
export class Tail {
  /** A job has a few keys: a linear search is faster than a map, and takes less memory. */
  readonly #columns: Column[] = []
  #size = 0

  get size(): number {
    return this.#size
  }

  keys(): readonly string[] {
    return this.#columns.map(({ key }) => key)
  }

  add(key: string, at: number, value: Value): void {
    this.#append(this.#columnOf(key), at, value)
  }

  /** As `add` for each sample, in order. */
  addSeries({ key, at, values }: SampleSeries): void {
    const column = this.#columnOf(key)
    for (let index = 0; index < at.length; index++) this.#append(column, at[index] ?? 0, values[index] ?? 0)
  }

  /** As `add` for the value that each row has at this index, in order. */
  addRows(key: string, rows: readonly TailRow[], index: number): void {
    const column = this.#columnOf(key)
    for (const { at, values } of rows) this.#append(column, at[index] ?? 0, values[index] ?? 0)
  }

  /** A copy of one series, ordered by time; equal instants keep their order of arrival. */
  series(key: string): Samples<Value> {
    const { at, values } = this.look(key)
    return { at: at.slice(), values: values.slice() }
  }

  /** As `series`, without a copy: valid until the next sample is added. */
  look(key: string): Samples<Value> {
    const column = this.#find(key)
    if (!column) return { at: [], values: [] }
    if (column.sorted) return column
    const order = column.at.map((_, index) => index).sort((a, b) => (column.at[a] ?? 0) - (column.at[b] ?? 0))
    return {
      at: order.map((index) => column.at[index] ?? 0),
      values: order.map((index) => column.values[index] ?? 0),
    }
  }

  #append(column: Column, at: number, value: Value): void {
    if (at < column.latestAt) column.sorted = false
    column.latestAt = at
    column.at.push(at)
    column.values.push(value)
    this.#size++
  }

  #columnOf(key: string): Column {
    const known = this.#find(key)
    if (known) return known
    const column: Column = { key, at: [], values: [], latestAt: 0, sorted: true }
    this.#columns.push(column)
    return column
  }

  #find(key: string): Column | undefined {
    const columns = this.#columns
    for (let index = 0; index < columns.length; index++)
      if (columns[index]?.key === key) return columns[index]
    return undefined
  }
}
