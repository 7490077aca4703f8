import * as z from 'zod'
import { idParam, shownOnly } from '../../http/openapi-answers.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { hostOf } from './host.ts'

const DESCRIPTION_MAX = 4_000
const HOST_MAX = 253
const WORD_MAX = 128
const PASSWORD_MAX = 1_024
const PORT_MAX = 65_535
const TIMEOUT_MAX_MS = 3_600_000

export const SOURCE_TYPES = ['postgresql', 'mysql'] as const
export const TLS_MODES = ['disable', 'require', 'verify-full'] as const

/** What databases, schemas and users are called. */
const word = storableText
  .min(1)
  .max(WORD_MAX)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')

const tls = z
  .enum(TLS_MODES)
  .describe(
    'Whether connections are encrypted; `verify-full` also checks that the certificate belongs to the host.',
  )

const reached = (port: number) => ({
  host: z
    .string()
    .max(HOST_MAX)
    .refine((text) => hostOf(text) !== null, 'must be a host name or an IP address')
    .overwrite((text) => hostOf(text) ?? text)
    .describe('A host name or an IP address; an IPv6 address has no brackets.'),
  port: z.int().min(1).max(PORT_MAX).default(port),
  database: word,
  user: word,
  password: storableText
    .min(1)
    .max(PASSWORD_MAX)
    .nullable()
    .optional()
    .describe('The password, which is never shown again. Absent: unchanged; null: none.'),
  passwordSet: shownOnly,
  tls: tls.default('verify-full'),
})

const base = {
  id: shownOnly,
  createdAt: shownOnly,
  updatedAt: shownOnly,
  name: composedName,
  description: storableText.max(DESCRIPTION_MAX).default(''),
  readOnly: z.boolean().default(true).describe('Whether scripts can only get read access.'),
  timeout: z
    .string()
    .max(64)
    .refine(
      (text) => isFixedDuration(text, TIMEOUT_MAX_MS),
      'must be an ISO 8601 duration of at most an hour',
    )
    .default('PT30S')
    .meta({ format: 'duration' })
    .describe('The time limit of one statement; PT0S for none.'),
}

const schema = word
  .nullable()
  .default(null)
  .describe('The schema in which tables are looked up; null for the default of the database user.')

export const dataSourceBody = z.discriminatedUnion('type', [
  z.strictObject({
    ...base,
    type: z.literal('postgresql'),
    connection: z.strictObject({ ...reached(5_432), schema }),
  }),
  z.strictObject({
    ...base,
    type: z.literal('mysql'),
    connection: z.strictObject({
      ...reached(3_306),
      schema: z.null().default(null).describe('The name of the database (MySQL calls it a schema).'),
    }),
  }),
])

const connectionView = z.object({
  host: z.string(),
  port: z.int(),
  database: z.string(),
  schema: z.string().nullable(),
  user: z.string(),
  passwordSet: z.boolean(),
  tls,
})

export const dataSourceView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    type: z.enum(SOURCE_TYPES),
    readOnly: z.boolean(),
    timeout: z.string(),
    connection: connectionView,
    createdAt: z.iso.datetime({ offset: true }),
    updatedAt: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'DataSource' })

export const dataSourcePath = z.object({ id: idParam })

export type DataSourceBody = z.output<typeof dataSourceBody>
export type DataSourceView = z.output<typeof dataSourceView>

/** How a data source is reached, but for its password. */
export type Connection = Omit<DataSourceView['connection'], 'passwordSet'>
