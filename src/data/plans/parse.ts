import type { Plan } from '../../ports/databases.ts'
import type { Dialect } from '../sql/spelling.ts'
import { joinedIn, listIn, nodeOf, numberIn, objectIn, operationOf, rootOf, textIn } from './node.ts'
import type { Json, PlanNode } from './node.ts'

/** The tree of a plan as a database writes it. */
export function planTree({ format, text }: Plan, dialect: Dialect): PlanNode {
  if (format === 'text') return rootOf(indented(text))
  const plan = JSON.parse(text) as unknown
  return rootOf(TREES[dialect](plan))
}

const TREES: Readonly<Record<Dialect, (plan: unknown) => readonly PlanNode[]>> = {
  postgresql: (plan) => listIn(plan).map((one) => ofPostgres(objectIn(objectIn(one)['Plan']))),
  mysql: (plan) => ofMysql(objectIn(plan)),
  duckdb: (plan) => (Array.isArray(plan) ? plan : [plan]).flatMap((one) => ofDuckdb(objectIn(one))),
  sqlite: (plan) => ofSqlite(objectIn(plan)),
}

const CONDITIONS = ['Index Cond', 'Recheck Cond', 'Hash Cond', 'Merge Cond', 'Join Filter', 'Filter']

function ofPostgres(plan: Json): PlanNode {
  const loops = numberIn(plan['Actual Loops']) ?? 1
  const [rows, durationMs] = [numberIn(plan['Actual Rows']), numberIn(plan['Actual Total Time'])]
  return nodeOf(textIn(plan['Node Type']) ?? 'step', {
    relation: textIn(plan['Relation Name']) ?? textIn(plan['CTE Name']),
    index: textIn(plan['Index Name']),
    condition: joinedIn(CONDITIONS.map((name) => textIn(plan[name]))),
    estimatedRows: numberIn(plan['Plan Rows']),
    rows: rows === null ? null : rows * loops,
    durationMs: durationMs === null ? null : durationMs * loops,
    children: listIn(plan['Plans']).map((child) => ofPostgres(objectIn(child))),
  })
}

/** Steps of MariaDB and MySQL: an object is a step, by the name of its field; a table is a leaf. */
function ofMysql(part: Json): readonly PlanNode[] {
  return Object.entries(part).flatMap(([key, value]): readonly PlanNode[] => {
    if (Array.isArray(value) && value.every((one) => typeof one !== 'object')) return []
    if (Array.isArray(value)) {
      const children = value.flatMap((one) => ofMysql(objectIn(one)))
      return key === 'nested_loop' && children.length > 1 ? [nodeOf(key, { children })] : children
    }
    if (typeof value !== 'object' || value === null) return []
    const own = objectIn(value)
    if (key === 'table') return [ofMysqlTable(own)]
    const children = ofMysql(own)
    if (/^(?:cost_info|query_optimization|r_)/.test(key) || children.length === 0) return children
    return [nodeOf(key, { rows: numberIn(own['r_output_rows']), children })]
  })
}

function ofMysqlTable(table: Json): PlanNode {
  const access = textIn(table['access_type']) ?? 'table'
  const [rows, loops] = [numberIn(table['r_rows']), numberIn(table['r_loops']) ?? 1]
  const index = textIn(table['key'])
  return nodeOf(access, {
    ...(access === 'range' || access === 'index_merge' ? { operation: 'index' as const } : {}),
    relation: textIn(table['table_name']),
    index,
    condition: joinedIn([textIn(table['index_condition']), textIn(table['attached_condition'])]),
    estimatedRows: numberIn(table['rows']) ?? numberIn(table['rows_examined_per_scan']),
    rows: rows === null ? null : rows * loops,
    durationMs: numberIn(table['r_total_time_ms']) ?? numberIn(table['r_table_time_ms']),
    children: ofMysql(table),
  })
}

const WRAPPERS = /^(?:EXPLAIN_ANALYZE|QUERY|RESULT_COLLECTOR)$/

function ofDuckdb(plan: Json): readonly PlanNode[] {
  const name = textIn(plan['name']) ?? textIn(plan['operator_name'])?.trim() ?? null
  const children = listIn(plan['children']).flatMap((child) => ofDuckdb(objectIn(child)))
  if (name === null || WRAPPERS.test(name)) return children
  const extra = objectIn(plan['extra_info'])
  const seconds = numberIn(plan['operator_timing'])
  const conditions = ['Filters', 'Conditions', 'Expression'].map((key) =>
    Array.isArray(extra[key]) ? extra[key].join(' AND ') : textIn(extra[key]),
  )
  return [
    nodeOf(name, {
      relation: textIn(extra['Table']),
      condition: joinedIn(conditions),
      estimatedRows: numberIn(extra['Estimated Cardinality']),
      rows: numberIn(plan['operator_cardinality']),
      durationMs: seconds === null ? null : seconds * 1_000,
      children,
    }),
  ]
}

const TABLE_STEP =
  /^(?:SCAN|SEARCH) (?:TABLE )?(?<relation>\S+)(?: AS \S+)?(?: USING (?<index>.+?))?(?: \((?<condition>.+)\))?$/

function ofSqlite(plan: Json): readonly PlanNode[] {
  const steps = listIn(plan['steps']).map(objectIn)
  const below = (parent: number): readonly PlanNode[] =>
    steps
      .filter((step) => numberIn(step['parent']) === parent)
      .map((step) => {
        const detail = textIn(step['detail']) ?? ''
        const { relation = null, index = null, condition = null } = TABLE_STEP.exec(detail)?.groups ?? {}
        const children = below(numberIn(step['id']) ?? -1)
        if (relation === null) return nodeOf(detail, { children })
        const operation = detail.startsWith('SCAN') ? 'scan' : 'index'
        return nodeOf(detail, { operation, relation, index, condition, children })
      })
  const rows = numberIn(plan['rows'])
  const children = below(0)
  return rows === null ? children : [nodeOf('result', { rows, children })]
}

const LINE =
  /^(?<indent> *)-> (?<name>.*?)(?: {2}\((?:cost=\S+ )?rows=(?<estimate>\S+?)\))?(?: \(actual time=\S*?\.\.(?<ms>[\d.]+) rows=(?<rows>\S+) loops=(?<loops>\d+)\))?$/

type Line = Readonly<Record<string, string | undefined>>

/** The tree of MySQL, whose steps are indented lines. */
function indented(text: string): readonly PlanNode[] {
  const lines = text.split('\n').flatMap((line): Line[] => {
    const groups = LINE.exec(line)?.groups
    return groups ? [groups] : []
  })
  const below = (from: number, to: number): readonly PlanNode[] => {
    const depth = lines[from]?.['indent']?.length
    const starts = lines.flatMap((line, at) =>
      at >= from && at < to && line['indent']?.length === depth ? [at] : [],
    )
    return starts.map((start, number) =>
      ofLine(lines[start] ?? {}, below(start + 1, starts[number + 1] ?? to)),
    )
  }
  return below(0, lines.length)
}

function ofLine({ name = '', estimate, rows, loops, ms }: Line, children: readonly PlanNode[]): PlanNode {
  const runs = numberIn(loops) ?? 1
  const relation = / on (?<relation>\S+)/.exec(name)?.groups?.['relation'] ?? null
  const index = / using (?<index>\S+)/.exec(name)?.groups?.['index'] ?? null
  const [count, time] = [numberIn(rows), numberIn(ms)]
  return nodeOf(name, {
    operation: operationOf(name.replace(/ on .*$/, '')),
    relation,
    index,
    estimatedRows: numberIn(estimate),
    rows: count === null ? null : count * runs,
    durationMs: time === null ? null : time * runs,
    children,
  })
}
