import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'

export const FAILURES_SHOWN_MAX = 100

const count = z.int().nonnegative()

export const syncReport = z
  .object({
    beganAt: timestamp,
    endedAt: timestamp,
    created: count.describe('Users that were created.'),
    updated: count.describe('Users that were changed, including users that are enabled again.'),
    disabled: count.describe('Users that were disabled because they left the directory.'),
    unchanged: count.describe('Users that needed no change.'),
    failed: count.describe('Entries that were skipped; see `failures`.'),
    failures: z
      .array(z.object({ name: z.string(), message: z.string() }))
      .describe(`Entries that were skipped, with the reason; at most ${FAILURES_SHOWN_MAX}.`),
    problem: z.string().nullable().describe('Why the sync did nothing or only a part; null if it completed.'),
  })
  .meta({ id: 'DirectorySync' })

export type SyncReport = z.infer<typeof syncReport>
