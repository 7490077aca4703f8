import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { COLUMN_TYPES } from '../../domain/table.ts'
import { idPath, shownOnly } from '../../http/openapi-answers.ts'
import { isFixedDuration } from '../../lib/duration.ts'
import { composedName, storableText } from '../../http/text-schemas.ts'
import { HOUR_MS } from '../../lib/time.ts'
import { isCertificates } from './certificates.ts'
import { hostOf } from './host.ts'
import { refreshState } from './refresh-view.ts'
import { annotations, columnName, comment, tableName } from './notes.ts'

const DESCRIPTION_MAX = 4_000
const HOST_MAX = 253
const WORD_MAX = 128
const PASSWORD_MAX = 1_024
const PORT_MAX = 65_535
const CA_MAX = 16_384
const CONNECTIONS_MAX = 60
const CONNECTIONS_DEFAULT = 10
/** The longest time limit of one statement. */
export const TIMEOUT_MAX_MS = HOUR_MS

/** The roles that read data. */
export const READERS = ['administrator', 'Data_Editor'] as const

export const SOURCE_TYPES = ['postgresql', 'mysql', 'csv'] as const
export type DatabaseType = Exclude<(typeof SOURCE_TYPES)[number], 'csv'>

/** Whether the tables of a source are imported from files; other sources are databases. */
export function isFileSource(type: (typeof SOURCE_TYPES)[number]): type is 'csv' {
  return type === 'csv'
}

export const SOURCES_MAX = 200

export const TLS_MODES = ['disable', 'require', 'verify-full'] as const

/** The name of a database, a schema or a user. */
const word = storableText
  .min(1)
  .max(WORD_MAX)
  .regex(/^\P{Cc}*$/u, 'must have no control characters')

const tls = z
  .enum(TLS_MODES)
  .describe(
    'Whether connections are encrypted; `verify-full` also checks that the certificate belongs to the host.',
  )

const ca = storableText
  .nullable()
  .describe(
    'The PEM certificates of the authorities that `verify-full` trusts in place of the public ones; null for these.',
  )

const maxConnections = z
  .int()
  .min(1)
  .max(CONNECTIONS_MAX)
  .describe('The number of connections that the service may have open at once; on Workers it has at most 4.')

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
    .describe(
      'The password, which is never shown again. Absent: unchanged, unless host, port or tls change; null: none.',
    ),
  passwordSet: shownOnly,
  tls: tls.default('verify-full'),
  ca: ca
    .refine(
      (text) => text === null || (text.length <= CA_MAX && isCertificates(text)),
      `must be PEM certificates and nothing else, of at most ${CA_MAX} characters`,
    )
    .default(null),
  maxConnections: maxConnections.default(CONNECTIONS_DEFAULT),
})

/** A connection whose certificates take part in its TLS. */
const coherent = <Fields extends z.ZodObject<{ tls: z.ZodType; ca: z.ZodType }>>(connection: Fields) =>
  connection.refine(({ tls: mode, ca: own }) => own === null || mode === 'verify-full', {
    path: ['ca'],
    error: 'must be null unless tls is verify-full',
  })

const base = {
  id: shownOnly,
  comment: shownOnly,
  annotations: shownOnly,
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

const scopeMode = z
  .enum(['filters', 'native'])
  .describe(
    '`native`: each statement for a user has the id of the user in the setting `tidemark.user_id`, for row security of the database. Scopes apply in both modes.',
  )

const postgresqlBody = z.strictObject({
  ...base,
  type: z.literal('postgresql'),
  scopeMode: scopeMode.default('filters'),
  connection: coherent(z.strictObject({ ...reached(5_432), schema })),
})

const mysqlBody = z.strictObject({
  ...base,
  type: z.literal('mysql'),
  scopeMode: z.literal('filters').default('filters'),
  connection: coherent(
    z.strictObject({
      ...reached(3_306),
      schema: z.null().default(null).describe('The name of the database (MySQL calls it a schema).'),
    }),
  ),
})

const csvBody = z.strictObject({
  ...base,
  type: z.literal('csv'),
  scopeMode: z.literal('filters').default('filters'),
  connection: z.null().default(null).describe('Null: its tables are imported from files.'),
})

/** A data source that is a database. */
export const databaseBody = z.discriminatedUnion('type', [postgresqlBody, mysqlBody])

export const dataSourceBody = z.discriminatedUnion('type', [postgresqlBody, mysqlBody, csvBody])

const connectionView = z.object({
  host: z.string(),
  port: z.int(),
  database: z.string(),
  schema: z.string().nullable(),
  user: z.string(),
  passwordSet: z.boolean(),
  tls,
  ca,
  maxConnections,
})

export const dataSourceView = z
  .object({
    id: z.int(),
    name: z.string(),
    description: z.string(),
    type: z.enum(SOURCE_TYPES),
    readOnly: z.boolean(),
    timeout: z.string(),
    scopeMode,
    connection: connectionView.nullable().describe('Null for sources whose tables are imported.'),
    comment: comment.describe('The comment on the database.'),
    annotations,
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'DataSource' })

const WARNINGS = [
  'writable_user',
  'read_only_user',
  'unencrypted',
  'unverified_certificate',
  'above_row_security',
] as const

export const sourceTestView = z
  .object({
    ok: z.boolean().describe('Whether a connection was made.'),
    latencyMs: z
      .int()
      .min(0)
      .describe('The duration of the test in milliseconds.')
      .meta({ examples: [12] }),
    serverVersion: z
      .string()
      .nullable()
      .meta({ examples: ['15.18'] }),
    writable: z.boolean().nullable().describe('Whether the user may change data.'),
    problem: z
      .object({ code: z.string().meta({ examples: ['source_unavailable'] }), detail: z.string() })
      .nullable()
      .describe('The reason if no connection was made.'),
    warnings: z
      .array(z.enum(WARNINGS))
      .describe(
        '`writable_user`: the source is read-only, but its user may change data; `read_only_user`: the reverse; `unencrypted`, `unverified_certificate`: the TLS mode; `above_row_security`: the mode of scopes is `native`, but row security of the database does not restrict its user.',
      ),
  })
  .meta({ id: 'DataSourceTest' })

export const columnView = z
  .object({
    table: z.string().meta({ examples: ['orders'] }),
    tableKind: z.enum(['table', 'view']),
    tableComment: comment.describe('The comment in Tidemark, or else the comment in the database.'),
    name: z.string().meta({ examples: ['region'] }),
    type: z.enum(COLUMN_TYPES),
    nativeType: z
      .string()
      .describe('The type in the database.')
      .meta({ examples: ['character varying(20)'] }),
    nullable: z.boolean(),
    position: z.int().describe('The position in the table, from 1.'),
    comment: comment.describe('The comment in Tidemark, or else the comment in the database.'),
    annotations,
  })
  .meta({ id: 'DataSourceColumn' })

export const tableView = z
  .object({
    name: z.string().meta({ examples: ['orders'] }),
    kind: z.enum(['table', 'view']),
    comment: comment.describe('The comment in Tidemark, or else the comment in the database.'),
    annotations,
    approximateRows: z
      .int()
      .nullable()
      .describe(
        'The estimate of the database; null for views, where it has none, and where the caller may not read all rows.',
      )
      .meta({ examples: [40_127] }),
    columns: z.int().describe('The number of columns.'),
    etag: z
      .string()
      .nullable()
      .describe(
        'The version of the rows of an imported table, for If-Match of edits; null for tables of databases.',
      )
      .meta({ examples: [null] }),
    refresh: refreshState
      .nullable()
      .describe('The state of a table whose rows come from elsewhere; null for others.')
      .meta({ examples: [null] }),
  })
  .meta({ id: 'DataSourceTable' })

const tableNames = z.array(z.string())

export const syncView = z
  .object({
    syncedAt: timestamp,
    tables: z.int().describe('The number of tables and views.'),
    columns: z.int().describe('The number of their columns.'),
    added: tableNames.describe('Tables that are new since the last sync; all of them after the first one.'),
    removed: tableNames.describe('Tables that are gone since the last sync.'),
    changed: tableNames.describe('Tables whose columns, types or comments changed since the last sync.'),
    unmatchedNotes: z
      .array(
        z.object({ table: z.string(), column: z.string().nullable().describe('Null for the table itself.') }),
      )
      .describe(
        'Tables and columns that are gone but have a comment or annotations in Tidemark, which apply again once they are back.',
      ),
  })
  .meta({ id: 'DataSourceSync' })

export const tablePath = idPath.extend({ table: tableName })
export const columnPath = tablePath.extend({ column: columnName })

export type DataSourceBody = z.output<typeof dataSourceBody>
export type DatabaseBody = z.output<typeof databaseBody>
export type SourceTestView = z.output<typeof sourceTestView>
export type TableView = z.output<typeof tableView>
export type SyncView = z.output<typeof syncView>
export type ColumnView = z.output<typeof columnView>
export type DataSourceView = z.output<typeof dataSourceView>

/** How a data source is reached, but for its password. */
export type Connection = Omit<z.output<typeof connectionView>, 'passwordSet'>

/** The values of fields that older connections lack. */
export const CONNECTION_DEFAULTS = { ca: null, maxConnections: CONNECTIONS_DEFAULT } as const
