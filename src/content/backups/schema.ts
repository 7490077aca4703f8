import * as z from 'zod'
import { flagQuery } from '../../http/openapi-answers.ts'

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
  histories: z.boolean().default(true).describe('With the values of jobs, states, alarms and the audit log.'),
  files: z.boolean().default(true).describe('With uploaded files.'),
})

export const listQuery = z.object({
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_MAX),
  cursor: z.string().max(4096).optional().describe('From the Link header of the page before.'),
})

export const restoreBody = z.strictObject({
  passphrase,
  replace: z.boolean().default(false).describe('Also where there is something already: all of it goes.'),
  dryRun: z.boolean().default(false).describe('Answers what would change, and changes nothing.'),
  objects: z
    .array(z.int().positive())
    .min(1)
    .max(OBJECTS_MAX)
    .optional()
    .describe('Restores these deleted objects alone, with everything below them.'),
  withoutHistories: z
    .boolean()
    .default(false)
    .describe(
      'With `objects`: accepts a backup without histories, from which they come back without values and states.',
    ),
})

const objectsQuery = z
  .string()
  .regex(/^[1-9]\d{0,14}(?:,[1-9]\d{0,14}){0,999}$/, 'must be ids with commas between, 1,000 at most')
  .transform((text) => text.split(',').map(Number))
  .meta({ type: 'string' })

export const restoreQuery = z.object({
  replace: flagQuery.default(false).describe('Also where there is something already: all of it goes.'),
  dryRun: flagQuery.default(false).describe('Answers what would change, and changes nothing.'),
  objects: objectsQuery.optional().describe('Restores these deleted objects alone: ids with commas between.'),
  withoutHistories: flagQuery
    .default(false)
    .describe(
      'With `objects`: accepts a backup without histories, from which they come back without values and states.',
    ),
})

export const backupView = z
  .object({
    id: z.int(),
    createdAt: z.iso.datetime({ offset: true }),
    madeAt: z.iso.datetime({ offset: true }).describe('When what is in it was so.'),
    origin: z.enum(['asked', 'scheduled']),
    release: z.string(),
    histories: z.boolean(),
    files: z.boolean(),
    size: z.int().describe('Bytes.'),
    digest: z.string().describe('The last link of its chain of SHA-256 digests.'),
    url: z.string().describe('The path of its bytes.'),
  })
  .meta({ id: 'Backup' })

export const restoreView = z
  .object({
    restored: z.boolean().describe('False after a dry run.'),
    needsReplace: z
      .boolean()
      .describe(
        'True where the installation is not empty: a restore of everything deletes its data and takes `replace`.',
      ),
    madeAt: z.iso.datetime({ offset: true }),
    release: z.string(),
    histories: z.boolean(),
    files: z.boolean(),
    tables: z.array(
      z.object({
        name: z.string(),
        rows: z.int().describe('In the backup, or of the objects that are restored.'),
        rowsBefore: z.int().describe('Here, before anything was restored.'),
      }),
    ),
    jobs: z.int().describe('Jobs with what they have received.'),
    fileCount: z.int(),
    objects: z
      .array(z.object({ id: z.int(), type: z.string(), name: z.string() }))
      .describe('Which objects come back, where some were asked for.'),
    dropped: z
      .array(z.object({ table: z.string(), objectId: z.int(), detail: z.string() }))
      .describe('What belonged to them and refers to something that is not there any more.'),
  })
  .meta({ id: 'Restore' })

export type BackupBody = z.infer<typeof backupBody>
export type ListQuery = z.infer<typeof listQuery>
export type RestoreBody = z.infer<typeof restoreBody>
export type BackupView = z.infer<typeof backupView>
export type RestoreView = z.infer<typeof restoreView>
