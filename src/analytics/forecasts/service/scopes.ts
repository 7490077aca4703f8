import { isAdministrator } from '../../../access/rights/permissions.ts'
import { hasRole } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch, refusalIn } from '../../../lib/errors.ts'
import { readQuery } from '../../../data/queries/service.ts'
import { READERS } from '../../../data/sources/schema.ts'
import { readLineage } from '../../../data/queries/service/lineage.ts'
import { scopesNaming, scopesUnfit } from '../../../data/scopes/service.ts'
import { isRestricted, readSight, relationsOf } from '../../../data/scopes/service/sights.ts'
import type { Sight } from '../../../data/scopes/sight.ts'
import type { Definition, RowSource, Source } from '../definition.ts'

/** Requires that the results have the columns by which scopes restrict the rows of the source, and none that they hide.
 * @throws {Refusal} scope_columns_missing, and as reads of the source */
export async function requireScopeColumns(
  context: Context,
  { source }: Pick<Definition, 'source'>,
): Promise<void> {
  if (source.type === 'job') return
  const { groupColumns: kept, timeColumn, valueColumn } = source
  const unfit: string[] = []
  for (const place of await tablesOf(context, source))
    unfit.push(...(await scopesUnfit(context, place, { kept, shown: [...kept, timeColumn, valueColumn] })))
  if (unfit.length === 0) return
  throw new Refusal(
    'scope_columns_missing',
    `Scopes restrict the source by columns that are not among groupColumns, or hide columns of the results: ${unfit.join(', ')}. Add the columns to groupColumns.`,
    [{ pointer: '/source/groupColumns', message: 'must have the columns of the scopes of the source' }],
  )
}

type Place = { readonly dataSourceId: number; readonly table: string }

async function tablesOf(context: Context, source: RowSource): Promise<readonly Place[]> {
  if (source.type === 'dataTable') return [source]
  try {
    const { dataSourceId, tables } = await readLineage(context, {
      id: source.dataQueryId,
      version: 'published',
    })
    return tables.map(({ name }) => ({ dataSourceId, table: name }))
  } catch (error) {
    // A data query that is not there yet, or not published, reads nothing.
    if (error instanceof Refusal && ['not_found', 'conflict'].includes(error.code)) return []
    throw error
  }
}

/** The part of a table of results that the caller may read, by its scopes; without any, by the scopes of the table that is
 * the source. @throws {Refusal} not_found, scope_columns_missing */
export function sightOfResults({ source }: Pick<Definition, 'source'>): typeof readSight {
  return async (context, id, table): Promise<Sight> => {
    const isOwn = source.type !== 'dataTable' || (await scopesNaming(context.ports, id, table)).length > 0
    if (isOwn) return readSight(context, id, table)
    const relation = (await relationsOf(context, id)).get(table)
    if (!relation) throw noSuch('table')
    if (isAdministrator(context.caller)) return readSight(context, id, table)
    const { rows } = await readSight(context, source.dataSourceId, source.table)
    if (rows) await requireScopeColumns(context, { source })
    return { columns: relation.columns, rows }
  }
}

/** Whether the caller may see all rows of a source. */
export async function seesSource(context: Context, source: Source): Promise<boolean> {
  if (source.type === 'job') return false
  if (source.type === 'dataTable')
    return mayRead(context) && !(await isRestricted(context, source.dataSourceId))
  try {
    const { view } = await readQuery(context, source.dataQueryId)
    return (
      (view.accessibleFromDashboards || mayRead(context)) && !(await isRestricted(context, view.dataSourceId))
    )
  } catch (error) {
    if (refusalIn(error)?.code === 'not_found') return false
    throw error
  }
}

/** Whether the caller may read data sources. */
function mayRead({ caller }: Context): boolean {
  return hasRole(caller, READERS)
}
