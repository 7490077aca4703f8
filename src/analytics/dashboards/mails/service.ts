import { attempt } from '../../../access/attempts/service.ts'
import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { oneLine } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import { mailTo, requireMailed } from '../../../monitoring/notifications/recipients/service/mails.ts'
import { commit } from '../../../ports/database.ts'
import type { Attachment } from '../../../ports/mail.ts'
import type { Definition } from '../definition.ts'
import { readData } from '../data/service.ts'
import type { WidgetAnswer } from '../data/schema.ts'
import { drawWidget, hasImage } from '../images/widgets.ts'
import type { DashboardRef } from '../schema.ts'
import { requireDashboard, viewOf } from '../service/views.ts'
import type { Widget } from '../widgets.ts'
import { WIDGETS_MAX } from './schema.ts'
import type { MailBody, MailView } from './schema.ts'

const recorded = recorder('dashboard')

/** Mail servers take about three times of this. */
const IMAGES_MAX_CHARACTERS = 3_000_000
/** Mails of one dashboard within 15 minutes. */
const MAILS_MAX = 20

/** Mails images of widgets with their data for the caller, and the same as text: few mail programs draw SVG images.
 * @throws {Refusal} not_found, invalid for widgets without images, for recipients that get no mail and as `readData`, conflict
 * without widgets, too_large, too_many_attempts after 20 within 15 minutes */
export async function mailDashboard(context: Context, ref: DashboardRef, body: MailBody): Promise<MailView> {
  const { ports, requestId } = context
  const { database, settings, clock } = ports
  const found = await requireDashboard(context, ref, 'read')
  const { row } = found
  const recipients = await requireMailed(ports, body.recipientIds)
  const view = await viewOf(context, found, { raw: false })
  const widgets = chosen(view.definition, body.widgets)
  const { params, timeRange, width } = body
  const asked = {
    params,
    widgets: widgets.map(({ id }) => id),
    etags: {},
    width: Object.fromEntries(widgets.map(({ id }) => [id, width])),
    ...(timeRange && { timeRange }),
  }
  const data = await readData(context, row.id, asked)
  await attempt(ports, [{ key: `mails of dashboard ${row.id}`, max: MAILS_MAX, isShared: true }])
  const parts = widgets.map(({ id, widget }) => partOf(id, widget, { answer: data.widgets[id], look: body }))
  const at = timeFormat(settings.timeZone)(Math.floor(clock.now() / 1_000) * 1_000)
  const attachments = parts.flatMap(({ attachment }) => attachment ?? [])
  const size = attachments.reduce((sum, { content }) => sum + content.length, 0)
  if (size > IMAGES_MAX_CHARACTERS)
    throw new Refusal(
      'too_large',
      'The images are too large for a mail. Name fewer widgets, or a smaller width.',
    )
  const letter = {
    subject: body.subject ?? view.name,
    text: [view.name, at, ...parts.map(({ line }) => line)].join('\n\n').concat('\n'),
    attachments,
  }
  const items = await Promise.all(
    recipients.map(async (recipient) => ({
      recipientId: recipient.id,
      ...(await mailTo(ports, recipient, { ...letter, id: `dashboard_${requestId}_${recipient.id}` })),
    })),
  )
  const after = { recipients: items.map(({ recipientId, status }) => ({ recipientId, status })) }
  await commit(database, [recorded(context, 'mail', { objectId: row.id, after })])
  return { items }
}

type Chosen = { readonly id: string; readonly widget: Widget }

function chosen(definition: Definition, ids: readonly string[] | undefined): readonly Chosen[] {
  const drawn = Object.entries(definition.widgets).filter(([, widget]) => hasImage(widget))
  const all = new Map<string, Widget>(drawn)
  const wrong = ids?.findIndex((id) => !all.has(id)) ?? -1
  if (wrong >= 0)
    throw new Refusal('invalid', 'The body is invalid; see errors.', [
      { pointer: `/widgets/${wrong}`, message: 'must be the id of a widget that has an image' },
    ])
  const wanted = ids ?? [...all.keys()].slice(0, WIDGETS_MAX)
  if (wanted.length === 0) throw new Refusal('conflict', 'The dashboard has no widget that has an image.')
  return wanted.flatMap((id) => {
    const widget = all.get(id)
    return widget ? [{ id, widget }] : []
  })
}

type Part = { readonly line: string; readonly attachment?: Attachment }
type Drawing = {
  readonly answer: WidgetAnswer | undefined
  readonly look: Pick<MailBody, 'width' | 'height' | 'theme'>
}

/** A widget as a line of text and as an image; a widget without data has the reason in its line. */
function partOf(id: string, widget: Widget, { answer, look }: Drawing): Part {
  const image = answer?.data === undefined ? null : drawWidget(widget, answer.data, look)
  if (image === null) return { line: oneLine(`${widget.title || id}: ${answer?.detail ?? 'no data'}`) }
  return {
    line: oneLine(image.label),
    attachment: { name: `${id}.svg`, mediaType: 'image/svg+xml', content: image.svg },
  }
}
