import * as z from 'zod'
import { composedName, storableText } from '../../../http/text-schemas.ts'
import { DEPTH_MAX, GROUPS_MAX } from '../groups/schema.ts'
import { parameterValues } from '../parts.ts'
import { isFreeWord, URL_NAME } from '../url-name.ts'
import type { Action, Mode } from './versions.ts'

export const FORMAT = 'tidemark-dashboards'
export const FORMAT_VERSION = 1
/** Dashboards of one export or import. */
export const PORTABLE_MAX = 50
const QUERIES_MAX = 200
const MODES = ['skip', 'overwrite', 'copy'] as const satisfies readonly Mode[]
const ACTIONS = ['create', 'update', 'unchanged', 'skip', 'copy'] as const satisfies readonly Action[]

const id = z.int().positive()
const uuid = z.uuid().meta({ examples: ['0198c2a4-7b1e-7c55-9f0a-3f6d8a1b2c3d'] })
const json = z.record(storableText.max(255), z.unknown())
const groupPath = z.array(composedName).max(DEPTH_MAX)
const NAMED = { w1: { kind: 'script', scriptId: 'import-orders' } }

export const exportBody = z
  .strictObject({
    ids: z.array(id).max(PORTABLE_MAX).default([]),
    groupIds: z
      .array(id)
      .max(GROUPS_MAX)
      .default([])
      .describe('Groups whose dashboards are exported, with the groups below them.'),
    forecastIds: z
      .array(id)
      .max(QUERIES_MAX)
      .default([])
      .describe('Forecasts to export beside the ones of values and data queries that the dashboards show.'),
    stable: z
      .boolean()
      .default(false)
      .describe(
        'Whether the export has no release and no instant, so that equal dashboards have equal exports.',
      ),
  })
  .refine(({ ids, groupIds }) => ids.length + groupIds.length > 0, 'must name a dashboard or a group')
  .meta({ examples: [{ ids: [4] }] })

const definition = json
  .describe(
    'As in a dashboard, with names in the place of ids: `{"path": ["Plant", "r1"]}` for objects, names for data queries and scripts, `{"uuid", "urlName"}` for dashboards.',
  )
  .meta({ examples: [{ schemaVersion: 1, widgets: NAMED, pages: [] }] })

const dashboard = z.strictObject({
  uuid,
  urlName: z
    .string()
    .regex(URL_NAME)
    .refine(isFreeWord)
    .meta({ examples: ['plant-north'] }),
  name: composedName,
  description: storableText.max(4_000).default(''),
  version: z.int().positive().default(1),
  groupPath: groupPath.default([]).describe('The names of the groups around it, from the root down.'),
  definition,
})
const dataQuery = z.strictObject({
  name: composedName,
  description: storableText.max(4_000).default(''),
  dataSource: composedName.describe('The name of the data source.'),
  text: storableText.max(100_000),
  parameters: z.array(json).max(50).default([]),
  accessibleFromDashboards: z.boolean().default(false),
})

const forecast = z.strictObject({
  name: composedName,
  description: storableText.max(4_000).default(''),
  definition: json.describe('As in a forecast, with names in the place of ids and without its table.').meta({
    examples: [
      {
        source: { type: 'job', jobId: { path: ['Plant', 'r1', 'disk'] }, key: 'returnValue1' },
        step: 'PT1H',
        horizon: 'P2D',
      },
    ],
  }),
})

const document = z.strictObject({
  format: z.literal(FORMAT),
  formatVersion: z.int().min(1).max(FORMAT_VERSION),
  release: storableText.max(32).optional().describe('The release of the exporting service.'),
  exportedAt: storableText.max(64).optional(),
  dashboards: z.array(dashboard).max(PORTABLE_MAX).default([]),
  groups: z
    .array(z.strictObject({ path: groupPath.min(1), defaultParams: parameterValues.default({}) }))
    .max(GROUPS_MAX)
    .default([])
    .meta({ examples: [[{ path: ['Plant'], defaultParams: { region: 'north' } }]] }),
  dataQueries: z
    .array(dataQuery)
    .max(QUERIES_MAX)
    .default([])
    .meta({ examples: [[]] }),
  scripts: z
    .array(z.strictObject({ name: composedName }))
    .max(QUERIES_MAX)
    .default([]),
  forecasts: z.array(forecast).max(QUERIES_MAX).optional().describe('Absent without forecasts.'),
})
/** An export in answers. */
export const exportView = document.meta({ id: 'DashboardExport' })

export const importBody = z
  .strictObject({
    mode: z
      .enum(MODES)
      .default('skip')
      .describe(
        '`skip`: dashboards with an equal or a higher version stay as they are; `overwrite`: all are replaced; `copy`: dashboards that exist are added once more.',
      ),
    map: z
      .strictObject({
        dataQueries: z.record(composedName, composedName).default({}),
        scripts: z.record(composedName, composedName).default({}),
      })
      .default({ dataQueries: {}, scripts: {} })
      .describe('Other names of data queries and scripts of this service, by their names in the export.')
      .meta({ examples: [{ dataQueries: { Sales: 'Sales CH' }, scripts: {} }] }),
    document: document
      .superRefine(({ dashboards }, issues) => {
        for (const field of ['uuid', 'urlName'] as const) {
          const values = dashboards.map((one) => one[field].toLowerCase())
          for (const [index, value] of values.entries())
            if (values.indexOf(value) < index)
              issues.addIssue({
                code: 'custom',
                path: ['dashboards', index, field],
                message: 'must not occur twice',
              })
        }
      })
      .describe('An export.'),
  })
  .meta({
    examples: [
      {
        document: {
          format: FORMAT,
          formatVersion: FORMAT_VERSION,
          dashboards: [
            {
              uuid: '0198c2a4-7b1e-7c55-9f0a-3f6d8a1b2c3d',
              urlName: 'plant-north',
              name: 'Plant north',
              definition: { widgets: NAMED },
            },
          ],
        },
      },
    ],
  })

const problem = z.object({ code: z.string(), name: z.string(), message: z.string() })

export const importView = z
  .object({
    dashboards: z.array(
      z.object({
        uuid: z.string(),
        name: z.string(),
        urlName: z.string(),
        action: z.enum(ACTIONS),
        id: z.int().nullable().describe('The dashboard here; null for one that is not created yet.'),
        fromVersion: z.int().nullable().describe('The version here before; null for a new dashboard.'),
        toVersion: z.int(),
        localChanges: z.boolean().describe('Whether the dashboard was changed here since this version.'),
      }),
    ),
    dataQueries: z.array(z.object({ name: z.string(), action: z.enum(['create', 'unchanged', 'skip']) })),
    forecasts: z.array(
      z.object({ name: z.string(), action: z.enum(['create', 'update', 'unchanged', 'skip']) }),
    ),
    unmatched: z
      .array(
        z.object({
          kind: z.string(),
          name: z.string(),
          widgets: z
            .array(z.array(z.string()))
            .describe('Pairs of the URL name of a dashboard and a widget.')
            .meta({ examples: [[['plant-north', 'w1']]] }),
        }),
      )
      .describe('References to things that are not here. Widgets keep an empty reference.'),
    warnings: z.array(problem),
    errors: z.array(problem).describe('With an error, the import is refused.'),
  })
  .meta({ id: 'DashboardImport' })

export const urlPath = z.object({
  urlName: z
    .string()
    .regex(URL_NAME)
    .refine(isFreeWord)
    .transform((name) => name.toLowerCase())
    .describe('The URL name of the dashboard.')
    .meta({ type: 'string' }),
})

export const codeBody = z
  .strictObject({
    uuid: uuid.optional(),
    urlName: storableText.max(80).optional(),
    name: composedName,
    description: storableText.max(4_000).default(''),
    version: z.int().positive().optional(),
    groupPath: groupPath.default([]),
    managedBy: storableText
      .max(255)
      .default('code')
      .describe(
        'The origin, such as the address of a repository. While it is set, other routes do not change the dashboard.',
      ),
    definition,
  })
  .meta({ examples: [{ name: 'Plant north', groupPath: ['Plant'], definition: { widgets: NAMED } }] })

export const codeView = dashboard.extend({ managedBy: z.string() }).meta({ id: 'DashboardCode' })

export const codeResult = z
  .object({
    id: z.int(),
    urlName: z.string(),
    version: z.int(),
    action: z.enum(['create', 'update', 'unchanged']),
    unmatched: importView.shape.unmatched,
  })
  .meta({ id: 'DashboardCodeResult' })

export type ExportBody = z.output<typeof exportBody>
export type ExportView = z.output<typeof exportView>
export type ImportBody = z.output<typeof importBody>
export type ImportView = z.output<typeof importView>
export type PortableForecast = z.output<typeof forecast>
export type PortableDashboard = z.output<typeof dashboard>
export type CodeBody = z.output<typeof codeBody>
export type CodeView = z.output<typeof codeView>
export type CodeResult = z.output<typeof codeResult>
