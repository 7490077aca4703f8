import type { Dialect } from '../sql/spelling.ts'
import { nodesOf } from './node.ts'
import type { PlanNode } from './node.ts'

const ROWS_MANY = 100_000
/** How many times an estimate may be wrong. */
const ERROR_MAX = 100
const ROWS_COMPARED = 1_000

/** Reasons why a statement may be slow, each once. */
export function warningsOf(plan: PlanNode, dialect: Dialect): readonly string[] {
  const nodes = nodesOf(plan)
  const warnings = nodes.flatMap((node) => [
    ...scanWarning(node, dialect),
    ...estimateWarning(node),
    ...joinWarning(node),
    ...sortWarning(node),
  ])
  return [...new Set(warnings)]
}

/** DuckDB reads tables by columns, and has no indexes here. */
function scanWarning({ operation, relation, estimatedRows, rows }: PlanNode, dialect: Dialect): string[] {
  if (operation !== 'scan' || relation === null || dialect === 'duckdb') return []
  const count = rows ?? estimatedRows
  if (dialect === 'sqlite' && count === null) return [`All rows of ${relation} are read.`]
  return count === null || count < ROWS_MANY
    ? []
    : [
        `All rows of ${relation} are read, about ${inWords(count)}. A condition on an indexed column would read fewer.`,
      ]
}

function estimateWarning({ name, relation, estimatedRows, rows }: PlanNode): string[] {
  if (estimatedRows === null || rows === null || Math.max(rows, estimatedRows) < ROWS_COMPARED) return []
  const ratio = Math.max(rows, 1) / Math.max(estimatedRows, 1)
  if (ratio < ERROR_MAX && ratio > 1 / ERROR_MAX) return []
  return [
    `The step ${relation === null ? name : `${name} of ${relation}`} has ${inWords(rows)} rows, and the database expected ${inWords(estimatedRows)}. Its statistics may be old.`,
  ]
}

function joinWarning({ name, condition, children }: PlanNode): string[] {
  const sizes = children.map(({ rows, estimatedRows }) => rows ?? estimatedRows ?? 0)
  const isCross = /cross.?product/i.test(name) || (/^nested loop$/i.test(name) && condition === null)
  const areLarge = sizes.length > 1 && sizes.every((size) => size >= ROWS_COMPARED)
  return isCross && areLarge
    ? ['Each row of one part is joined with each row of another one. A condition is missing.']
    : []
}

function sortWarning({ name, operation, estimatedRows, rows }: PlanNode): string[] {
  if (/automatic .*index/i.test(name))
    return ['The database makes an index for this run. The table has none that fits.']
  const count = rows ?? estimatedRows ?? 0
  return operation === 'sort' && count >= ROWS_MANY ? [`${inWords(count)} rows are sorted.`] : []
}

const inWords = (count: number) => Math.round(count).toLocaleString('en')
