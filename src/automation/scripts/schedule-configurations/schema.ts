import * as z from 'zod'
import { idParam, shownOnly } from '../../../http/openapi-answers.ts'
import { isTimeZone } from '../../../lib/time.ts'
import { composedName } from '../../../monitoring/tree/schema.ts'
import { chosenConfiguration } from '../run-configurations/schema.ts'

/** How many a script has at most. */
export const SCHEDULES_MAX = 100
const MISFIRES = ['skip', 'run_once'] as const

const timeZone = z.string().max(64).refine(isTimeZone, 'is not a known time zone')

export const scheduleConfigurationBody = z.strictObject({
  id: z.int().optional(),
  nextRuns: shownOnly,
  last: shownOnly,
  userId: shownOnly,
  problem: shownOnly,
  createdAt: shownOnly,
  updatedAt: shownOnly,
  name: composedName,
  enabled: z.boolean().default(true),
  cron: z
    .string()
    .max(255)
    .describe(
      'Five fields, or a name such as @daily. Where the clock is changed, a time of day that is named comes once a day: what is left out when the clock goes on, what is there twice the first time. What has * or / in minutes or hours follows the clock.',
    ),
  timeZone: timeZone.optional().describe('Absent: that of the service.'),
  runConfigurationId: chosenConfiguration,
  misfire: z
    .enum(MISFIRES)
    .default('skip')
    .describe('What becomes of what was due while nobody could run it: nothing, or one run for all of it.'),
})

export const scheduleConfigurationView = z
  .object({
    id: z.int(),
    name: z.string(),
    enabled: z.boolean().describe('False also while its user is gone or may not run scripts: see `problem`.'),
    cron: z.string(),
    timeZone: z.string(),
    runConfigurationId: z.int().nullable(),
    misfire: z.enum(MISFIRES),
    userId: z
      .int()
      .nullable()
      .describe('In whose name it runs; null when that user is gone: then it does not.'),
    problem: z.string().nullable().describe('Why it does not run, and what to do; null for nothing.'),
    nextRuns: z
      .array(z.iso.datetime({ offset: true }))
      .describe('The next five; none while it is not enabled.'),
    last: z
      .object({ at: z.iso.datetime({ offset: true }), result: z.string() })
      .nullable()
      .describe(
        'When it was due last, and what became of that: `ordered`, `missed`, or the code of what was in the way.',
      ),
    createdAt: z.iso.datetime({ offset: true }),
    updatedAt: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'ScheduleConfiguration' })

export const scheduleConfigurationPath = z.object({ script: z.string().min(1).max(255), id: idParam })

export type ScheduleConfigurationBody = z.output<typeof scheduleConfigurationBody>
export type ScheduleConfigurationView = z.output<typeof scheduleConfigurationView>
