import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { ISOLATIONS } from './protocol.ts'
import { RUN_STATES } from './run.ts'

export const RUN_BODY_MAX_BYTES = 128 * 1024
const ARGUMENTS_MAX = 100
const ARGUMENT_MAX = 4_096
/** As JSON they become a variable of the environment. */
export const PARAMETERS_MAX = 64 * 1024
const LIST_MAX = 100
const LATEST_MAX = 100
const LINES_MAX = 1_000

export const TRIGGERS = ['manual', 'schedule', 'webhook', 'dataSource', 'alarm'] as const

/** A run by its name. */
const JOB_ID = /^j_[0-9A-HJKMNP-TV-Z]{26}$/

/** A script by its id or its name. */
const script = z.string().min(1).max(255)
export const scriptPath = z.object({ script })
export const jobPath = z.object({ script, jobId: z.string().regex(JOB_ID) })
export const outputPath = jobPath.extend({ name: z.string().min(1).max(1_024) })

const configurationId = z.int().min(1).nullable()

const fields = {
  runConfigurationId: configurationId
    .default(null)
    .describe('Null takes the default one, or that of a script without any.'),
  arguments: z
    .array(z.string().max(ARGUMENT_MAX))
    .max(ARGUMENTS_MAX)
    .nullable()
    .default(null)
    .describe('In place of those of the run configuration.'),
  parameters: z
    .record(z.string().max(255), z.json())
    .default({})
    .refine((all) => JSON.stringify(all).length <= PARAMETERS_MAX, 'has more than 65,536 characters as JSON')
    .describe('What the script finds as JSON in SVC_PARAMETERS.'),
}

/** How a script is to be run. */
export const runBody = z.strictObject(fields)

/** The same as the fields of a form. */
export const runForm = z.strictObject({
  runConfigurationId: z
    .string()
    .regex(/^(?:[1-9]\d{0,14})?$/, 'must be an id')
    .transform((text) => (text === '' ? null : Number(text)))
    .pipe(configurationId)
    .optional(),
  arguments: parsed(fields.arguments).optional(),
  parameters: parsed(fields.parameters).optional(),
})

function parsed<S extends z.ZodType>(schema: S) {
  return z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text) as unknown
      } catch {
        context.addIssue({ code: 'custom', message: 'must be JSON' })
        return z.NEVER
      }
    })
    .pipe(schema)
}

export const jobsQuery = z.object({
  runConfigurationId: z
    .union([z.literal('default').transform(() => 0), idParam])
    .optional()
    .describe('`default` for runs of a script without run configurations.'),
  state: z.enum(RUN_STATES).optional(),
  before: z.string().regex(JOB_ID).optional().describe('Only jobs that were ordered before this one.'),
  limit: z.coerce.number().int().min(1).max(LIST_MAX).default(50),
})

export const statusQuery = z.object({
  maxCount: z.coerce
    .number()
    .int()
    .min(1)
    .max(LATEST_MAX)
    .default(1)
    .describe('Jobs of each run configuration.'),
})

export const logQuery = z.object({
  offset: z.coerce.number().int().min(0).default(0).describe('Lines after this one.'),
  limit: z.coerce.number().int().min(1).max(LINES_MAX).default(200),
  follow: z
    .enum(['true', 'false'])
    .transform((text) => text === 'true')
    .default(false)
    .meta({ type: 'boolean' })
    .describe('True, or `Accept: text/event-stream`: a stream that goes on until the job has ended.'),
})

const instant = z.iso.datetime({ offset: true })

export const jobView = z
  .object({
    id: z.string(),
    scriptId: z.int(),
    runConfigurationId: z.int().nullable().describe('Null where the script had none.'),
    runConfiguration: z.string().describe('What it was called then.'),
    trigger: z.enum(TRIGGERS),
    userId: z.int().nullable(),
    user: z.string().nullable().describe('In whose name; null once that user is gone.'),
    rightsOf: z
      .array(z.int())
      .nullable()
      .describe(
        'The users whose rights its script has: what all of them may do. Null until a runner has it.',
      ),
    state: z.enum(RUN_STATES),
    waitingFor: z
      .string()
      .nullable()
      .describe('`no runner takes jobs` while it waits and none does; else null.'),
    attempt: z.int().describe('From 1; more where a runner was lost and it was tried again.'),
    exitCode: z.int().nullable(),
    progress: z.object({ value: z.number().nullable(), message: z.string().nullable() }),
    isolation: z
      .enum(ISOLATIONS)
      .nullable()
      .describe('How it was kept apart from everything else, best first.'),
    cancelRequested: z.boolean(),
    queuedAt: instant,
    startedAt: instant.nullable(),
    finishedAt: instant.nullable(),
    durationMs: z.int().nullable(),
    runner: z.string().nullable(),
    log: z.object({ lines: z.int(), dropped: z.int() }),
    outputs: z.array(z.object({ name: z.string(), size: z.int(), mimeType: z.string(), url: z.string() })),
    report: z
      .object({
        jobId: z.int(),
        state: z
          .string()
          .nullable()
          .describe(
            '`due`, `delivered`, or the code of the refusal; null until it ends, and for one that was cancelled.',
          ),
      })
      .nullable()
      .describe('The webhook job that its end is delivered to.'),
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
  offset: z.int().describe('The last line of this page; the next one begins after it.'),
  completed: z.boolean().describe('Whether there will be no more lines, and none is left.'),
  lines: z.array(
    z.object({
      n: z.int(),
      at: instant,
      stream: z.enum(['stdout', 'stderr', 'system']),
      text: z.string(),
    }),
  ),
  dropped: z.int().describe('Lines that are not kept: of a log its first 100 and its last 900 are.'),
})

export const deletedView = z.object({ deleted: z.int() })

export type RunBody = z.output<typeof runBody>
export type JobsQuery = z.output<typeof jobsQuery>
export type LogQuery = z.output<typeof logQuery>
export type JobView = z.infer<typeof jobView>
export type StatusView = z.infer<typeof statusView>
export type LogView = z.infer<typeof logView>
export type Trigger = (typeof TRIGGERS)[number]
