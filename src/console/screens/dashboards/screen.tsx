import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { addStyles } from '../../kit/own-styles.ts'
import dataStyles from '../data/data.css' with { type: 'text' }
import { DashboardPage } from './dashboard-page.tsx'
import styles from './dashboards.css' with { type: 'text' }
import { DashboardList } from './dashboard-list.tsx'
import { StartPage } from './start.tsx'

// Charts and tables of rows have the styles of data.
addStyles(dataStyles)
addStyles(styles)

/** The dashboards, the one that the user sees first, or one of them. */
export function Screen(): JSX.Element {
  const { id } = useRoute().params
  if (id === undefined) return <DashboardList />
  if (id === 'start') return <StartPage />
  return <DashboardPage key={id} id={id} />
}
