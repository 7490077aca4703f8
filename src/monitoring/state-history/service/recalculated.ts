import { unionOf } from '../../../lib/range.ts'
import type { Range } from '../../../lib/range.ts'
import type { Database } from '../../../ports/database.ts'
import { countsForSla, readExperienced, readOverlays, tooMuch } from '../../revaluations/overlays/service.ts'
import type { PlacedOverlay } from '../../revaluations/overlays/service.ts'
import type { Node } from '../../states/propagation.ts'
import { nodesAbove } from '../../states/service.ts'
import { slaSpans, coversOf, laidOver, parentSpans, spliced } from '../recalc.ts'
import * as store from '../store.ts'
import type { ChildRow } from '../store.ts'
import { spansOf } from '../timeline.ts'
import type { Span } from '../timeline.ts'

const CHILDREN_MAX = 50_000
const CHANGES_MAX = 200_000

export type Recalculated = {
  readonly spans: ReadonlyMap<number, readonly Span[]>
  readonly overlays: readonly PlacedOverlay[]
}

/** The recorded states of objects over a range after corrections of the past. Corrections of objects below apply first
 * and the states above are computed again; then the corrections of the objects themselves apply.
 * @param asSla as service level containers count it: they ignore maintenance that is `slaRelevant`
 * @throws {Refusal} invalid if this would read too much */
export async function recalculate(
  database: Database,
  { recorded, range }: { readonly recorded: ReadonlyMap<number, readonly Span[]>; readonly range: Range },
  asSla = false,
): Promise<Recalculated> {
  const ids = [...recorded.keys()]
  const found = await readOverlays(database, ids, range)
  const overlays = found.overlays.filter((one) => !asSla || countsForSla(one))
  if (overlays.length === 0) return { spans: recorded, overlays }
  const descent = new Descent(await nodesAbove(database, [...ids, ...found.seeds]), overlays)
  const material = await readMaterial(database, descent, { recorded, asSla })
  return { spans: new Map(ids.map((id) => [id, descent.spansOf(id, material)])), overlays }
}

/** The data of the recalculation. @throws {Refusal} invalid if it is too much */
async function readMaterial(
  database: Database,
  descent: Descent,
  { recorded, asSla }: { readonly recorded: ReadonlyMap<number, readonly Span[]>; readonly asSla: boolean },
): Promise<Material> {
  const objects = [...recorded.keys()]
  const targets = [...new Set(objects.flatMap((id) => descent.targetsOf(id)))]
  const [hull] = hullOf(unionOf(objects.flatMap((id) => descent.windowsOf(id))))
  if (!hull)
    return { hull: { beginAt: 0, endAt: 0 }, known: recorded, children: [], lived: [], gapRanges: [] }
  const children = await store.readCounted(database, targets, CHILDREN_MAX + 1)
  if (children.length > CHILDREN_MAX) throw tooMuch(`${CHILDREN_MAX} objects`)
  const ids = [...new Set([...children.map(({ id }) => id), ...targets])]
  const count = await store.countChanges(database, ids, { ...hull, limit: CHANGES_MAX + 1 })
  if (count > CHANGES_MAX) throw tooMuch(`${CHANGES_MAX} changes of states`)
  const [histories, slaHistories, lived, gapBegins] = await Promise.all([
    store.readHistories(database, ids, hull),
    asSla ? store.readSlaHistories(database, ids, hull) : [],
    readExperienced(database, descent.placesOf(targets), hull),
    store.readGapBegins(database, ids, hull),
  ])
  const shown = new Map<number, readonly Span[]>(
    histories.map(({ id, createdAt, first, changes }) => [
      id,
      spansOf(first, changes, { ...hull, beginAt: Math.max(hull.beginAt, createdAt) }),
    ]),
  )
  const gapRanges = gapRangesOf(shown, gapBegins)
  const seenBySla = slaHistories.map(({ id, changes }): [number, Span[]] => [
    id,
    slaSpans(shown.get(id) ?? [], changes),
  ])
  return {
    hull,
    known: new Map([...shown, ...seenBySla, ...recorded]),
    children,
    lived: lived.filter((one) => !asSla || countsForSla(one)),
    gapRanges,
  }
}

/** The spans of all objects that began because a child could not deliver. */
function gapRangesOf(
  known: ReadonlyMap<number, readonly Span[]>,
  since: readonly { readonly id: number; readonly at: number }[],
): Range[] {
  const instants = Map.groupBy(since, ({ id }) => id)
  return unionOf(
    [...instants].flatMap(([id, begins]) => {
      const spans = known.get(id) ?? []
      const ats = new Set(begins.map(({ at }) => Math.max(at, spans[0]?.beginAt ?? at)))
      return spans.filter(({ state, beginAt }) => state === 'no_data' && ats.has(beginAt))
    }),
  )
}

type Material = {
  readonly hull: Range
  /** The recorded states, by object. */
  readonly known: ReadonlyMap<number, readonly Span[]>
  readonly children: readonly ChildRow[]
  readonly lived: readonly PlacedOverlay[]
  /** When children could not deliver: disjoint and in order. */
  readonly gapRanges: readonly Range[]
}

/** The objects between an object and the overlays below it. */
class Descent {
  readonly #nodes: ReadonlyMap<number, Node>
  readonly #below: ReadonlyMap<number, readonly Node[]>
  readonly #overlays: ReadonlyMap<number, readonly PlacedOverlay[]>
  readonly #windows = new Map<number, readonly Range[]>()

  constructor(nodes: readonly Node[], overlays: readonly PlacedOverlay[]) {
    this.#nodes = new Map(nodes.map((node) => [node.id, node]))
    const edges = nodes.flatMap((node) => node.links.map(({ parentId }) => ({ parentId, node })))
    const below = Map.groupBy(edges, ({ parentId }) => parentId)
    this.#below = new Map([...below].map(([id, some]) => [id, some.map(({ node }) => node)]))
    this.#overlays = Map.groupBy(overlays, ({ objectId }) => objectId)
  }

  /** The objects whose states must be computed again: this one, and those below it that have overlays below them. */
  targetsOf(id: number): number[] {
    const targets = new Set<number>()
    const visit = (one: number) => {
      const below = this.#below.get(one) ?? []
      if (below.length === 0 || targets.has(one)) return
      targets.add(one)
      for (const node of below) visit(node.id)
    }
    visit(id)
    return [...targets]
  }

  /** When overlays below an object, but not on it, apply: disjoint and in order. */
  windowsOf(id: number): readonly Range[] {
    const known = this.#windows.get(id)
    if (known) return known
    const over = new Set(this.#placesOf(id))
    const windows = unionOf(
      (this.#below.get(id) ?? []).flatMap((child) => [
        ...this.#placesOf(child.id)
          .filter((place) => !over.has(place))
          .flatMap((place) => this.#overlays.get(place) ?? [])
          .flatMap(({ ranges }) => ranges),
        ...this.windowsOf(child.id),
      ]),
    )
    this.#windows.set(id, windows)
    return windows
  }

  /** These objects and the objects above them. */
  placesOf(ids: readonly number[]): number[] {
    return [...new Set(ids.flatMap((id) => this.#placesOf(id)))]
  }

  #placesOf(id: number): number[] {
    const places: number[] = []
    for (let at: number | null | undefined = id; at != null; at = this.#nodes.get(at)?.parentId)
      places.push(at)
    return places
  }

  /** The states of an object, computed from everything below it. */
  spansOf(id: number, material: Material): Span[] {
    const { hull } = material
    const lived = Map.groupBy(material.lived, ({ objectId }) => objectId)
    const children = Map.groupBy(material.children, ({ parentId }) => parentId)
    const done = new Map<number, Span[]>()
    const judged = (one: number): Span[] => {
      const recorded = material.known.get(one) ?? []
      const windows = this.windowsOf(one)
      if (windows.length === 0) return [...recorded]
      const counted = (children.get(one) ?? []).map((child) => ({ ...child, spans: spans(child.id) }))
      const was = recorded.find(({ endAt }) => endAt > hull.beginAt)?.state ?? 'undefined'
      const of = { rules: this.#nodes.get(one)?.rules ?? null, children: counted }
      const anew = parentSpans(of, hull, { ranges: material.gapRanges, was })
      const places = this.#placesOf(one)
      const maintenance = places.flatMap((place) => lived.get(place) ?? [])
      return spliced(recorded, laidOver(anew, coversOf(maintenance)), windows)
    }
    const spans = (one: number): Span[] => {
      const known = done.get(one)
      if (known) return known
      const overlays = this.#placesOf(one).flatMap((place) => this.#overlays.get(place) ?? [])
      const result = laidOver(judged(one), coversOf(overlays.toSorted((a, b) => a.id - b.id)))
      done.set(one, result)
      return result
    }
    return spans(id)
  }
}

/** The shortest range that contains all ranges; empty for none. */
function hullOf(ranges: readonly Range[]): Range[] {
  const [first] = ranges
  const last = ranges.at(-1)
  return first && last ? [{ beginAt: first.beginAt, endAt: last.endAt }] : []
}
