import * as z from 'zod'
import { OBJECT_TYPES } from '../../../monitoring/tree/schema.ts'
import { parameterValues } from '../parts.ts'
import { dashboardView } from '../schema.ts'

const named = z.object({ id: z.int(), name: z.string() })
const byId = <Value extends z.ZodType>(value: Value) => z.record(z.string(), value)

export const nestedView = z
  .object({
    dashboard: dashboardView,
    group: z
      .object({
        id: z.int(),
        path: z
          .array(z.string())
          .describe('The names of the groups that the caller may read, from the root down.'),
      })
      .nullable(),
    params: parameterValues
      .describe('The values of the parameters, if a request gives none.')
      .meta({ examples: [{ region: 'north' }] }),
    children: z
      .array(
        z.object({
          dashboard: dashboardView,
          widget: z.string().describe('The widget that embeds it.'),
          parentId: z.int().describe('The dashboard of the widget.'),
          depth: z.int(),
        }),
      )
      .describe('The dashboards that widgets embed, each once for each widget.'),
    objects: byId(
      z.object({ id: z.int(), type: z.enum(OBJECT_TYPES), name: z.string(), deviceName: z.string() }),
    )
      .describe('The objects that widgets show, by id.')
      .meta({ examples: [{ 3: { id: 3, type: 'job', name: 'Line 1', deviceName: 'plc1' } }] }),
    dataQueries: byId(
      z.object({ id: z.int(), name: z.string(), published: z.int(), parameters: z.array(z.string()) }),
    )
      .describe('The data queries that widgets show, by id.')
      .meta({ examples: [{ 7: { id: 7, name: 'Orders', published: 2, parameters: ['region'] } }] }),
    scripts: byId(z.object({ id: z.int(), name: z.string(), acceptedFiles: z.array(z.string()) }))
      .describe('The scripts that widgets run, by id.')
      .meta({ examples: [{ 8: { id: 8, name: 'import-orders', acceptedFiles: ['text/csv'] } }] }),
    dashboards: byId(named)
      .describe('The dashboards that widgets lead to or embed, by id.')
      .meta({ examples: [{ 5: { id: 5, name: 'Plant south' } }] }),
    hidden: z
      .object({ objects: z.array(z.int()), dashboards: z.array(z.int()) })
      .describe('The ids of all that widgets show and the caller may not read, or that does not exist.'),
  })
  .meta({ id: 'NestedDashboard' })

export type NestedView = z.output<typeof nestedView>
