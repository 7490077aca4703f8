import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { RUN_STATES } from '../../../domain/run-state.ts'
import { jsonField } from '../../../http/text-schemas.ts'
import { parameterValues, word } from '../parts.ts'
import { dashboardPath } from '../schema.ts'

export const widgetPath = dashboardPath.extend({ widget: word.describe('The id of the widget.') })

const params = parameterValues
  .default({})
  .describe('Values of parameters of the dashboard.')
  .meta({ examples: [{ region: 'north' }] })

export const widgetRunBody = z.strictObject({ params }).meta({ examples: [{ params: { region: 'north' } }] })

/** The order of a run as the fields of a form. */
export const widgetRunForm = z.strictObject({ params: jsonField(params).default({}) })

export const widgetRunView = z
  .object({
    id: z.string().meta({ examples: ['j_01J8ZQ6K3W5N4T7V9XCB2DMFGH'] }),
    state: z.enum(RUN_STATES),
    queuedAt: timestamp,
    afterRun: z.array(z.string()).describe('The widgets to refresh after the run.'),
  })
  .meta({ id: 'DashboardRun' })

export type WidgetRunBody = z.output<typeof widgetRunBody>
export type WidgetRunView = z.output<typeof widgetRunView>
