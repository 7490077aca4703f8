import * as z from 'zod'

export const FAILURES_SHOWN_MAX = 100

const count = z.int().nonnegative()

export const syncReport = z
  .object({
    beganAt: z.iso.datetime({ offset: true }),
    endedAt: z.iso.datetime({ offset: true }),
    created: count,
    updated: count.describe('Those who are back count as well.'),
    disabled: count,
    unchanged: count.describe('People for whom there was nothing to do.'),
    failed: count,
    failures: z
      .array(z.object({ name: z.string(), message: z.string() }))
      .describe(`What was left as it is, and why: ${FAILURES_SHOWN_MAX} at most.`),
    problem: z.string().nullable().describe('Why nothing, or not everything, was done; null where it was.'),
  })
  .meta({ id: 'DirectorySync' })

export type SyncReport = z.infer<typeof syncReport>
