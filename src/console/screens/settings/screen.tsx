import type { JSX } from 'preact'
import { useRoute } from 'preact-iso'

import { PageHead, Sections } from '../../kit/data.tsx'
import { linkTo } from '../../kit/location.ts'
import { t } from '../../language/t.ts'
import { Backups } from './backups.tsx'
import { Demo } from './demo.tsx'
import { General } from './general.tsx'
import { HealthChecks } from './health.tsx'
import { Runners } from './runners.tsx'

const SECTIONS = ['general', 'backups', 'runners', 'health', 'demo'] as const
const PARTS = { general: General, backups: Backups, runners: Runners, health: HealthChecks, demo: Demo }

/** The settings of the installation, its backups, runners, health and demo plant. */
export function Screen(): JSX.Element {
  const { params } = useRoute()
  const section = SECTIONS.find((one) => one === params['section']) ?? 'general'
  const Part = PARTS[section]
  return (
    <>
      <PageHead
        title={t('settings.title')}
        sentence={t(`settings.${section}.sentence`)}
        actions={
          <Sections
            label={t('settings.sections')}
            sections={SECTIONS.map((one) => ({
              text: t(`settings.${one}`),
              href: linkTo(one === 'general' ? 'settings' : `settings/${one}`),
              isCurrent: one === section,
            }))}
          />
        }
      />
      <div class="body">
        <Part />
      </div>
    </>
  )
}
