import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { idParam, shownOnly } from '../../../http/openapi-answers.ts'
import { composedName, storableText } from '../../../http/text-schemas.ts'
import { timeoutSchema } from '../schema.ts'

/** The maximum number of run configurations of a script. */
export const CONFIGURATIONS_MAX = 100
const ARGUMENTS_MAX = 100
const ARGUMENT_MAX = 4_096
const VARIABLES_MAX = 100
const VALUE_MAX = 16_384
const LABELS_MAX = 16
const RETRIES_MAX = 10
const TARGETS_MAX = 50
const PATTERNS_MAX = 20

/** An argument or the value of a variable: any text that a program can receive. */
const given = (max: number) => storableText.max(max)

const variableName = z
  .string()
  .max(128)
  .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'must be a name of letters, digits and underscores')
  .refine((name) => name !== '__proto__', 'is reserved')
  .refine(
    (name) => !name.startsWith('SVC_'),
    "must not begin with SVC_, the prefix of the service's own variables",
  )

const variable = z.strictObject({
  key: variableName,
  value: given(VALUE_MAX).optional().describe('The value. Absent, for an existing secret: unchanged.'),
  secret: z
    .boolean()
    .default(false)
    .describe('Whether the value is never shown again. Names like password, token or key are always secret.'),
  valueSet: shownOnly,
})

/** A host and a port: `db.example.org:5432`, `192.0.2.7:80`, `[2001:db8::1]:443`. */
const target = z
  .string()
  .max(260)
  .regex(
    /^(?:[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]):(?:[1-9]\d{0,3}|[1-5]\d{4}|6[0-4]\d{3}|65[0-4]\d\d|655[0-2]\d|6553[0-5])$/,
    'must be a host and a port, such as db.example.org:5432',
  )

const pattern = storableText
  .min(1)
  .max(1_024)
  .refine((text) => !text.split('/').includes('..') && !text.includes('\\'), 'must not contain ..')

const reportTo = z
  .strictObject({ jobId: z.int().positive() })
  .describe(
    'The webhook job that gets the result of each run: its error code (0, the exit code of the script, 124 after a timeout, otherwise 1), and its duration in seconds as returnValue1 if the job defines that value. The caller, and everyone who orders a run, needs the execute right on the job.',
  )

const base = {
  id: z.int().optional(),
  changedBy: shownOnly,
  createdAt: shownOnly,
  updatedAt: shownOnly,
  name: composedName,
  isDefault: z
    .boolean()
    .default(false)
    .describe(
      'Whether runs use this configuration if none is named. The first one is the default until another one becomes it.',
    ),
  timeout: timeoutSchema
    .nullable()
    .default(null)
    .describe('The time limit in seconds; 0 for none, null for the limit of the script.'),
  arguments: z.array(given(ARGUMENT_MAX)).max(ARGUMENTS_MAX).default([]),
  concurrency: z
    .enum(['queue', 'skip', 'cancel_previous'])
    .default('queue')
    .describe(
      'The treatment of a run that is ordered while another run of this configuration waits or runs.',
    ),
  retries: z
    .int()
    .min(0)
    .max(RETRIES_MAX)
    .default(0)
    .describe('How often a run is repeated after its runner was lost.'),
  runnerLabels: z
    .array(z.string().regex(/^[\w.:-]{1,64}$/, 'must be a word'))
    .max(LABELS_MAX)
    .default([])
    .describe('Labels that a runner must have, all of them.'),
  envVariables: z
    .array(variable)
    .max(VARIABLES_MAX)
    .default([])
    .superRefine((list, issues) => {
      const keys = new Set<string>()
      for (const [index, { key }] of list.entries()) {
        if (keys.has(key))
          issues.addIssue({ code: 'custom', path: [index, 'key'], message: 'must not be repeated' })
        keys.add(key)
      }
    }),
  reportTo: reportTo.nullable().default(null),
  network: z
    .array(target)
    .max(TARGETS_MAX)
    .default([])
    .describe('Hosts that the script can reach besides the service, as host:port.'),
}

const access = z
  .enum(['read', 'write'])
  .default('read')
  .describe('The access that the script gets. A read-only data source allows `read` only.')

const database = z.strictObject({ dataSourceId: z.int().positive(), access })

const filesystem = z.strictObject({
  paths: z
    .array(pattern)
    .min(1)
    .max(PATTERNS_MAX)
    .describe('Patterns of files in the directories that the runner opens, such as in/*.csv.'),
})

/** Where `kind` says nothing of them. */
const none = z.null().optional()

const bodyWith = <Database extends z.ZodType>(named: Database) =>
  z.discriminatedUnion('kind', [
    z.strictObject({
      ...base,
      kind: z.literal('standard').default('standard'),
      database: none,
      filesystem: none,
    }),
    z.strictObject({ ...base, kind: z.literal('database'), database: named, filesystem: none }),
    z.strictObject({ ...base, kind: z.literal('filesystem'), database: none, filesystem }),
  ])

export const runConfigurationBody = bodyWith(database)

/** A run configuration as it comes from elsewhere, where an id means nothing: it names its data source, or null for one that
 * was gone. */
export const incomingRunConfiguration = bodyWith(
  z.strictObject({ dataSource: composedName.nullable(), access }),
)

export const runConfigurationView = z
  .object({
    id: z.int(),
    name: z.string(),
    isDefault: z.boolean(),
    timeout: z
      .int()
      .nullable()
      .describe('The time limit in seconds; 0 for none, null for the limit of the script.'),
    kind: z.enum(['standard', 'database', 'filesystem']),
    arguments: z.array(z.string()),
    concurrency: z.enum(['queue', 'skip', 'cancel_previous']),
    retries: z.int().describe('How often a run is repeated after its runner was lost.'),
    runnerLabels: z.array(z.string()),
    envVariables: z.array(
      z.union([
        z.object({ key: z.string(), secret: z.literal(true), valueSet: z.boolean() }),
        z.object({ key: z.string(), value: z.string() }),
      ]),
    ),
    reportTo: reportTo.nullable(),
    network: z.array(z.string()),
    database: database.nullable(),
    filesystem: filesystem.nullable(),
    changedBy: z
      .int()
      .nullable()
      .describe('The user who last changed the configuration. Runs never have more rights than this user.'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'RunConfiguration' })

export const runConfigurationPath = z.object({ script: z.string().min(1).max(255), id: idParam })

export type RunConfigurationBody = z.output<typeof runConfigurationBody>
export type IncomingRunConfiguration = z.output<typeof incomingRunConfiguration>
export type RunConfigurationView = z.output<typeof runConfigurationView>

/** The run configuration of a run. */
export const chosenConfiguration = z
  .int()
  .positive()
  .nullable()
  .default(null)
  .describe("The run configuration; null for the script's default at the time of the run.")

/** The stored part of a configuration beside its columns: a secret by its name alone. */
export type Rules = Pick<
  RunConfigurationView,
  | 'kind'
  | 'arguments'
  | 'concurrency'
  | 'retries'
  | 'runnerLabels'
  | 'reportTo'
  | 'network'
  | 'database'
  | 'filesystem'
> & { readonly envVariables: readonly Variable[] }

/** A variable as it is kept. */
export type Variable =
  | { readonly key: string; readonly value: string }
  | { readonly key: string; readonly secret: true }
