import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { idParam } from '../../http/openapi-answers.ts'
import { jsonField } from '../../http/text-schemas.ts'
import { pageLimit } from '../../http/paging.ts'
import { PARAMETERS_MAX } from '../../ports/scripts.ts'
import { ISOLATIONS } from '../../domain/isolation.ts'
import { RUN_STATES } from '../../domain/run-state.ts'
import { ARGUMENT_SHOWN_MAX, ARGUMENTS_SHOWN } from './arguments.ts'

export const RUN_BODY_MAX_BYTES = 128 * 1024
const ARGUMENTS_MAX = 100
const ARGUMENT_MAX = 4_096
const LIST_MAX = 100
const LATEST_MAX = 100
const LINES_MAX = 1_000

export const TRIGGERS = ['manual', 'schedule', 'webhook', 'dataSource', 'alarm', 'dashboard'] as const

/** A run by its name. */
export const JOB_ID = /^j_[0-9A-HJKMNP-TV-Z]{26}$/

/** A script by its id or its name. */
const script = z.string().min(1).max(255)
export const scriptPath = z.object({ script })
export const jobPath = z.object({ script, jobId: z.string().regex(JOB_ID) })
export const outputPath = jobPath.extend({ name: z.string().min(1).max(1_024) })

const configurationId = z.int().min(1).nullable()

const fields = {
  runConfigurationId: configurationId
    .default(null)
    .describe("The run configuration. Null: the default one, or the script's own settings if it has none."),
  arguments: z
    .array(z.string().max(ARGUMENT_MAX))
    .max(ARGUMENTS_MAX)
    .nullable()
    .default(null)
    .describe('Replaces the arguments of the run configuration.'),
  parameters: z
    .record(z.string().max(255), z.json())
    .default({})
    .refine(
      (all) => JSON.stringify(all).length <= PARAMETERS_MAX,
      'must have at most 65,536 characters as JSON',
    )
    .describe('The JSON that the script finds in SVC_PARAMETERS.'),
}

/** How a script is to be run. */
export const runBody = z.strictObject(fields)

/** The order of a run as the fields of a form. */
export const runForm = z.strictObject({
  runConfigurationId: z
    .string()
    .regex(/^(?:[1-9]\d{0,14})?$/, 'must be an id')
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(configurationId)
    .optional(),
  arguments: jsonField(fields.arguments).optional(),
  parameters: jsonField(fields.parameters).optional(),
})

export const jobsQuery = z.object({
  runConfigurationId: z
    .union([z.literal('default').transform(() => 0), idParam])
    .optional()
    .describe('A run configuration; `default` for runs of a script without run configurations.'),
  state: z.enum(RUN_STATES).optional(),
  before: z.string().regex(JOB_ID).optional().describe('Only runs that were ordered before this one.'),
  limit: pageLimit(LIST_MAX).default(50),
})

export const statusQuery = z.object({
  maxCount: z.coerce
    .number()
    .int()
    .min(1)
    .max(LATEST_MAX)
    .default(1)
    .describe('Number of runs of each run configuration.'),
})

export const logQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0).describe('Only lines after this one.'),
  limit: pageLimit(LINES_MAX).default(200),
  follow: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({ type: 'boolean' })
    .describe('With true, or `Accept: text/event-stream`, the log is streamed until the run ends.'),
})

export const jobView = z
  .object({
    id: z.string(),
    scriptId: z.int(),
    runConfigurationId: z.int().nullable().describe('The run configuration; null if the script had none.'),
    runConfiguration: z.string().describe('The name of the run configuration at the time of the run.'),
    arguments: z
      .array(z.string().max(ARGUMENT_SHOWN_MAX))
      .max(ARGUMENTS_SHOWN)
      .nullable()
      .describe(
        `The arguments of the run, with \`***\` in place of secrets; the first ${ARGUMENTS_SHOWN}, of at most ${ARGUMENT_SHOWN_MAX} characters each. While the run waits without arguments of its own, the arguments of its run configuration at the time of the order. Null for runs of releases that did not record them.`,
      ),
    trigger: z.enum(TRIGGERS),
    userId: z.int().nullable(),
    user: z.string().nullable().describe('The user who ordered the run; null if the user was deleted.'),
    rightsOf: z
      .array(z.int())
      .nullable()
      .describe(
        'The users who limit the rights of the script: it can do what all of them can do. Null until a runner has the run.',
      ),
    state: z.enum(RUN_STATES),
    waitingFor: z
      .string()
      .nullable()
      .describe('`no runner takes jobs` if the run waits and no runner accepts runs; null otherwise.'),
    attempt: z
      .int()
      .describe('The attempt, from 1; increased if a runner was lost and the run was repeated.'),
    exitCode: z
      .int()
      .nullable()
      .describe('The exit code of the process; null if the process has not ended or has none.'),
    progress: z.object({
      value: z.number().nullable().describe('The progress, from 0 to 1; null if the script reports none.'),
      message: z.string().nullable(),
    }),
    isolation: z.enum(ISOLATIONS).nullable().describe('How strongly the run was isolated, best first.'),
    cancelRequested: z.boolean(),
    queuedAt: timestamp,
    startedAt: timestamp.nullable(),
    finishedAt: timestamp.nullable(),
    durationMs: z
      .int()
      .nullable()
      .describe('From `startedAt` to `finishedAt`, in milliseconds; null until both are known.'),
    runner: z.string().nullable(),
    log: z.object({
      lines: z.int().describe('The number of lines that the run has written.'),
      dropped: z
        .int()
        .describe('The number of lines that were dropped: a log keeps its first 100 and its last 900 lines.'),
    }),
    outputs: z.array(
      z.object({
        name: z.string(),
        size: z.int().describe('In bytes.'),
        mimeType: z.string(),
        url: z.string(),
      }),
    ),
    report: z
      .object({
        jobId: z.int(),
        state: z
          .string()
          .nullable()
          .describe(
            '`due`, `delivered`, or the code of the refusal; null until the run ends, and for cancelled runs.',
          ),
      })
      .nullable()
      .describe('The webhook job that gets the result of the run.'),
    error: z.string().nullable(),
  })
  .meta({ id: 'ScriptJob' })

export const statusView = z.array(
  z.object({
    runConfigurationId: z.int().nullable(),
    name: z.string(),
    jobs: z.array(jobView),
  }),
)

export const logView = z.object({
  offset: z.int().describe('The last line of this page; the next page begins after it.'),
  completed: z.boolean().describe('True if the log is complete and this is its last page.'),
  lines: z.array(
    z.object({
      n: z.int().describe('The number of the line in the log, from 1.'),
      at: timestamp,
      stream: z.enum(['stdout', 'stderr', 'system']),
      text: z.string(),
    }),
  ),
  dropped: z
    .int()
    .describe('Number of lines that were dropped: a log keeps its first 100 and its last 900 lines.'),
})

export const deletedView = z.object({ deleted: z.int() })

export type RunBody = z.output<typeof runBody>
export type JobsQuery = z.output<typeof jobsQuery>
export type LogQuery = z.output<typeof logQuery>
export type JobView = z.infer<typeof jobView>
export type StatusView = z.infer<typeof statusView>
export type LogView = z.infer<typeof logView>
export type Trigger = (typeof TRIGGERS)[number]
