import type { JSX } from 'preact'

import { ResumeNotifications } from '../../actions/resume-notifications.tsx'
import { useGet } from '../../api/resource.ts'
import { linkTo } from '../../kit/location.ts'
import { Button } from '../../kit/controls.tsx'
import { Card, KeyValues } from '../../kit/data.tsx'
import { Note, readKey, Show } from '../../kit/feedback.tsx'
import { State } from '../../kit/state.tsx'
import { durationText, timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'
import { healthSentence } from './sentence.ts'
import type { Health } from './sentence.ts'

/** The checks and the warnings of the service. */
export function HealthChecks(): JSX.Element {
  const health = useGet('/readyz', {})
  return (
    <Card
      key={readKey(health.data)}
      title={t('settings.health')}
      note={health.data && healthSentence(health.data)}
      actions={
        <Button small icon="refresh" busy={health.isLoading} onClick={health.reload}>
          {t('settings.health.check')}
        </Button>
      }
    >
      <div class="pad col">
        <Show resource={health} what={t('settings.health.failed')}>
          {(data) => (
            <>
              {data.warnings.map((warning) => (
                <HealthWarning key={warning.code} {...warning} />
              ))}
              <KeyValues rows={[...checksOf(data), ...factsOf(data)]} />
            </>
          )}
        </Show>
      </div>
    </Card>
  )
}

/** The screens on which the causes of warnings are found. */
const SCREENS: Readonly<Record<string, string>> = {
  alarms_without_recipient: 'notifications/links',
  recipients_unreachable: 'notifications',
  notifications_dead: 'notifications/messages',
  notifications_paused: 'notifications',
  no_runner_accepts_jobs: 'settings/runners',
  scripts_without_user: 'scripts',
  forecasts_stale: 'forecasts',
  refreshes_failed: 'data',
  refreshes_late: 'data',
  restore_unfinished: 'settings/backups',
}
/** Warnings whose words of the service have names, numbers or times. */
const DETAILED: ReadonlySet<string> = new Set([
  'clock_behind',
  'forecasts_stale',
  'limits_unknown',
  'refreshes_failed',
  'refreshes_late',
  'restore_unfinished',
])

function HealthWarning({ code, detail }: Health['warnings'][number]): JSX.Element {
  const screen = SCREENS[code]
  const action =
    code === 'notifications_paused' ? (
      <ResumeNotifications />
    ) : (
      screen !== undefined && (
        <a class="btn small" href={linkTo(screen)}>
          {t('settings.health.go')}
        </a>
      )
    )
  return (
    <Note kind="warning" action={action}>
      {t(`settings.warning.${code}`)}
      {DETAILED.has(code) && (
        <div class="label" lang="en">
          {detail}
        </div>
      )}
    </Note>
  )
}

type Rows = (readonly [string, JSX.Element | string])[]

function checksOf({ checks }: Health): Rows {
  return Object.entries(checks).map(([name, { status, detail }]) => [
    t(`settings.check.${name}`),
    <span key={name} class="row wrap">
      <State
        state={status === 'ok' ? 'ok' : 'major'}
        text={t(status === 'ok' ? 'settings.health.fine' : 'settings.health.fails')}
      />
      {detail}
    </span>,
  ])
}

function factsOf({ lastIngestGap: gap, scripts }: Health): Rows {
  const rows: Rows = []
  if (gap) {
    const duration = durationText(Date.parse(gap.to) - Date.parse(gap.from))
    rows.push([
      t('settings.health.gap'),
      t('settings.health.gapText', { time: timeText(gap.from, true), duration }),
    ])
  }
  if (scripts) {
    const { waiting, waitingSeconds } = scripts
    const duration = durationText(waitingSeconds * 1000)
    rows.push([
      t('settings.health.scripts'),
      t('settings.health.scriptsText', { runners: scripts.runners, waiting, duration }),
    ])
  }
  return rows
}
