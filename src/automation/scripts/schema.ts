import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'
import { RUN_STATES } from '../../domain/run-state.ts'
import { RUN_TYPES } from './accepted-files.ts'
import { DEPENDENCY_MANAGERS, RUNNER_KINDS, WARNINGS } from './detection.ts'

export const LIMIT_MAX = 1_000
const DESCRIPTION_MAX = 4_000
/** 30 days. */
const TIMEOUT_MAX_S = 30 * 24 * 3_600

/** Path segments that stand in the place of a script's name. */
const PLACES = ['groups', 'mimetypes', 'export', 'upload-zip', 'webhook', 'codeGenerator']

/** An id, or a name; digits alone are an id. */
export const scriptPath = z.object({ script: z.string().min(1).max(255) })

export const scriptName = composedName
  .refine(
    (text) => !/^\d+$/.test(text),
    'must not be a number, because paths accept the id or the name of a script',
  )
  .refine((text) => !PLACES.includes(text), 'is reserved in paths')
  .refine((text) => !/^\.{1,2}$/.test(text), 'must not be . or ..')

export const timeoutSchema = z.int().min(0).max(TIMEOUT_MAX_S)

const dependentsView = z
  .object({
    count: z.int(),
    widgets: z.array(z.object({ dashboardId: z.int(), widgetId: z.string(), name: z.string() })),
    dataSources: z.array(z.object({ dataSourceId: z.int(), table: z.string(), name: z.string() })),
    alarmRecipients: z.array(z.object({ recipientId: z.int(), name: z.string() })),
  })
  .describe('Objects that would stop working if the script were deleted; at most 100 are listed.')

const lastRunView = z.object({
  id: z.string(),
  state: z.enum(RUN_STATES),
  queuedAt: timestamp,
  startedAt: timestamp.nullable(),
  finishedAt: timestamp.nullable(),
})

/** The settings of a script beside its configurations. */
export const settingsShape = {
  name: scriptName,
  description: storableText.max(DESCRIPTION_MAX).default(''),
  groupId: z
    .int()
    .positive()
    .optional()
    .describe('The group. Absent: unchanged; for a new script the group `Default`.'),
  timeout: timeoutSchema.default(0).describe('The time limit of a run in seconds; 0 for none.'),
  acceptedFiles: z
    .array(z.enum(RUN_TYPES))
    .max(RUN_TYPES.length)
    .transform((types) => [...new Set(types)])
    .default([...RUN_TYPES])
    .describe('The MIME types of files that a run can get.'),
}

/** The read-only fields, accepted so that a read can be sent back. */
const ignored = Object.fromEntries(
  [
    'id',
    'runner',
    'runnerFile',
    'dependencyManager',
    'dependencyFile',
    'dependents',
    'lastRun',
    'warnings',
    'filesChangedBy',
    'createdAt',
    'updatedAt',
  ].map((name) => [name, shownOnly]),
)

export const scriptBody = z.strictObject({ ...ignored, ...settingsShape })

export const scriptView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    groupId: z.int(),
    timeout: z.int().describe('The time limit of a run in seconds; 0 for none.'),
    runner: z.enum(RUNNER_KINDS).nullable(),
    runnerFile: z.string().nullable().describe('The path of the entry point.'),
    dependencyManager: z.enum(DEPENDENCY_MANAGERS),
    dependencyFile: z.string().nullable().describe('The path of the file that lists the dependencies.'),
    acceptedFiles: z.array(z.enum(RUN_TYPES)),
    dependents: dependentsView,
    lastRun: lastRunView
      .nullable()
      .describe('The run that was ordered last; null if the script has no runs.'),
    warnings: z.array(z.enum(WARNINGS)),
    filesChangedBy: z
      .int()
      .nullable()
      .describe('The user who last changed the files. Runs never have more rights than this user.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Script' })

export const listQuery = z.object({
  groupId: idParam.optional(),
  limit: pageLimit(LIMIT_MAX).optional().describe('Number of scripts in a page; all scripts if absent.'),
  cursor: linkCursor,
})

export type ScriptBody = z.output<z.ZodObject<typeof settingsShape>>
export type ScriptView = z.output<typeof scriptView>
export type ListQuery = z.output<typeof listQuery>
