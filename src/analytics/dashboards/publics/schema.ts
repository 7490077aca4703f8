import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { languageTag } from '../../../http/text-schemas.ts'
import { dataView } from '../data/schema.ts'
import { parameterValues, timeRange, word } from '../parts.ts'

/** All tokens are shorter; longer texts are unknown tokens, too. */
const TOKEN_MAX = 64
const ADJUSTABLE_MAX = 50

const settings = {
  params: parameterValues
    .default({})
    .describe('Fixed values of parameters.')
    .meta({ examples: [{ region: 'north' }] }),
  adjustable: z
    .array(word)
    .max(ADJUSTABLE_MAX)
    .default([])
    .describe(
      'The parameters that readers set: of the types enum, boolean, number, date, datetime, duration or timeRange.',
    ),
  timeRange: timeRange
    .nullable()
    .default(null)
    .describe('The range of histories; null for the range of the dashboard.'),
  language: languageTag
    .nullable()
    .default(null)
    .describe('The language of the texts; null for the originals.'),
}

/** The settings of a public link as they are stored. */
export const publicSettings = z.strictObject(settings)

export const publicBody = z
  .strictObject({
    expiresAt: timestamp.nullable().default(null).describe('The end of the link; null for no end.'),
    ...settings,
  })
  .meta({
    examples: [{ expiresAt: '2030-01-01T00:00:00Z', params: { region: 'north' }, adjustable: ['line'] }],
  })

export const publicView = z
  .object({
    path: z.string().describe('The path of the link. Anyone who knows it can read the dashboard.'),
    expiresAt: timestamp.nullable(),
    params: parameterValues.describe('Fixed values of parameters.').meta({ examples: [{ region: 'north' }] }),
    adjustable: z.array(z.string()),
    timeRange: timeRange.nullable(),
    language: z.string().nullable(),
    publishedBy: z.string().describe('The user whose rights the data has.'),
    works: z
      .boolean()
      .describe(
        'False after its end, without the right of this user to change the dashboard, and while public links are switched off.',
      ),
    createdAt: timestamp,
  })
  .meta({ id: 'DashboardPublicLink' })

export const tokenPath = z.object({ token: z.string().max(TOKEN_MAX) })

export const frameView = z
  .object({
    name: z.string(),
    description: z.string(),
    language: z.string().nullable(),
    definition: z
      .record(z.string(), z.unknown())
      .describe('As in a dashboard, with the shown widgets alone and without ids of other things.')
      .meta({ examples: [{ schemaVersion: 1, widgets: {}, pages: [] }] }),
    params: parameterValues
      .describe('The values of the parameters without a request for others.')
      .meta({ examples: [{ region: 'north' }] }),
    adjustable: z.array(z.string()).describe('The parameters that readers set.'),
    expiresAt: timestamp.nullable(),
  })
  .meta({ id: 'PublicDashboard' })

export const publicDataView = dataView.meta({ id: 'PublicDashboardData' })

export type PublicBody = z.output<typeof publicBody>
export type PublicView = z.output<typeof publicView>
export type PublicSettings = z.output<typeof publicSettings>
export type FrameView = z.output<typeof frameView>
