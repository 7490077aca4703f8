import type { SampleSeries, Value } from '../../../domain/delivery.ts'
import type { Samples } from '../../../timeseries/samples.ts'
import type { PendingRow } from './pending-rows.ts'

type Column = {
  readonly key: string
  readonly at: number[]
  readonly values: Value[]
  /** The instant that arrived last. */
  latestAt: number
  sorted: boolean
}

/** The samples of one job that are in the journal and not yet in segments, by key, in order of arrival. */
export class Tail {
  /** A handful: searching them one by one beats a map of them, in time and in memory. */
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

  /** As `add` of each of them, in this order. */
  addSeries({ key, at, values }: SampleSeries): void {
    const column = this.#columnOf(key)
    for (let index = 0; index < at.length; index++) this.#append(column, at[index] ?? 0, values[index] ?? 0)
  }

  /** As `add` of what each of the rounds, in their order, has at this index. */
  addRows(key: string, rounds: readonly PendingRow[], index: number): void {
    const column = this.#columnOf(key)
    for (const { at, values } of rounds) this.#append(column, at[index] ?? 0, values[index] ?? 0)
  }

  /** A copy of one series in order of time; equal instants keep their order of arrival. */
  series(key: string): Samples<Value> {
    const { at, values } = this.look(key)
    return { at: at.slice(), values: values.slice() }
  }

  /** As `series`, but good only until something is added. */
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
