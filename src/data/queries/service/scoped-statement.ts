import type { Context } from '../../../context.ts'
import { conditionSql } from '../../filters/emit.ts'
import { Refusal } from '../../../lib/errors.ts'
import { readSights, relationsOf } from '../../scopes/service/sights.ts'
import type { Relation, Sight } from '../../scopes/sight.ts'
import type { SourceReader } from '../../sources/service/connect.ts'
import type { ZonedWriter } from '../../sql/dialects/writer.ts'
import { writerIn } from '../../sql/dialects/writers.ts'
import { withExpressions } from '../../sql/expressions.ts'
import { boundOf, joined, name, raw, sql } from '../../sql/fragment.ts'
import type { Fragment } from '../../sql/fragment.ts'
import { tokensOf } from '../../sql/lexer.ts'
import { keysOf } from '../../sql/names.ts'
import type { Relations } from '../../sql/names.ts'

/** The names that statements of a caller may have in a database, and how scopes apply to them. */
export type StatementScopes = {
  readonly relations: Relations
  /** The statement over the rows and columns that the caller may read. */
  readonly scoped: (statement: Fragment) => Fragment
}

const RELATIONS_MAX = 50_000
const ASK_MAX_MS = 30_000

/** All relations of a database, with their schemas and whether it is the one of the data source. */
const CATALOGUES: Readonly<Record<SourceReader['dialect'], string>> = {
  postgresql: `
    select n.nspname, c.relname, n.nspname = current_schema() from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')
      and (c.relkind = 'S' or c.relkind in ('r', 'p', 'v', 'm', 'f') and has_any_column_privilege(c.oid, 'select'))`,
  mysql: `
    select table_schema, table_name, table_schema = database() from information_schema.tables
    where table_schema not in ('information_schema', 'mysql', 'performance_schema', 'sys')`,
}
/** Ends the expression of a table, so that no condition of a statement is evaluated on rows outside of the scope. */
const FENCES: Readonly<Record<SourceReader['dialect'], string>> = {
  postgresql: ' OFFSET 0',
  mysql: ' LIMIT 18446744073709551615',
}

/** The scopes of a caller in a database. Names that are not readable, of all schemas, are refused; tables with scopes are
 * hidden by expressions of the same name. @throws {Refusal} of the port `databases` */
export async function statementScopes(
  context: Context,
  id: number,
  reader: SourceReader,
): Promise<StatementScopes> {
  const [sights, relations, catalogue] = await Promise.all([
    readSights(context, id),
    relationsOf(context, id),
    readCatalogue(reader),
  ])
  const own = catalogue.filter(({ isOwn }) => isOwn)
  const elsewhere = new Set(catalogue.flatMap((one) => (one.isOwn ? [] : [one.name])))
  const readable = new Map(
    own.flatMap(({ name: table, schema }): [string, Readable][] => {
      const [sight, relation] = [sights.get(table), relations.get(table)]
      return sight && relation ? [[table, { schema, sight, relation }]] : []
    }),
  )
  const hidden = new Set(catalogue.flatMap((one) => (readable.has(one.name) ? [] : [one.name])))
  const scoped = [...readable].filter(
    ([table, { sight, relation }]) =>
      sight.rows !== null || sight.columns.length < relation.columns.length || elsewhere.has(table),
  )
  const writer = writerIn(reader.dialect, context.ports.settings.timeZone)
  return {
    relations: { hidden: [...hidden], scoped: scoped.map(([table]) => table) },
    scoped: (statement) => withScopes(statement, scoped, { dialect: reader.dialect, writer }),
  }
}

type Readable = { readonly schema: string; readonly sight: Sight; readonly relation: Relation }

async function readCatalogue(reader: SourceReader) {
  const limits = { rowsMax: RELATIONS_MAX, bytesMax: Number.MAX_SAFE_INTEGER }
  const statement = { text: CATALOGUES[reader.dialect], binds: [] }
  const { rows } = await reader.query(statement, limits, AbortSignal.timeout(ASK_MAX_MS))
  const found = (await Array.fromAsync(rows)).flat()
  if (found.length === 0) throw new Refusal('source_unavailable', 'The database shows no tables.')
  return found.map(([schema, table, isOwn]) => ({
    schema: String(schema),
    name: String(table),
    isOwn: isOwn === true || Number(isOwn) === 1,
  }))
}

function withScopes(
  statement: Fragment,
  scoped: readonly (readonly [string, Readable])[],
  { dialect, writer }: { readonly dialect: SourceReader['dialect']; readonly writer: ZonedWriter },
): Fragment {
  const { text } = boundOf(statement, writer)
  const named = new Set(tokensOf(text, dialect).flatMap(({ value }) => keysOf(value)))
  const expressions = scoped.flatMap(([table, { schema, sight }]) => {
    if (!keysOf(table).some((key) => named.has(key))) return []
    const columns = joined(
      sight.columns.map((column) => name(column.name)),
      ', ',
    )
    const where = sight.rows ? sql` WHERE ${conditionSql(sight.rows, writer)}` : raw('')
    return [
      sql`${name(table)} AS (SELECT ${columns} FROM ${name(schema)}.${name(table)}${where}${raw(FENCES[dialect])})`,
    ]
  })
  return withExpressions(statement, expressions, dialect)
}
