import type { Answer } from '../../api/client.ts'
import { user } from '../../api/session.ts'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'

export type Source = Answer<'/dataSources'>['items'][number]
export type ColumnInfo = Answer<'/dataSources/{id}/columns'>[number]
export type TableInfo = Answer<'/dataSources/{id}/tables'>[number]

/** A table of a source with its columns. */
export type TableView = {
  readonly source: Source
  readonly info: TableInfo
  readonly columns: readonly ColumnInfo[]
}

/** Why the user cannot change data sources; undefined for an administrator. */
export function refusedToChange(): string | undefined {
  return user.value?.role === 'administrator' ? undefined : t('data.needsAdministrator')
}

/** Whether the tables of a source are imported from files. */
export const hasFiles = ({ type }: Pick<Source, 'type'>): boolean => type === 'csv'

/** Whether the rows of a table can be edited: an imported table that no refresh replaces. */
export const isOwn = ({ source, info }: TableView): boolean => hasFiles(source) && info.refresh === null

/** The sentence above the list of sources. */
export function sourcesSentence(sources: readonly Pick<Source, 'type'>[]): string {
  const sets = sources.filter(hasFiles).length
  const databases = sources.length - sets
  const parts = [
    ...(databases > 0 ? [t('data.say.databases', { count: databases })] : []),
    ...(sets > 0 ? [t('data.say.sets', { count: sets })] : []),
  ]
  return t('data.say.sources', { parts: parts.join(', ') })
}

/** The sentence above the tables of a source. */
export function tablesSentence(
  tables: readonly Pick<TableInfo, 'kind' | 'approximateRows'>[],
  source: Pick<Source, 'type'>,
): string {
  if (tables.length === 0) return t('data.say.noTables')
  const views = tables.filter(({ kind }) => kind === 'view').length
  const rows = tables.reduce((sum, { approximateRows }) => sum + (approximateRows ?? 0), 0)
  const parts = [
    t('data.say.tables', { count: tables.length - views }),
    ...(views > 0 ? [t('data.say.views', { count: views })] : []),
    ...(rows > 0 ? [rowsText(rows, source)] : []),
  ]
  return t('data.say.sources', { parts: parts.join(', ') })
}

/** A number of rows: a database estimates it, imported tables are counted. */
export const rowsText = (count: number, source: Pick<Source, 'type'>): string =>
  t(hasFiles(source) ? 'data.count.all' : 'data.say.rows', { count })

/** Where a source is, such as `db.example:5432/shop`. */
export function placeOf({ connection }: Pick<Source, 'connection'>): string {
  if (connection === null) return t('data.imported')
  const host = connection.host.includes(':') ? `[${connection.host}]` : connection.host
  return `${host}:${connection.port}/${connection.database}`
}

/** The page on which a file is imported into a source, or into a new set of tables. */
export const importLink = (id: number | 'new', query: Readonly<Record<string, string>> = {}): string =>
  linkTo(`data/${id}/import`, query)

export const tableLink = (id: number, table: string): string =>
  linkTo(`data/${id}/tables/${encodeURIComponent(table)}`)

export const sourceLink = (id: number): string => linkTo(`data/${id}`)
