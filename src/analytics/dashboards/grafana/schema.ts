import * as z from 'zod'
import { composedName, storableText } from '../../../http/text-schemas.ts'
import { exportView } from '../portable/schema.ts'

export const grafanaBody = z
  .strictObject({
    dashboard: z
      .record(storableText.max(1_000), z.unknown())
      .describe('The file of a dashboard of Grafana with the classic schema.')
      .meta({ examples: [{ title: 'Node', panels: [] }] }),
    dataSource: composedName
      .nullable()
      .default(null)
      .describe(
        'The data source of this service on which panels of SQL without variables run; null makes them texts.',
      )
      .meta({ examples: ['Sales'] }),
  })
  .meta({
    examples: [
      {
        dashboard: {
          title: 'Node',
          panels: [{ id: 2, type: 'text', title: 'Notes', options: { mode: 'markdown', content: 'Notes' } }],
        },
      },
    ],
  })

const notes = z.array(z.string()).describe('All that differs from the original.')

export const grafanaView = z
  .object({
    document: exportView.describe('An export for `POST /dashboards/import`.'),
    panels: z
      .array(
        z.object({
          id: z.number().nullable(),
          title: z.string(),
          type: z.string().meta({ examples: ['timeseries'] }),
          urlName: z.string().describe('The URL name of the dashboard that has the widget.'),
          widget: z.string().meta({ examples: ['panel-2'] }),
          outcome: z
            .enum(['mapped', 'placeholder'])
            .describe(
              '`mapped`: a widget that shows the same; `placeholder`: a text with the title, the description and the queries.',
            ),
          notes,
        }),
      )
      .describe('Every panel, rows included, in reading order.'),
    variables: z
      .array(
        z.object({
          name: z.string(),
          type: z.string(),
          parameter: z.string().nullable().describe('The parameter; null for one that was left out.'),
          notes,
        }),
      )
      .describe('Every variable.'),
    leftOut: z.array(z.string()).describe('Other parts of the dashboard that were left out or changed.'),
  })
  .meta({ id: 'GrafanaConversion' })

export type GrafanaBody = z.output<typeof grafanaBody>
