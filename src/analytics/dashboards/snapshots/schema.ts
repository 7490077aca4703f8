import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { idParam } from '../../../http/openapi-answers.ts'
import { composedName } from '../../../http/text-schemas.ts'
import { dataView } from '../data/schema.ts'
import { parameterValues, timeRange } from '../parts.ts'

export const snapshotBody = z
  .strictObject({
    name: composedName.optional().describe('The name of the snapshot; default: the name of the dashboard.'),
    params: parameterValues
      .default({})
      .describe('Values of parameters.')
      .meta({ examples: [{ region: 'north' }] }),
    timeRange: timeRange.optional().describe('The range of histories; default: the range of the dashboard.'),
  })
  .meta({ examples: [{ name: 'Plant north, March', params: { region: 'north' } }] })

export const snapshotPath = z.object({ snapshot: idParam.describe('The id of the snapshot.') })

const summary = {
  id: z.int(),
  dashboardId: z.int(),
  name: z.string(),
  createdAt: timestamp,
  until: timestamp.describe('The instant at which it is deleted.'),
}
export const snapshotSummary = z.object(summary).meta({ id: 'DashboardSnapshotSummary' })

export const snapshotView = z
  .object({
    ...summary,
    definition: z
      .record(z.string(), z.unknown())
      .describe('As in a dashboard, with the shown widgets alone and without ids of other things.')
      .meta({ examples: [{ schemaVersion: 1, widgets: {}, pages: [] }] }),
    data: dataView.describe('The data of the widgets at that instant.'),
  })
  .meta({ id: 'DashboardSnapshot' })

export type SnapshotBody = z.output<typeof snapshotBody>
export type SnapshotSummary = z.output<typeof snapshotSummary>
export type SnapshotContents = Pick<z.output<typeof snapshotView>, 'definition' | 'data'>
