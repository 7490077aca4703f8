import { Temporal } from 'temporal-polyfill'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Spoken } from '../../../lib/language.ts'
import { TtlCache } from '../../../lib/ttl-cache.ts'
import type { Ports } from '../../../ports/index.ts'
import type { Level } from '../../../domain/state.ts'
import { availabilityOf } from '../../state-history/availability.ts'
import { readPast } from '../../state-history/service.ts'
import { badgeOf } from '../badge.ts'
import { daysOf } from '../days.ts'
import { renderPage, percentText } from '../page.ts'
import { toneOf, toneOfPercent } from '../shown.ts'
import type { PublicStatus, ShownObject } from '../shown.ts'
import * as store from '../store.ts'
import type { ShownRow } from '../store.ts'
import { WORDS } from '../words.ts'

/** How long a page is cached in a process or isolate. Caches on the way may keep it as long again. */
export const SHOWN_MS = 30_000
/** The states that count as downtime. */
const COUNTED: readonly Level[] = ['major']

/** The status with the texts made from it, one for each form and language. */
type CachedStatus = { readonly shown: PublicStatus; readonly texts: Map<string, string> }

const known = new WeakMap<Ports, TtlCache<CachedStatus>>()

/** The status page of a token, as HTML. @throws {Refusal} not_found for an unknown token */
export async function showPage(ports: Ports, token: string, language: Spoken): Promise<string> {
  const kept = await keptBy(ports, 'page', token)
  return textOf(kept, language, (shown) => renderPage(shown, language, ports.settings.timeZone))
}

/** The badge of a token, as SVG. @throws {Refusal} not_found for an unknown token */
export async function showBadge(
  ports: Ports,
  token: string,
  { language, show }: { readonly language: Spoken; readonly show: 'state' | 'availability' },
): Promise<string> {
  const kept = await keptBy(ports, 'badge', token)
  const words = WORDS[language]
  return textOf(kept, `${show} ${language}`, ({ object, percent }) =>
    show === 'state'
      ? badgeOf(object.name, words.states[object.state], toneOf(object.state))
      : badgeOf(object.name, percentText(percent, words), toneOfPercent(percent)),
  )
}

function textOf({ shown, texts }: CachedStatus, form: string, make: (shown: PublicStatus) => string): string {
  let text = texts.get(form)
  if (text === undefined) texts.set(form, (text = make(shown)))
  return text
}

/** Empties the cache after a change. */
export function forgetShown(ports: Ports): void {
  known.get(ports)?.clear()
}

async function keptBy(ports: Ports, kind: 'page' | 'badge', token: string): Promise<CachedStatus> {
  const hash = await sha256(token)
  let recent = known.get(ports)
  if (!recent) known.set(ports, (recent = new TtlCache(SHOWN_MS)))
  const kept = await recent.find(`${kind} ${hash}`, ports.clock.now(), async () => {
    const shown = await readShown(ports, kind, hash)
    return shown && { shown, texts: new Map<string, string>() }
  })
  if (!kept) throw new Refusal('not_found', 'There is nothing at this path.')
  return kept
}

async function readShown(ports: Ports, kind: 'page' | 'badge', hash: string): Promise<PublicStatus | null> {
  const { database, clock, settings } = ports
  const found = await store.findShown(database, kind, hash)
  if (!found) return null
  const [row, ...children] = await store.readShown(database, found.objectId)
  if (!row) return null
  const at = clock.now()
  const edges = edgesOf(at, found.days, settings.timeZone)
  const range = { beginAt: Math.max(edges[0] ?? at, row.createdAt), endAt: at }
  const { spans } = await readPast(database, row, { range, recalc: false })
  return {
    object: { ...objectOf(row), name: found.title ?? row.name },
    children: kind === 'page' ? children.map(objectOf) : [],
    days: daysOf(spans, edges, COUNTED),
    percent: availabilityOf(spans, COUNTED).percent,
    at,
  }
}

function objectOf({ name, state, sinceAt, maintainedUntilAt }: ShownRow): ShownObject {
  return { name, state, sinceAt, maintainedUntilAt }
}

/** The borders of the last days in a time zone; the last one is the start of tomorrow. */
function edgesOf(at: number, days: number, timeZone: string): readonly number[] {
  const today = Temporal.Instant.fromEpochMilliseconds(at).toZonedDateTimeISO(timeZone).startOfDay()
  return Array.from({ length: days + 1 }, (_, index) =>
    Number(today.add({ days: index + 1 - days }).startOfDay().epochMilliseconds),
  )
}
