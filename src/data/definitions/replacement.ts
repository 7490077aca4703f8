import { EDIT_TABLES } from '../../ports/tables.ts'

/** SQL for both engines of tables. Null keys and keys that two rows have are found before rows are replaced. */
export type ReplacementSql = {
  readonly nullKeys: string
  readonly doubleKeys: string
  readonly replace: string
}

/** The statements by which the last rows of `t` replace those before them that have the same key.
 * @param columns the quoted names of the key
 * @param firstRow the smallest `rowid` of the last rows */
export function replacementSql(columns: readonly string[], firstRow: number): ReplacementSql {
  const { rows } = EDIT_TABLES
  const key = columns.join(', ')
  const isNull = columns.map((column) => `${column} IS NULL`).join(' OR ')
  const last = `FROM ${rows} WHERE rowid >= ${firstRow}`
  return {
    nullKeys: `SELECT ${key} ${last} AND (${isNull}) LIMIT 1`,
    doubleKeys: `SELECT ${key} ${last} GROUP BY ${key} HAVING count(*) > 1 LIMIT 1`,
    replace: `DELETE FROM ${rows} WHERE rowid < ${firstRow} AND (${key}) IN (SELECT ${key} ${last})`,
  }
}
