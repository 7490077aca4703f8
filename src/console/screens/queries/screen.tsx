import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { addStyles } from '../../kit/own-styles.ts'
import dataStyles from '../data/data.css' with { type: 'text' }
import styles from './queries.css' with { type: 'text' }
import { QueryList } from './query-list.tsx'
import { QueryPage } from './query-page.tsx'

// Results are drawn by the grid of tables.
addStyles(dataStyles)
addStyles(styles)

/** The data queries, or one of them. */
export function Screen(): JSX.Element {
  const { id } = useRoute().params
  if (id === undefined) return <QueryList />
  return <QueryPage key={id} id={id} />
}
