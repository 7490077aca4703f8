import type { Answer } from '../../api/client.ts'
import { bytesText } from '../../kit/numbers.ts'
import { timeText } from '../../kit/time.tsx'
import { t } from '../../language/t.ts'

export type Backup = Answer<'/backups'>[number]
export type Runner = Answer<'/runners'>[number]
export type Health = Answer<'/readyz'>

/** The time and the size of the latest backup. */
export function backupsSentence(backups: readonly Backup[]): string {
  const [latest] = backups.toSorted((a, b) => b.madeAt.localeCompare(a.madeAt))
  if (!latest) return t('settings.backups.none')
  return t('settings.backups.latest', { time: timeText(latest.madeAt), size: bytesText(latest.size) })
}

/** The number of present runners and of their used slots. */
export function runnersSentence(runners: readonly Runner[]): string {
  const present = runners.filter((runner) => runner.present)
  if (present.length === 0) return t('settings.runners.none')
  const sum = (of: (runner: Runner) => number): number =>
    present.reduce((total, runner) => total + of(runner), 0)
  return t('settings.runners.present', {
    count: present.length,
    running: sum(({ running }) => running),
    slots: sum(({ slots }) => slots),
  })
}

/** The readiness of the service and the number of its warnings. */
export function healthSentence({ checks, warnings }: Pick<Health, 'checks' | 'warnings'>): string {
  const failed = Object.values(checks).filter(({ status }) => status === 'failed').length
  if (failed > 0) return t('settings.health.broken', { count: failed })
  return warnings.length > 0
    ? t('settings.health.warned', { count: warnings.length })
    : t('settings.health.ok')
}
