import type { Context } from '../../context.ts'
import { stopwatch } from '../../ports/clock.ts'
import { prepareStored, prepareText } from '../queries/service/run.ts'
import type { Asking } from '../selection/service/waited.ts'
import { WRITERS } from '../sql/dialects/writers.ts'
import { boundOf } from '../sql/fragment.ts'
import type { PlanNode } from './node.ts'
import { planTree } from './parse.ts'
import type { ExplainBody, PlanView } from './schema.ts'
import { warningsOf } from './warnings.ts'

/** The plan of a data query. To be analyzed, its statement runs, in a transaction that only reads.
 * @throws {Refusal} as a run of the data query */
export async function explainQuery(context: Context, body: ExplainBody, asking: Asking): Promise<PlanView> {
  const { clock } = context.ports
  const { source, statement, own } = await prepare(context, body, asking)
  const { dialect } = source
  const bound = boundOf(statement, WRITERS[dialect])
  // The conditions of scopes name hidden columns.
  const shownSql = boundOf(own, WRITERS[dialect])
  const isRestricted = await source.isRestricted()
  const elapsedMs = stopwatch(clock)
  const plan = await source.explain(bound, { isAnalyzed: body.analyze }, asking.signal)
  const durationMs = elapsedMs()
  const tree = planTree(plan, dialect)
  const shown = isRestricted ? withoutRows(tree) : tree
  return {
    dialect,
    sql: shownSql.text,
    values: shownSql.binds.map(({ value }) => value),
    analyzed: body.analyze,
    plan: shown,
    text: isRestricted ? null : plan.text,
    warnings: [...warningsOf(shown, dialect)],
    durationMs,
  }
}

function prepare(context: Context, body: ExplainBody, asking: Asking) {
  if ('queryId' in body) {
    const { queryId: id, version, parameters: values } = body
    return prepareStored(context, { id, version }, { values, pointer: '/parameters', asking })
  }
  const { values, ...definition } = body
  return prepareText(context, definition, { values, pointer: '/values', asking })
}

/** Conditions have the texts of scopes and hidden columns, and the rows of a step count rows that the caller may not read. */
function withoutRows(node: PlanNode): PlanNode {
  const name = node.relation === null ? node.name : node.operation
  return {
    ...node,
    name: name.replace(/ \(.*\)$/s, ''),
    condition: null,
    estimatedRows: null,
    rows: null,
    durationMs: null,
    children: node.children.map(withoutRows),
  }
}
