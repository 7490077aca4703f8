import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { dashboardRefreshOf } from '../../../content/settings/service.ts'
import { sightsMark } from '../../../data/scopes/service/sights.ts'
import { ResultCache } from '../../../data/selection/result-cache.ts'
import { contentTag } from '../../../http/preconditions.ts'
import { statusOf } from '../../../http/problem.ts'
import { signalOf, untilAborted } from '../../../lib/abort.ts'
import { durationMs } from '../../../lib/duration.ts'
import { invalidAt, refusalIn } from '../../../lib/errors.ts'
import { onceFor } from '../../../lib/once-for.ts'
import { pointerOf } from '../../../lib/pointer.ts'
import { timeFormat } from '../../../lib/time.ts'
import { stopwatch } from '../../../ports/clock.ts'
import type { Ports } from '../../../ports/index.ts'
import { faultsOfValues, valuesOfTexts } from '../parameters.ts'
import type { DashboardRef } from '../schema.ts'
import { refuseValues, valuesOf } from '../service/values.ts'
import { requireDashboard } from '../service/views.ts'
import type { FoundDashboard } from '../service/views.ts'
import type { Widget } from '../widgets.ts'
import { rangeAt } from './range.ts'
import type { DataBody, DataView, WidgetAnswer } from './schema.ts'
import { dataOf, hasData } from './service/kinds.ts'
import { weightOf } from './service/weight.ts'
import { Reading } from './service/reading.ts'
import type { AskedData } from './asked.ts'

/** Widgets that are read at the same time. */
const AT_ONCE = 8
const WIDGET_MAX_MS = 10_000
const ALL_MAX_MS = 30_000
const RETRY_S = 5
/** Equal requests of a user share their data for this long, unless scopes of the user change. */
const SHARED_MS = 1_000
const SHARED_MAX_BYTES = 16 * 1024 * 1024

type Head = Omit<DataView, 'widgets'>
type Answers = { readonly head: Head; readonly widgets: ReadonlyMap<string, WidgetAnswer> }
type Request = Omit<DataBody, 'etags'> & { readonly areTexts?: boolean }

const cacheOf = onceFor(
  (_ports: Ports) => new ResultCache<Answers>(SHARED_MAX_BYTES, ({ widgets }) => weightOf(widgets.values())),
)

/** The data of widgets, each with its own status. `areTexts`: the values of parameters are texts of a URL.
 * @throws {Refusal} not_found, also for a dashboard that is not valid; invalid for parameters and widgets */
export async function readData(
  context: Context,
  ref: DashboardRef,
  { etags, ...request }: DataBody & { readonly areTexts?: boolean },
): Promise<DataView> {
  const { ports } = context
  const caller = requireUser(context)
  const seen = await sightsMark(context)
  const { value: answers } = await cacheOf(ports).find({
    name: JSON.stringify([caller.userId, caller.role, caller.bounds ?? [], seen, ref, request]),
    ageMaxMs: SHARED_MS,
    now: () => ports.clock.now(),
    signal: signalOf(context.request),
    compute: () => readAnswers(context, ref, request),
  })
  const entries = [...answers.widgets].map(([id, answer]) => [id, unlessSame(answer, etags[id])] as const)
  return { ...answers.head, widgets: Object.fromEntries(entries) }
}

async function readAnswers(context: Context, ref: DashboardRef, request: Request): Promise<Answers> {
  const { head, asked } = await prepare(context, ref, request)
  const widgets = new Map<string, WidgetAnswer>()
  await readAll(context, asked, (id, answer) => {
    widgets.set(id, answer)
  })
  // Other requests that wait for this answer do not get the failure of a caller that left.
  context.request?.signal.throwIfAborted()
  return { head, widgets }
}

/** As `readData`, with the answer of each widget as soon as it is there. @throws {Refusal} as `readData`, before the first */
export async function streamData(
  context: Context,
  ref: DashboardRef,
  { etags, ...request }: DataBody & { readonly areTexts?: boolean },
): Promise<{
  readonly head: Head
  readonly run: (emit: (id: string, answer: WidgetAnswer) => void) => Promise<void>
}> {
  const { head, asked } = await prepare(context, ref, request)
  return {
    head,
    run: (emit) => readAll(context, asked, (id, answer) => emit(id, unlessSame(answer, etags[id]))),
  }
}

function unlessSame(answer: WidgetAnswer, etag: string | undefined): WidgetAnswer {
  return answer.etag !== undefined && answer.etag === etag ? { status: 304, etag } : answer
}

async function prepare(
  context: Context,
  ref: DashboardRef,
  request: Request,
): Promise<{ readonly head: Head; readonly asked: AskedData }> {
  const { clock, settings } = context.ports
  const [found, least] = await Promise.all([
    requireDashboard(context, ref, 'read'),
    dashboardRefreshOf(context.ports),
  ])
  const { definition, row } = found
  const given = request.areTexts ? valuesOfTexts(definition, request.params) : request.params
  refuseValues(faultsOfValues(definition, given), (name) =>
    request.areTexts ? `?p.${name}` : pointerOf(['params', name]),
  )
  const values = valuesOf(found, given)
  const now = clock.now()
  const timeRange = request.timeRange ?? definition.timeRange
  const { refresh } = definition
  const range = rangeAt(timeRange, now, { refresh, timeZone: settings.timeZone })
  if (range.beginAt >= range.endAt)
    throw invalidAt(request.areTexts ? '?to' : '/timeRange/to', 'must be later than the begin')
  const head = { at: timeFormat(settings.timeZone)(now), params: { ...values }, next: longer(refresh, least) }
  return {
    head,
    asked: {
      dashboardId: row.id,
      definition,
      values,
      range,
      widths: request.width,
      widgets: chosen(found, request),
    },
  }
}

function longer(a: string, b: string): string {
  return durationMs(a) < durationMs(b) ? b : a
}

function chosen(
  { definition }: FoundDashboard,
  { widgets, page, areTexts }: Request,
): ReadonlyMap<string, Widget> {
  const shown = definition.pages.find(({ id }) => id === page)
  if (page !== undefined && !shown) throw invalidAt(areTexts ? '?page' : '/page', 'must be the id of a page')
  const all = new Map(Object.entries(definition.widgets))
  const wrong = widgets?.findIndex((id) => !all.has(id)) ?? -1
  if (wrong >= 0) throw invalidAt(areTexts ? '?widget' : `/widgets/${wrong}`, 'must be the id of a widget')
  const ids = widgets ?? shown?.items.map(({ widget }) => widget) ?? [...all.keys()]
  return new Map(
    ids.flatMap((id) => {
      const widget = all.get(id)
      return widget && hasData(widget) ? [[id, widget] as const] : []
    }),
  )
}

/** Reads some widgets at a time. The failure of one leaves the others. */
async function readAll(
  context: Context,
  asked: AskedData,
  emit: (id: string, answer: WidgetAnswer) => void,
): Promise<void> {
  const gone = context.request?.signal
  const until = AbortSignal.timeout(ALL_MAX_MS)
  const signal = gone ? AbortSignal.any([gone, until]) : until
  const reading = new Reading(context, asked, signal)
  const waiting = [...asked.widgets]
  const work = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [id, widget] = next
      const answer = await answerOf(reading, id, widget)
      if (answer) emit(id, answer)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
}

async function answerOf(reading: Reading, id: string, widget: Widget): Promise<WidgetAnswer | null> {
  const { ports, requestId } = reading.context
  const elapsedMs = stopwatch(ports.clock)
  const signal = AbortSignal.any([reading.signal, AbortSignal.timeout(WIDGET_MAX_MS)])
  try {
    const data = await untilAborted(dataOf(reading, id, widget), signal)
    if (data === null) return null
    const etag = await contentTag(JSON.stringify(data))
    return { status: 200, etag, durationMs: elapsedMs(), data }
  } catch (error) {
    if (signal.aborted) return tooSlow()
    const refusal = refusalIn(error)
    if (!refusal) {
      ports.log.error('dashboards: the data of a widget failed', error, {
        dashboardId: reading.asked.dashboardId,
        widget: id,
        requestId,
      })
      return { status: 500, code: 'internal', detail: 'The data could not be read.' }
    }
    const { code, detail, retryAfterS } = refusal
    const status = statusOf(code)
    return { status, code, detail, ...(status === 503 && { retryAfter: retryAfterS }) }
  }
}

function tooSlow(): WidgetAnswer {
  return { status: 503, code: 'overloaded', detail: 'The data took too long.', retryAfter: RETRY_S }
}
