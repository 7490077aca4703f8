import type { JSX } from 'preact'
import { useLocation, useRoute } from 'preact-iso'

import { addStyles } from '../../kit/own-styles.ts'
import { ImportPage } from './import-page.tsx'
import styles from './data.css' with { type: 'text' }
import { SourceList } from './source-list.tsx'
import { SourcePage } from './source-page.tsx'
import { TablePage } from './table-page.tsx'

addStyles(styles)

/** The data sources, one of them, one of its tables, or the import of a file. */
export function Screen(): JSX.Element {
  const { id, table } = useRoute().params
  const { path } = useLocation()
  if (id === undefined) return <SourceList />
  if (table !== undefined) return <TablePage key={`${id}/${table}`} id={Number(id)} table={table} />
  // While another screen is loaded, the path is its path already.
  if (id === 'new' || path.endsWith('/import')) return <ImportPage key={id} />
  return <SourcePage key={id} id={Number(id)} />
}
