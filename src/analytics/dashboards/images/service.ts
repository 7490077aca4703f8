import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Code } from '../../../lib/errors.ts'
import type { DataBody } from '../data/schema.ts'
import { readData } from '../data/service.ts'
import type { DashboardRef } from '../schema.ts'
import { requireDashboard } from '../service/views.ts'
import type { Look } from './frame.ts'
import { drawWidget, hasImage } from './widgets.ts'

/** An image of a widget with its data for the caller.
 * @throws {Refusal} not_found, conflict for widgets without images, and as the data of the widget */
export async function readImage(
  context: Context,
  { ref, widget: id }: { readonly ref: DashboardRef; readonly widget: string },
  { look, body }: { readonly look: Look; readonly body: DataBody },
): Promise<string> {
  const { definition } = await requireDashboard(context, ref, 'read')
  const widget = Object.hasOwn(definition.widgets, id) ? definition.widgets[id] : undefined
  if (!widget) throw new Refusal('not_found', 'The dashboard has no such widget.')
  if (!hasImage(widget))
    throw new Refusal(
      'conflict',
      'Only values, histories, service levels and charts of lines, areas and bars have images.',
    )
  const asked = { ...body, widgets: [id], width: { [id]: look.width }, areTexts: true }
  const answer = (await readData(context, ref, asked)).widgets[id]
  if (answer?.data === undefined)
    throw new Refusal(
      (answer?.code as Code | undefined) ?? 'unavailable',
      answer?.detail ?? 'The data could not be read.',
    )
  const image = drawWidget(widget, answer.data, look)
  if (image === null) throw new Error('No image was made of a widget that has images.')
  return image.svg
}
