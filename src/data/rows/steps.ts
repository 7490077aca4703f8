import type { Cell, Column, Row } from '../../domain/table.ts'
import { EDIT_TABLES } from '../../ports/tables.ts'
import type { EditOrder, EditStep } from '../../ports/tables.ts'
import type { Condition } from '../filters/condition.ts'
import { conditionSql } from '../filters/emit.ts'
import type { ZonedWriter } from '../sql/dialects/writer.ts'
import { balanced, boundOf, joined, name, raw, sql } from '../sql/fragment.ts'
import type { Fragment } from '../sql/fragment.ts'

/** Changes of rows. An upsert changes the rows that have the key and inserts the others. */
export type Edit = {
  readonly kind: 'insert' | 'insert_missing' | 'upsert' | 'update' | 'delete'
  /** The columns of `rows`, which include the key. */
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  /** Names of the columns by which rows are found; empty for an insert that compares with no row. */
  readonly key: readonly string[]
}

/** Why a change cannot be made: `outside` the scope of the user, `missing` for an update or a deletion of no row that the
 * user may edit, `exists` for an insert of a key that a row has. */
export type Fault = 'outside' | 'missing' | 'exists'

/** The meaning of a step: the fault that a check finds, or the count that a write adds to. */
export type StepMeaning = Fault | 'inserted' | 'updated' | 'deleted'

export type PlannedEdit = Pick<EditOrder, 'changes' | 'steps'> & { readonly meanings: readonly StepMeaning[] }

/** The steps of an edit. The scope admits the rows that the user may edit, both before and after a change.
 * @param scope null for all rows */
export function plannedEdit(
  edit: Edit,
  table: { readonly columns: readonly Column[]; readonly scope: Condition | null },
  writer: ZonedWriter,
): PlannedEdit {
  const steps = stepsOf(edit, table, writer)
  const { prefix } = namesFor(table.columns)
  const columns: readonly Column[] = [
    { name: `${prefix}n`, type: 'integer' },
    ...edit.columns.map(({ type }, at) => ({ name: `${prefix}${at}`, type })),
  ]
  return {
    changes: { columns, rows: edit.rows.map((row, number): readonly Cell[] => [number, ...row]) },
    steps: steps.map(([, kind, fragment]): EditStep => ({ kind, statement: boundOf(fragment, writer) })),
    meanings: steps.map(([meaning]) => meaning),
  }
}

/** The columns of the changes have names that no column of the table begins with: none needs the name of its table. */
function namesFor(columns: readonly Column[]) {
  let prefix = 'n'
  while (columns.some(({ name: own }) => own.toLowerCase().startsWith(prefix))) prefix += 'n'
  return { prefix, number: name(`${prefix}n`), given: (at: number) => name(`${prefix}${at}`) }
}

type Step = readonly [meaning: StepMeaning, kind: EditStep['kind'], statement: Fragment]
type TableScope = { readonly columns: readonly Column[]; readonly scope: Condition | null }

const [ROWS, CHANGES] = [name(EDIT_TABLES.rows), name(EDIT_TABLES.changes)]

function stepsOf(edit: Edit, table: TableScope, writer: ZonedWriter): readonly Step[] {
  const parts = partsOf(edit, table, writer)
  const { hasKey, admitted, checkNew, checkChanged, insert, update } = parts
  const isThere = sql`EXISTS (SELECT 1 FROM ${ROWS} WHERE ${hasKey})`
  const isEditable = sql`EXISTS (SELECT 1 FROM ${ROWS} WHERE ${hasKey} AND ${admitted})`
  const isForeign = sql`EXISTS (SELECT 1 FROM ${ROWS} WHERE ${hasKey} AND NOT coalesce(${admitted}, FALSE))`
  const isNew = sql` WHERE NOT ${isThere}`
  const check = (fault: Fault, where: Fragment): Step => [
    fault,
    'check',
    sql`SELECT ${parts.number} FROM ${CHANGES} WHERE ${where}`,
  ]
  const missing = check('missing', sql`NOT ${isEditable}`)
  switch (edit.kind) {
    case 'insert':
      return [
        ...checkNew(raw('')),
        ...(edit.key.length === 0 ? [] : [check('exists', isThere)]),
        insert(raw('')),
      ]
    case 'insert_missing':
      return [...checkNew(raw('')), insert(isNew)]
    case 'upsert':
      return [
        ...(table.scope ? [check('outside', isForeign)] : []),
        ...checkChanged,
        ...checkNew(isNew),
        ...(edit.columns.length > edit.key.length ? [update] : []),
        insert(isNew),
      ]
    case 'update':
      return [missing, ...checkChanged, update]
    case 'delete': {
      const isChosen = sql`EXISTS (SELECT 1 FROM ${CHANGES} WHERE ${hasKey})`
      return [missing, ['deleted', 'write', sql`DELETE FROM ${ROWS} WHERE ${admitted} AND ${isChosen}`]]
    }
  }
}

function partsOf({ columns: given, key }: Edit, { columns, scope }: TableScope, writer: ZonedWriter) {
  const names = namesFor(columns)
  const { number } = names
  const placeOf = new Map(given.map((column, at) => [column.name, at]))
  const givenCell = (column: string) => names.given(placeOf.get(column) ?? 0)
  const admitted = scope ? conditionSql(scope, writer) : raw('(1 = 1)')
  const hasKey = balanced(
    key.map((one) => sql`${name(one)} = ${givenCell(one)}`),
    'AND',
  )
  const list = (write: (column: Column) => Fragment, of = columns) => joined(of.map(write), ', ')
  /** The rows as they would be: with the given values, and otherwise as they are. */
  const changed = (rest: (column: Column) => Fragment) =>
    list((column) => {
      const value = placeOf.has(column.name) ? givenCell(column.name) : rest(column)
      return sql`${value} AS ${name(column.name)}`
    })
  const created = changed((column) => sql`CAST(NULL AS ${raw(writer.types[column.type])})`)
  const kept = changed((column) => name(column.name))
  const checkScope = (from: Fragment): readonly Step[] => {
    const outside = sql`SELECT ${number} FROM (${from}) AS v WHERE NOT coalesce(${admitted}, FALSE)`
    return scope ? [['outside', 'check', outside]] : []
  }
  const sets = list(
    (column) => sql`${name(column.name)} = ${givenCell(column.name)}`,
    given.filter((column) => !key.includes(column.name)),
  )
  return {
    number,
    admitted,
    hasKey,
    checkNew: (where: Fragment) => checkScope(sql`SELECT ${number}, ${created} FROM ${CHANGES}${where}`),
    checkChanged: checkScope(
      sql`SELECT ${number}, ${kept} FROM ${CHANGES} JOIN ${ROWS} ON ${hasKey} AND ${admitted}`,
    ),
    insert: (where: Fragment): Step => [
      'inserted',
      'write',
      sql`INSERT INTO ${ROWS} (${list((column) => name(column.name))}) SELECT ${created} FROM ${CHANGES}${where}`,
    ],
    update: [
      'updated',
      'write',
      sql`UPDATE ${ROWS} SET ${sets} FROM ${CHANGES} WHERE ${hasKey} AND ${admitted}`,
    ] as Step,
  }
}
