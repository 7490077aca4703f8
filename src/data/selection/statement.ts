import type { Expression } from '../filters/expression.ts'
import { comparedSql, conditionSql, expressionSql } from '../filters/emit.ts'
import type { ZonedWriter } from '../sql/dialects/writer.ts'
import { boundOf, joined, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'
import type { Bound } from '../../ports/databases.ts'
import { aggregateSql, needsMean, needsRanks } from './aggregates.ts'
import { bucketSql, localSql } from './buckets.ts'
import { aggregateColumn } from './plan.ts'
import type { Aggregate, GroupsPlan, Plan, RowsPlan } from './plan.ts'

/** The statements of a plan. They have the columns of the plan, in order.
 * @param from the rows of the table */
export function statementsOf(
  plan: Plan,
  from: Fragment,
  writer: ZonedWriter,
): {
  /** @param more rows to ask for beyond the limit */
  readonly rows: (more: number) => Bound
  readonly total: () => Bound
} {
  const stage = plan.kind === 'rows' ? rowsStage(plan, from, writer) : groupsStage(plan, from, writer)
  return {
    rows: (more) => {
      const { limit, offset } = plan
      const bounds = raw(` LIMIT ${limit + more} OFFSET ${offset}`)
      return boundOf(sql`SELECT ${stage.outputs} FROM ${stage.from}${stage.order}${bounds}`, writer)
    },
    total: () => boundOf(sql`SELECT count(*) FROM ${stage.from}`, writer),
  }
}

type Stage = { readonly outputs: Fragment; readonly from: Fragment; readonly order: Fragment }
type Item = readonly [alias: string, value: Fragment]

function rowsStage(plan: RowsPlan, from: Fragment, writer: ZonedWriter): Stage {
  const items = plan.columns.map(({ subject }, at): Item => [`c${at}`, expressionSql(subject, writer)])
  const sorts = plan.orderBy.map(({ subject }, at): Item => [`s${at}`, comparedSql(subject, writer)])
  return {
    outputs: namesOf(items),
    from: derived([...items, ...sorts], whereSql(from, plan, writer)),
    order: orderSql(plan.orderBy.map((direction, at) => ({ ...direction, key: name(`s${at}`) }))),
  }
}

function groupsStage(plan: GroupsPlan, from: Fragment, writer: ZonedWriter): Stage {
  const { keys, aggregates } = plan
  const names = keys.map((_, at) => name(`k${at}`))
  const group = names.length === 0 ? raw('') : sql` GROUP BY ${joined(names, ', ')}`
  const results = aggregates.map((aggregate, at): Item => [
    aggregateColumn(at),
    aggregateSql(aggregate.fn, operandsOf(aggregate, at), writer),
  ])
  const grouped = derived([...keyNames(plan), ...results], sql`${operandRows(plan, from, writer)}${group}`)
  const having = plan.having ? sql` WHERE ${conditionSql(plan.having, writer)}` : raw('')
  const outputs = [
    ...keys.map(({ subject, bucket }, at) =>
      bucket ? name(`k${at}`) : spelled(subject, name(`k${at}`), writer),
    ),
    ...aggregates.map((aggregate, at) => {
      const isValue = aggregate.fn === 'MIN' || aggregate.fn === 'MAX'
      const result = name(aggregateColumn(at))
      return isValue && aggregate.subject ? spelled(aggregate.subject, result, writer) : result
    }),
  ]
  return {
    outputs: joined(
      outputs.map((output, at) => sql`${output} AS ${name(`c${at}`)}`),
      ', ',
    ),
    from: sql`${grouped}${having}`,
    order: orderSql(
      plan.orderBy.map(({ output, ...direction }) => ({
        ...direction,
        key: name(output < keys.length ? `k${output}` : aggregateColumn(output - keys.length)),
      })),
    ),
  }
}

const keyNames = ({ keys }: GroupsPlan) => keys.map((_, at): Item => [`k${at}`, name(`k${at}`)])

function operandsOf({ subject, filter, p }: Aggregate, at: number) {
  const value = subject || filter ? name(`v${at}`) : raw('*')
  return { value, rank: name(`r${at}`), size: name(`n${at}`), mean: name(`m${at}`), p }
}

/** The rows of the table with a column for each key and for each operand. */
function operandRows(plan: GroupsPlan, from: Fragment, writer: ZonedWriter): Fragment {
  const { keys, aggregates } = plan
  const values = aggregates.flatMap((aggregate, at): Item[] =>
    aggregate.subject || aggregate.filter ? [[`v${at}`, valueSql(aggregate, writer)]] : [],
  )
  const kept = values.map(([alias]): Item => [alias, name(alias)])
  const raws = keys.map(({ subject, bucket }, at): Item =>
    bucket
      ? [`e${at}`, writer.seconds(expressionSql(subject, writer))]
      : [`k${at}`, comparedSql(subject, writer)],
  )
  let rows = derived([...raws, ...values], whereSql(from, plan, writer))
  if (keys.some(({ bucket }) => bucket)) {
    const local = keys.flatMap(({ bucket }, at): Item[] =>
      bucket
        ? [
            [`e${at}`, name(`e${at}`)],
            [`l${at}`, localSql(name(`e${at}`), bucket, writer)],
          ]
        : [[`k${at}`, name(`k${at}`)]],
    )
    rows = derived([...local, ...kept], rows)
    const buckets = keys.map(({ bucket }, at): Item => {
      const times = { utc: name(`e${at}`), local: name(`l${at}`) }
      return [`k${at}`, bucket ? bucketSql(bucket, times, writer) : name(`k${at}`)]
    })
    rows = derived([...buckets, ...kept], rows)
  }
  const windows = windowsOf(plan, writer)
  return windows.length === 0 ? rows : derived([...keyNames(plan), ...kept, ...windows], rows)
}

function windowsOf(plan: GroupsPlan, writer: ZonedWriter): readonly Item[] {
  const names = plan.keys.map((_, at) => name(`k${at}`))
  const partition = (more: readonly Fragment[]) => {
    const parts = [...names, ...more]
    return parts.length === 0 ? raw('') : sql`PARTITION BY ${joined(parts, ', ')}`
  }
  return plan.aggregates.flatMap(({ fn }, at): Item[] => {
    const value = name(`v${at}`)
    const isNull = sql`(${value} IS NULL)`
    if (needsRanks(fn, writer))
      return [
        [`r${at}`, sql`row_number() OVER (${partition([isNull])} ORDER BY ${value})`],
        [`n${at}`, sql`count(${value}) OVER (${partition([])})`],
      ]
    return needsMean(fn) ? [[`m${at}`, sql`avg(${writer.double(value)}) OVER (${partition([])})`]] : []
  })
}

/** The operand of an aggregate, null in rows that do not count. */
function valueSql({ fn, subject, filter }: Aggregate, writer: ZonedWriter): Fragment {
  const isCompared = fn === 'MIN' || fn === 'MAX' || fn === 'DISTINCT_COUNT'
  const value = subject && (isCompared ? comparedSql(subject, writer) : expressionSql(subject, writer))
  return filter
    ? sql`CASE WHEN ${conditionSql(filter, writer)} THEN ${value ?? raw('1')} END`
    : (value ?? raw('1'))
}

function spelled({ type }: Expression, compared: Fragment, writer: ZonedWriter): Fragment {
  return type === 'string' ? writer.spelled(compared) : compared
}

function whereSql(from: Fragment, { filter }: Plan, writer: ZonedWriter): Fragment {
  return filter ? sql`${from} WHERE ${conditionSql(filter, writer)}` : from
}

/** A derived table. */
function derived(items: readonly Item[], from: Fragment): Fragment {
  const columns = items.map(([alias, value]) => sql`${value} AS ${name(alias)}`)
  const list = columns.length === 0 ? raw('1 AS one') : joined(columns, ', ')
  return sql`(SELECT ${list} FROM ${from}) AS ${name('t')}`
}

function namesOf(items: readonly Item[]): Fragment {
  return joined(
    items.map(([alias]) => name(alias)),
    ', ',
  )
}

/** Databases place null differently, and MySQL has no word for it. */
function orderSql(
  keys: readonly {
    readonly key: Fragment
    readonly isDescending: boolean
    readonly areNullsFirst: boolean
  }[],
): Fragment {
  if (keys.length === 0) return raw('')
  const parts = keys.map(({ key, isDescending, areNullsFirst }) => {
    const [nulls, values] = [raw(areNullsFirst ? 'DESC' : 'ASC'), raw(isDescending ? 'DESC' : 'ASC')]
    return sql`(${key} IS NULL) ${nulls}, ${key} ${values}`
  })
  return sql` ORDER BY ${joined(parts, ', ')}`
}
