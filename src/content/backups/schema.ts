import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { flagQuery } from '../../http/openapi-answers.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'

const LIMIT_MAX = 1_000
const OBJECTS_MAX = 1_000
const PASSPHRASE_MIN = 12
const PASSPHRASE_MAX = 256

export const passphrase = z
  .string()
  .refine(
    (text) => text.length >= PASSPHRASE_MIN && text.length <= PASSPHRASE_MAX,
    `must have ${PASSPHRASE_MIN} to ${PASSPHRASE_MAX} characters`,
  )
  .meta({ minLength: PASSPHRASE_MIN, maxLength: PASSPHRASE_MAX })
  .describe('Encrypts the secrets in the backup; without it the backup cannot be restored.')

export const backupBody = z.strictObject({
  passphrase,
  histories: z
    .boolean()
    .default(true)
    .describe('Includes the values of jobs, state histories, alarms and the audit log.'),
  files: z.boolean().default(true).describe('Includes uploaded files.'),
})

export const listQuery = z.object({
  limit: pageLimit(LIMIT_MAX).default(LIMIT_MAX),
  cursor: linkCursor,
})

export const restoreBody = z.strictObject({
  passphrase,
  replace: z
    .boolean()
    .default(false)
    .describe('Also restores if the installation is not empty: deletes all its data first.'),
  dryRun: z.boolean().default(false).describe('Reports what would change, without changing anything.'),
  objects: z
    .array(z.int().positive())
    .min(1)
    .max(OBJECTS_MAX)
    .optional()
    .describe('Restores only these deleted objects, with everything below them.'),
  withoutHistories: z
    .boolean()
    .default(false)
    .describe(
      'With `objects`: accepts a backup without histories; the objects come back without values and states.',
    ),
})

const objectsQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}(?:,[1-9]\d{0,14}){0,999}$/, 'must be 1 to 1,000 comma-separated ids')
  .transform((text) => text.split(',').map(Number))
  .meta({ type: 'string' })

export const restoreQuery = z.object({
  replace: flagQuery
    .default(false)
    .describe('Also restores if the installation is not empty: deletes all its data first.'),
  dryRun: flagQuery.default(false).describe('Reports what would change, without changing anything.'),
  objects: objectsQuery
    .optional()
    .describe('Restores only these deleted objects, with everything below them: comma-separated ids.'),
  withoutHistories: flagQuery
    .default(false)
    .describe(
      'With `objects`: accepts a backup without histories; the objects come back without values and states.',
    ),
})

export const backupView = z
  .object({
    id: z.int(),
    createdAt: timestamp,
    madeAt: timestamp.describe('The instant whose data the backup contains.'),
    origin: z.enum(['asked', 'scheduled']),
    release: z.string(),
    histories: z.boolean(),
    files: z.boolean(),
    size: z.int().describe('Bytes.'),
    digest: z.string().describe("The last link of the backup's chain of SHA-256 digests."),
    url: z.string().describe('The path to download the backup.'),
  })
  .meta({ id: 'Backup' })

export const restoreView = z
  .object({
    restored: z.boolean().describe('False after a dry run.'),
    needsReplace: z
      .boolean()
      .describe(
        'True if the installation is not empty: restoring everything then requires `replace` and deletes its data.',
      ),
    madeAt: timestamp,
    release: z.string(),
    histories: z.boolean(),
    files: z.boolean(),
    tables: z.array(
      z.object({
        name: z.string(),
        rows: z.int().describe('Rows in the backup, or rows of the restored objects.'),
        rowsBefore: z.int().describe('Rows in this installation before the restore.'),
      }),
    ),
    jobs: z.int().describe('Number of jobs with value histories.'),
    fileCount: z.int().describe('Number of files in the backup.'),
    objects: z
      .array(z.object({ id: z.int(), type: z.string(), name: z.string() }))
      .describe('The restored objects, if only some were requested.'),
    dropped: z
      .array(z.object({ table: z.string(), objectId: z.int(), detail: z.string() }))
      .describe('Rows of the restored objects that were left out because they refer to deleted objects.'),
  })
  .meta({ id: 'Restore' })

export type BackupBody = z.infer<typeof backupBody>
export type ListQuery = z.infer<typeof listQuery>
export type RestoreBody = z.infer<typeof restoreBody>
export type BackupView = z.infer<typeof backupView>
export type RestoreView = z.infer<typeof restoreView>
