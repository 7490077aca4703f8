import type { Answer } from '../../api/client.ts'

export type SourceColumn = Answer<'/dataSources/{id}/columns'>[number]

/** A table with the columns that are shown below it. */
export type TableBranch = {
  readonly name: string
  readonly columns: readonly SourceColumn[]
  /** True where a column matches the filter, so that the table opens by itself. */
  readonly isFound: boolean
}

/** Tables that are shown at once. */
const TABLES_MAX = 100

/** The tables of a data source whose name, or the name of a column of theirs, contains a text.
 * @returns the first tables, and how many more there are */
export function branchesOf(
  columns: readonly SourceColumn[],
  filter: string,
): { readonly tables: readonly TableBranch[]; readonly more: number } {
  const wanted = filter.trim().toLowerCase()
  const matches = (name: string): boolean => name.toLowerCase().includes(wanted)
  const tables: TableBranch[] = []
  for (const [name, own] of Map.groupBy(columns, ({ table }) => table)) {
    const found = own.filter((column) => matches(column.name))
    if (matches(name)) tables.push({ name, columns: own, isFound: false })
    else if (found.length > 0) tables.push({ name, columns: found, isFound: true })
  }
  return { tables: tables.slice(0, TABLES_MAX), more: Math.max(0, tables.length - TABLES_MAX) }
}
