import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { idParam, shownOnly } from '../../../http/openapi-answers.ts'
import { composedName, timeZone } from '../../../http/text-schemas.ts'
import { chosenConfiguration } from '../run-configurations/schema.ts'

/** The greatest number of schedules of a script. */
export const SCHEDULES_MAX = 100
const MISFIRES = ['skip', 'run_once'] as const

const cron = z.string().max(255)
const zoneOfCron = timeZone
  .optional()
  .describe('The time zone of the expression. Absent: the time zone of the service.')

export const nextRunsQuery = z.object({
  cron: cron.describe('A cron expression of five fields, or a name such as @daily.'),
  timeZone: zoneOfCron,
})

export const nextRunsView = z.object({ nextRuns: z.array(timestamp).max(5) }).meta({ id: 'NextRuns' })

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
  cron: cron.describe(
    'A cron expression of five fields, or a name such as @daily. On DST changes a fixed time of day fires once: a skipped time fires when the clock jumps forward, a repeated time fires the first time. Expressions with * or / in minutes or hours follow the clock.',
  ),
  timeZone: zoneOfCron,
  runConfigurationId: chosenConfiguration,
  misfire: z
    .enum(MISFIRES)
    .default('skip')
    .describe(
      'How runs are handled that were due while the service was down: skip them, or order one run for all of them.',
    ),
})

export const scheduleConfigurationView = z
  .object({
    id: z.int(),
    name: z.string(),
    enabled: z
      .boolean()
      .describe("Also false while the schedule's user is deleted or may not run scripts; see `problem`."),
    cron: z.string(),
    timeZone: z.string(),
    runConfigurationId: z.int().nullable(),
    misfire: z.enum(MISFIRES),
    userId: z
      .int()
      .nullable()
      .describe('The user that the script runs as; null if the user was deleted, and then nothing runs.'),
    problem: z
      .string()
      .nullable()
      .describe('Why the schedule does not run, and what to do; null if it runs.'),
    nextRuns: z.array(timestamp).describe('The next five runs; empty while the schedule is disabled.'),
    last: z
      .object({ at: timestamp, result: z.string() })
      .nullable()
      .describe('The latest due time and its result: `ordered`, `missed`, or the code of the error.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'ScheduleConfiguration' })

export const scheduleConfigurationPath = z.object({ script: z.string().min(1).max(255), id: idParam })

export type NextRunsQuery = z.output<typeof nextRunsQuery>
export type ScheduleConfigurationBody = z.output<typeof scheduleConfigurationBody>
export type ScheduleConfigurationView = z.output<typeof scheduleConfigurationView>
