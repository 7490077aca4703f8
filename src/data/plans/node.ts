import { isJsonObject } from '../../lib/json.ts'

/** A step of a plan, in the words of all databases. */
export type PlanNode = {
  readonly operation: Operation
  /** The name of the step in the database. */
  readonly name: string
  readonly relation: string | null
  readonly index: string | null
  readonly condition: string | null
  readonly estimatedRows: number | null
  /** Null where the statement did not run. */
  readonly rows: number | null
  readonly durationMs: number | null
  readonly children: readonly PlanNode[]
}

export const OPERATIONS = ['scan', 'index', 'join', 'sort', 'aggregate', 'filter', 'limit', 'other'] as const
export type Operation = (typeof OPERATIONS)[number]

/** The operations by the names of steps; the first that matches counts. */
const NAMES: readonly (readonly [RegExp, Operation])[] = [
  [/join|nested.?loop|cross.?product/i, 'join'],
  [/index|search|ref\b|eq_ref|const\b|primary key/i, 'index'],
  [/sort|top.?n|order/i, 'sort'],
  [/scan|^all$/i, 'scan'],
  [/aggregate|group|distinct|unique/i, 'aggregate'],
  [/limit/i, 'limit'],
  [/filter/i, 'filter'],
]

export function operationOf(name: string): Operation {
  return NAMES.find(([pattern]) => pattern.test(name))?.[1] ?? 'other'
}

const EMPTY = {
  relation: null,
  index: null,
  condition: null,
  estimatedRows: null,
  rows: null,
  durationMs: null,
  children: [],
}

/** A node without the parts that are not given. */
export function nodeOf(name: string, parts: Partial<PlanNode>): PlanNode {
  return { ...EMPTY, operation: operationOf(name), name, ...parts }
}

/** A tree with one root. */
export function rootOf(nodes: readonly PlanNode[]): PlanNode {
  const [first] = nodes
  return first && nodes.length === 1 ? first : nodeOf('result', { children: nodes })
}

/** The nodes of a tree, from the root on. */
export function nodesOf(node: PlanNode): readonly PlanNode[] {
  return [node, ...node.children.flatMap(nodesOf)]
}

export type Json = Readonly<Record<string, unknown>>

export function objectIn(value: unknown): Json {
  return isJsonObject(value) ? value : {}
}

export function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textIn(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null
}

export function numberIn(value: unknown): number | null {
  if (typeof value !== 'number' && typeof value !== 'string') return null
  const number = value === '' ? Number.NaN : Number(value)
  return Number.isFinite(number) ? number : null
}

export function joinedIn(values: readonly (string | null)[]): string | null {
  const texts = values.filter((text) => text !== null)
  return texts.length === 0 ? null : texts.join(' AND ')
}
