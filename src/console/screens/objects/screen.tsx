import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { PageHead } from '../../kit/data.tsx'
import { t } from '../../language/t.ts'
import { JobPage } from './job/job-page.tsx'

export function Screen(): JSX.Element {
  const { params, path } = useRoute()
  const id = Number(params['id'])
  if (/\/job\/\d+$/.test(path)) return <JobPage id={id} />
  return <PageHead title={t('objects.title')} />
}
