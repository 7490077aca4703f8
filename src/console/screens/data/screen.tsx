import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { addStyles } from '../../kit/own-styles.ts'
import styles from './data.css' with { type: 'text' }
import { SourceList } from './source-list.tsx'
import { SourcePage } from './source-page.tsx'

addStyles(styles)

/** The data sources, or one of them. */
export function Screen(): JSX.Element {
  const { id } = useRoute().params
  if (id === undefined) return <SourceList />
  return <SourcePage key={id} id={Number(id)} />
}
