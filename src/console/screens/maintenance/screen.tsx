import type { JSX } from 'preact'

import { PageHead } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'

export function Screen(): JSX.Element {
  return <PageHead title={t('maintenance.title')} />
}
