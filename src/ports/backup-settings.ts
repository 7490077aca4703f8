import * as z from 'zod'
import { durationMs, isFixedDuration } from '../lib/duration.ts'
import { HOUR_MS } from '../lib/time.ts'
import { unusable, wholeNumber } from './environment.ts'

/** The variables of scheduled backups. */
export const backupVariables = {
  TIDEMARK_BACKUP_EVERY: z
    .string()
    .refine(
      (text) => isFixedDuration(text, Number.POSITIVE_INFINITY, HOUR_MS),
      'must be an ISO 8601 duration of PT1H or more, such as P1D',
    )
    .optional()
    .describe('The interval of scheduled backups, such as P1D; default: none.'),
  TIDEMARK_BACKUP_OF: z
    .enum(['configuration', 'everything'])
    .default('everything')
    .describe('Content of scheduled backups: `everything`, or `configuration` without histories and files.'),
  TIDEMARK_BACKUP_KEEP: wholeNumber(1, 1_000)
    .default(7)
    .describe('Number of scheduled backups that are kept, 1 to 1000.'),
  TIDEMARK_BACKUP_PASSPHRASE: z
    .string()
    .min(12, 'must have at least 12 characters')
    .max(256)
    .optional()
    .describe('Encrypts the secrets in backups; without it backups cannot be restored.'),
}

/** The schedule and the content of scheduled backups. */
export type BackupSettings = {
  readonly everyMs: number
  readonly isOfEverything: boolean
  readonly keep: number
  readonly passphrase: string
}

const schema = z.object(backupVariables)

/** The settings of scheduled backups; null without an interval. @throws {RangeError} without a passphrase for them */
export function backupSettingsOf(values: z.output<typeof schema>): BackupSettings | null {
  const { TIDEMARK_BACKUP_EVERY: every, TIDEMARK_BACKUP_PASSPHRASE: passphrase } = values
  if (every === undefined) return null
  if (passphrase === undefined) throw unusable(['TIDEMARK_BACKUP_EVERY requires TIDEMARK_BACKUP_PASSPHRASE.'])
  return {
    everyMs: durationMs(every),
    isOfEverything: values.TIDEMARK_BACKUP_OF === 'everything',
    keep: values.TIDEMARK_BACKUP_KEEP,
    passphrase,
  }
}
