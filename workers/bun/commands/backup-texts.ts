import type { BackupView, RestoreView } from '../../../src/content/backups/service.ts'

const LISTED_MAX = 20
/** Tables whose rows are counted in a summary, with their names in it. */
const COUNTED = [
  ['objects', 'objects'],
  ['users', 'users'],
  ['jobs', 'jobs'],
  ['transitions', 'changes of state'],
  ['alarms', 'alarms'],
  ['alarm_recipients', 'alarm recipients'],
  ['scripts', 'scripts'],
  ['files', 'uploaded files'],
] as const

type Content = Pick<BackupView, 'madeAt' | 'histories' | 'files'>

/** The line about a backup that was made. */
export function backupLines(file: string, made: BackupView): string {
  return `${file}: ${made.size.toLocaleString('en')} bytes, ${contentOf(made)}\n`
}

function contentOf({ madeAt, histories, files }: Content): string {
  const parts = [
    'the configuration',
    ...(histories ? ['histories'] : []),
    ...(files ? ['uploaded files'] : []),
  ]
  const missing = [...(histories ? [] : ['histories']), ...(files ? [] : ['uploaded files'])]
  const without = missing.length === 0 ? '' : `, without ${missing.join(' and ')}`
  return `${parts.join(', ')} as of ${madeAt}${without}.`
}

/** The rows that a full restore replaces and deletes. */
export function lossLines(file: string, view: RestoreView): string {
  const counts = COUNTED.flatMap(([table, name]) => {
    const counted = view.tables.find((one) => one.name === table)
    return counted
      ? [`  ${name.padEnd(18)}${String(counted.rowsBefore).padStart(9)}${String(counted.rows).padStart(11)}`]
      : []
  })
  return [
    `${file} has ${contentOf(view)}`,
    '',
    `  ${''.padEnd(18)}${'here now'.padStart(9)}${'in backup'.padStart(11)}`,
    ...counts,
    `  ${'jobs with values'.padEnd(18)}${''.padStart(9)}${String(view.jobs).padStart(11)}`,
    '',
    ...(view.needsReplace ? lostLines(view) : ['The installation is empty: nothing is lost.', '']),
  ].join('\n')
}

function lostLines({ histories, files, madeAt }: RestoreView): string[] {
  return [
    'The restore deletes everything in the left column. Lost for good:',
    `  - every change since ${madeAt};`,
    histories
      ? '  - values, changes of state and alarms that are not in the backup;'
      : '  - all values, changes of state and alarms: the backup has none;',
    ...(files ? ['  - uploaded files that are not in the backup;'] : []),
    '  - all sessions, and runs of scripts with their logs.',
    ...(files ? [] : ['Uploaded files stay, because the backup has none.']),
    '',
  ]
}

/** The result of a restore. */
export function restoredLines(file: string, view: RestoreView): string {
  if (view.objects.length > 0) return partLines(file, view)
  return [
    `Restored ${file}: ${contentOf(view)}`,
    'Sign in with a user and a password of the backup: all sessions have ended.',
    'Notifications are paused. Check the alarm recipients, then call POST /notifications/resume.',
    '',
  ].join('\n')
}

/** The objects that a partial restore has restored, or would restore. */
export function partLines(file: string, { objects, dropped, restored }: RestoreView): string {
  const verb = restored ? 'Restored' : 'Would restore'
  const listed = objects.slice(0, LISTED_MAX).map(({ id, type, name }) => `  ${type} ${id} ${name}`)
  const more = objects.length - listed.length
  const lost = dropped
    .slice(0, LISTED_MAX)
    .map((one) => `  ${one.table} of object ${one.objectId}: ${one.detail}`)
  const moreLost = dropped.length - lost.length
  return [
    `${verb} ${objects.length} objects from ${file}:`,
    ...listed,
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(lost.length > 0 ? ['Left out:', ...lost] : []),
    ...(moreLost > 0 ? [`  and ${moreLost} more`] : []),
    '',
  ].join('\n')
}
