import { invalidAt } from '../../lib/errors.ts'
import type { Refusal } from '../../lib/errors.ts'
import type { Column, ColumnType } from '../../domain/table.ts'
import type { Condition } from '../filters/condition.ts'
import type { Columns, Expression } from '../filters/expression.ts'
import { conditionOf, subjectOf } from '../filters/filter.ts'
import { resultOf } from './aggregates.ts'
import type { FunctionName } from './aggregates.ts'
import { bucketOf, isShorterThanDay } from './buckets.ts'
import type { Bucket } from './buckets.ts'
import type { SelectBody } from './schema.ts'

/** A select, checked against the columns of its table. */
export type Plan = RowsPlan | GroupsPlan

type Bounded = {
  readonly filter: Condition | null
  readonly limit: number
  readonly offset: number
}

/** Rows as they are. */
export type RowsPlan = Bounded & {
  readonly kind: 'rows'
  readonly columns: readonly Output[]
  readonly orderBy: readonly (Direction & { readonly subject: Expression })[]
}

/** A row for each combination of the keys; without keys, one row. */
export type GroupsPlan = Bounded & {
  readonly kind: 'groups'
  readonly keys: readonly (Output & { readonly bucket: Bucket | null })[]
  readonly aggregates: readonly Aggregate[]
  /** It has the columns of `aggregateColumn`. */
  readonly having: Condition | null
  /** Places among the keys and then the aggregates. */
  readonly orderBy: readonly (Direction & { readonly output: number })[]
}

export type Output = Column & { readonly subject: Expression }

export type Aggregate = Column & {
  readonly fn: FunctionName
  /** Null for all rows. */
  readonly subject: Expression | null
  /** The rows that count; null for all. */
  readonly filter: Condition | null
  /** The share of a percentile. */
  readonly p: number
}

type Direction = { readonly isDescending: boolean; readonly areNullsFirst: boolean }
type Asked = {
  readonly columns: Columns
  /** The zone of buckets that name none. */
  readonly timeZone: string
  /** The number of rows. */
  readonly limit: number
}

const OUTPUTS_MAX = 100

/** The name of an aggregate in the condition on groups. */
export const aggregateColumn = (index: number) => `a${index}`

/** Checks a select. @throws {Refusal} invalid, with pointers and with positions in expressions and filters */
export function planOf(body: SelectBody, asked: Asked): Plan {
  const { columns: chosen, groupBy, aggregates, distinct, having } = body
  if (groupBy.length === 0 && aggregates.length === 0) {
    if (having) throw invalidAt('/having', 'needs groupBy or aggregates')
    const outputs = outputsOf(chosen ?? [...asked.columns.keys()], '/columns', asked)
    refuseRepeated([['/columns', outputs]])
    if (!distinct) return rowsPlan(body, asked, outputs)
    return groupsPlan(body, asked, { keys: keysOf(chosen ?? [...asked.columns.keys()], '/columns', asked) })
  }
  if (chosen) throw invalidAt('/columns', 'cannot be combined with groupBy or aggregates')
  return groupsPlan(body, asked, { keys: keysOf(groupBy, '/groupBy', asked) })
}

function rowsPlan(body: SelectBody, asked: Asked, outputs: readonly Output[]): RowsPlan {
  const { columns } = asked
  const orderBy = body.orderBy.map(({ column, ...rest }, index) => {
    const found = outputs.find(({ name }) => name === column)
    const subject = found?.subject ?? subjectOf({ column }, columns, `/orderBy/${index}`)
    return { subject: comparable(subject, `/orderBy/${index}/column`), ...directionOf(rest) }
  })
  return { kind: 'rows', columns: outputs, orderBy, ...boundedOf(body, asked) }
}

function groupsPlan(
  body: SelectBody,
  asked: Asked,
  { keys }: { readonly keys: GroupsPlan['keys'] },
): GroupsPlan {
  const { columns } = asked
  const aggregates = body.aggregates.map((item, index) => aggregateOf(item, columns, `/aggregates/${index}`))
  const place = body.groupBy.length > 0 ? '/groupBy' : '/columns'
  refuseRepeated([
    [place, keys],
    ['/aggregates', aggregates],
  ])
  const outputs = [...keys, ...aggregates]
  const orderBy = body.orderBy.map(({ column, ...rest }, index) => {
    const output = outputs.findIndex(({ name }) => name === column)
    if (output < 0) throw invalidAt(`/orderBy/${index}/column`, 'is not a column of the result')
    return { output, ...directionOf(rest) }
  })
  const results = aggregates.map(
    ({ name, type }, index) => [name, { name: aggregateColumn(index), type }] as const,
  )
  const having = body.having ? conditionOf(body.having, new Map(results), '/having') : null
  return { kind: 'groups', keys, aggregates, having, orderBy, ...boundedOf(body, asked) }
}

function boundedOf({ filter, offset }: SelectBody, { columns, limit }: Asked): Bounded {
  return { filter: filter ? conditionOf(filter, columns, '/filter') : null, limit, offset }
}

function directionOf({ dir, nulls }: Pick<SelectBody['orderBy'][number], 'dir' | 'nulls'>): Direction {
  return { isDescending: dir === 'desc', areNullsFirst: nulls === 'first' }
}

type Item = NonNullable<SelectBody['columns']>[number]
type KeyItem = SelectBody['groupBy'][number]

function outputsOf(items: readonly Item[], pointer: string, { columns }: Asked): readonly Output[] {
  return items.map((item, index) => outputOf(item, columns, `${pointer}/${index}`))
}

function outputOf(item: Item, columns: Columns, pointer: string): Output {
  if (typeof item === 'string') {
    const column = columns.get(item)
    if (!column) throw invalidAt(pointer, 'is not a column')
    return { name: item, type: column.type, subject: { kind: 'column', ...column } }
  }
  const subject = subjectOf(item, columns, pointer)
  const name = item.as ?? ('column' in item ? item.column : '')
  return { name, type: subject.type, subject }
}

function keysOf(items: readonly KeyItem[], pointer: string, asked: Asked): GroupsPlan['keys'] {
  return items.map((item, index) => {
    const place = `${pointer}/${index}`
    if (typeof item === 'string' || !('bucket' in item)) {
      const output = outputOf(item, asked.columns, place)
      const at = typeof item === 'string' ? place : `${place}/${'column' in item ? 'column' : 'expr'}`
      return { ...output, subject: comparable(output.subject, at), bucket: null }
    }
    const { bucket: _, timeZone: __, ...rest } = item
    const output = outputOf(rest, asked.columns, place)
    return { ...output, bucket: bucketFor(item, output.type, { place, timeZone: asked.timeZone }) }
  })
}

function bucketFor(
  item: Extract<KeyItem, { bucket: unknown }>,
  type: ColumnType,
  { place, timeZone }: { readonly place: string; readonly timeZone: string },
): Bucket {
  const span = bucketOf(item.bucket)
  if (!span)
    throw invalidAt(
      `${place}/bucket`,
      'must be seconds that divide an hour, hours that divide a day, P1D, P1W, months that divide a year, or P1Y',
    )
  if (type !== 'datetime' && type !== 'date')
    throw invalidAt(`${place}/column`, 'is not a column of days or instants')
  const isOfDays = type === 'date'
  if (isOfDays && isShorterThanDay(span)) throw invalidAt(`${place}/bucket`, 'is shorter than a day')
  return { ...span, timeZone: item.timeZone ?? timeZone, isOfDays }
}

function aggregateOf(item: SelectBody['aggregates'][number], columns: Columns, pointer: string): Aggregate {
  const { fn, as, filter, p } = item
  if ((p !== undefined) !== (fn === 'PERCENTILE'))
    throw invalidAt(`${pointer}/p`, fn === 'PERCENTILE' ? 'is required' : 'is for PERCENTILE only')
  const isAll = 'expr' in item && item.expr.trim() === '*'
  const subject = isAll ? null : subjectOf(item, columns, pointer)
  const type = resultOf(fn, subject?.type ?? null)
  if (!type) throw notAnArgument(fn, subject, `${pointer}/${'expr' in item ? 'expr' : 'column'}`)
  const condition = filter ? conditionOf(filter, columns, `${pointer}/filter`) : null
  return { name: as, fn, type, subject, filter: condition, p: p ?? 0.5 }
}

function notAnArgument(fn: FunctionName, subject: Expression | null, pointer: string): Refusal {
  if (!subject) return invalidAt(pointer, 'is for COUNT only')
  return invalidAt(pointer, `cannot be the argument of ${fn}: its type is ${subject.type}`)
}

/** @throws {Refusal} invalid for JSON, whose values have no order */
function comparable(subject: Expression, pointer: string): Expression {
  if (subject.type === 'json') throw invalidAt(pointer, 'is JSON, which cannot be compared')
  return subject
}

function refuseRepeated(groups: readonly (readonly [pointer: string, outputs: readonly Column[]])[]): void {
  const names = new Set<string>()
  for (const [pointer, outputs] of groups)
    for (const [index, { name }] of outputs.entries()) {
      if (names.has(name))
        throw invalidAt(`${pointer}/${index}`, 'has the name of another column of the result')
      names.add(name)
      if (names.size > OUTPUTS_MAX)
        throw invalidAt(`${pointer}/${index}`, `is more than ${OUTPUTS_MAX} columns of the result`)
    }
}
