import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { addStyles } from '../../kit/own-styles.ts'
import { ForecastForm } from './forecast-form.tsx'
import { ForecastPage } from './forecast-page.tsx'
import styles from './forecasts.css' with { type: 'text' }
import { ForecastList } from './list.tsx'

addStyles(styles)

/** The forecasts, one of them, or a new one. */
export function Screen(): JSX.Element {
  const { id } = useRoute().params
  if (id === undefined) return <ForecastList />
  if (id === 'new') return <ForecastForm forecast={null} />
  return <ForecastPage key={id} id={Number(id)} />
}
