import type { Context } from '../../../../context.ts'
import type { SeriesName } from '../../../../domain/series.ts'
import { ownValue } from '../../../../lib/json.ts'
import type { Range } from '../../../../lib/range.ts'
import { readCurrent } from '../../../../monitoring/jobs/current/service.ts'
import type { CurrentView } from '../../../../monitoring/jobs/current/schema.ts'
import { readItems } from '../../../../monitoring/tree/search/service.ts'
import type { SeriesView } from '../../../../monitoring/value-history/schema.ts'
import { readSeries } from '../../../../monitoring/value-history/service.ts'
import { referencesOf } from '../../references.ts'
import type { Widget, WidgetOf } from '../../widgets.ts'
import { lastOf, scaleFor } from '../range.ts'
import type { ShownObject } from '../schema.ts'
import { QueryReads } from './queries.ts'
import type { AskedData } from '../asked.ts'

/** Buckets of one answer, of all its series together. */
const CELLS_MAX = 32_000
const COMPARED = 'PT1H'
const WIDTH_STEP = 100

type Mode = WidgetOf<'history'>['series'][number]['mode']
type Group = {
  readonly range: Range
  readonly mode: Mode
  readonly scale: string | undefined
  readonly withValues: boolean
}
type Wanted = Group & { readonly names: SeriesName[]; result: Promise<readonly (SeriesView | null)[]> | null }

/** The reads of one request. Widgets with the same source share one read. */
export class Reading {
  readonly queries: QueryReads
  readonly #series = new Map<string, Wanted>()
  #current: Promise<ReadonlyMap<number, CurrentView['items'][number]>> | null = null
  #objects: Promise<ReadonlyMap<number, ShownObject>> | null = null

  constructor(
    readonly context: Context,
    readonly asked: AskedData,
    readonly signal: AbortSignal,
  ) {
    this.queries = new QueryReads(context, asked, signal)
    for (const [id, widget] of asked.widgets)
      for (const { name, group } of this.#seriesOf(id, widget)) this.#place(name, group)
  }

  /** The current values of a job; undefined where the caller may not read it. */
  async current(jobId: number): Promise<CurrentView['items'][number] | undefined> {
    this.#current ??= this.#readCurrent()
    return (await this.#current).get(jobId)
  }

  /** An object; undefined where the caller may not read it. */
  async object(id: number | null): Promise<ShownObject | undefined> {
    this.#objects ??= this.#readObjects()
    return id === null ? undefined : (await this.#objects).get(id)
  }

  /** The series of a widget, in its order. */
  async series(id: string, widget: Widget): Promise<readonly (SeriesView | null)[]> {
    return Promise.all(
      this.#seriesOf(id, widget).map(async ({ name, group }) => {
        const wanted = this.#series.get(keyOf(group))
        if (!wanted) return null
        wanted.result ??= this.#readSeries(wanted)
        return (await wanted.result)[wanted.names.findIndex((one) => isSame(one, name))] ?? null
      }),
    )
  }

  #place(name: SeriesName, group: Group): void {
    const key = keyOf(group)
    const wanted = this.#series.get(key) ?? { ...group, names: [], result: null }
    this.#series.set(key, wanted)
    if (!wanted.names.some((one) => isSame(one, name))) wanted.names.push(name)
  }

  /** The series that a widget needs: all of a history; the sparkline and the earlier value of a value. */
  #seriesOf(id: string, widget: Widget): { readonly name: SeriesName; readonly group: Group }[] {
    if (widget.kind === 'history')
      return widget.series.map(({ jobId, key, mode }) => ({
        name: { jobId: jobId ?? 0, key },
        group: this.#group(id, { mode, scale: widget.scale }),
      }))
    if (widget.kind !== 'value' || widget.source.type !== 'job') return []
    const { source, sparkline, compare } = widget
    const name = { jobId: source.jobId ?? 0, key: source.key }
    const { timeZone } = this.context.ports.settings
    const { range } = this.asked
    const earlier = compare === null ? null : { beginAt: 0, endAt: lastOf(range, compare, timeZone).beginAt }
    return [
      ...(sparkline === null
        ? []
        : [
            {
              name,
              group: this.#group(id, { mode: 'avg', scale: null, range: lastOf(range, sparkline, timeZone) }),
            },
          ]),
      ...(earlier === null
        ? []
        : [
            {
              name,
              group: {
                mode: 'last' as const,
                scale: undefined,
                withValues: false,
                range: lastOf(earlier, COMPARED, timeZone),
              },
            },
          ]),
    ]
  }

  #group(
    id: string,
    {
      mode,
      scale,
      range = this.asked.range,
    }: { readonly mode: Mode; readonly scale: string | null; readonly range?: Range },
  ): Group {
    const width = ownValue(this.asked.widths, id)
    const rounded = width === undefined ? undefined : Math.ceil(width / WIDTH_STEP) * WIDTH_STEP
    const share = Math.floor(CELLS_MAX / Math.max(1, countSeries(this.asked.widgets)))
    return { mode, range, scale: scale ?? scaleFor(range, rounded, share), withValues: true }
  }

  #readSeries({ names, mode, range, scale, withValues }: Wanted): Promise<readonly (SeriesView | null)[]> {
    const [begin, end] = [range.beginAt, range.endAt].map((at) => new Date(at).toISOString())
    return readSeries(this.context, names, { begin, end, scale, mode, values: withValues })
  }

  async #readCurrent(): Promise<ReadonlyMap<number, CurrentView['items'][number]>> {
    const ids = [...this.asked.widgets.values()].flatMap((widget) =>
      widget.kind === 'value' && widget.source.type === 'job' ? (widget.source.jobId ?? []) : [],
    )
    const { items } = await readCurrent(this.context, { jobId: ids })
    return new Map(items.map((item) => [item.jobId, item]))
  }

  async #readObjects(): Promise<ReadonlyMap<number, ShownObject>> {
    const { definition, widgets } = this.asked
    const ids = referencesOf(definition).flatMap(({ kind, widgetId, targetId }) =>
      kind === 'object' && widgets.has(widgetId) ? [targetId] : [],
    )
    const items = await readItems(this.context, [...new Set(ids)])
    return new Map(items.map((item) => [item.id, shownObject(item)]))
  }
}

type Item = Awaited<ReturnType<typeof readItems>>[number]

export function shownObject({ id, type, name, deviceName, state, permissions }: Item): ShownObject {
  return { id, type, name, ...(deviceName !== undefined && { deviceName }), state, permissions }
}

function countSeries(widgets: ReadonlyMap<string, Widget>): number {
  return [...widgets.values()].reduce(
    (sum, widget) =>
      sum + (widget.kind === 'history' ? widget.series.length : Number(widget.kind === 'value')),
    0,
  )
}

function keyOf({ range, mode, scale, withValues }: Group): string {
  return `${range.beginAt} ${range.endAt} ${mode} ${scale} ${withValues}`
}

function isSame(a: SeriesName, b: SeriesName): boolean {
  return a.jobId === b.jobId && a.key === b.key
}
