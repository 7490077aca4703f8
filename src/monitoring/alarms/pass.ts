import { idsOf } from '../../access/rights/permissions.ts'
import type { Alarm, AlarmChange, AlarmEvent, Step, Terms } from './alarm.ts'
import { openAlarm, opens, rank } from './alarm.ts'
import { stepAlarm } from './course.ts'
import type { AlarmRow, CoveringRow, PendingRow, ChangedAlarm } from './store.ts'
import type { News } from '../states/propagation.ts'
import type { BadRow } from './store/links.ts'
import type { Needed, Suspect } from './store/suspects.ts'

/** Reasons of transitions that carry the job's own message. */
const OWN_REASONS: ReadonlySet<string> = new Set(['delivery', 'threshold', 'timeout', 'forced'])

type Entry = { row: AlarmRow; changes: AlarmChange[] }

/** An alarm to open: its object, its link and its reason. */
type Opening = Pick<AlarmRow, 'objectId' | 'path'> & {
  readonly link: CoveringRow
  readonly opening: Pick<AlarmRow, 'reason' | 'message' | 'silentSinceAt' | 'openedSeq'>
}

/** Applies transitions and the passing of time to alarms: one open alarm for each object and link that covers it.
 * Causes are searched after all transitions were applied, so that objects that became bad together find each other. */
export class AlarmPass {
  readonly #entries: Map<number, Entry>
  readonly #byObject = new Map<number, Entry[]>()
  readonly #covering: ReadonlyMap<number, readonly CoveringRow[]>
  #lastId: number

  /** @param open the open alarms of all objects concerned
   * @param lastId the highest id so far; new alarms get the ids after it */
  constructor(open: readonly AlarmRow[], covering: readonly CoveringRow[], lastId: number) {
    this.#entries = new Map()
    for (const row of open) this.#add({ row, changes: [] })
    this.#covering = Map.groupBy(covering, ({ objectId }) => objectId)
    this.#lastId = lastId
  }

  /** All alarms that changed, with their changes; closed alarms come before those that replace them. */
  get told(): readonly ChangedAlarm[] {
    return [...this.#entries.values()]
      .filter(({ changes }) => changes.length > 0)
      .toSorted((a, b) => Number(a.row.endAt === null) - Number(b.row.endAt === null))
  }

  /** Applies the pending transitions of one object, in their order. */
  follow(pending: readonly PendingRow[], now: number): void {
    const [first] = pending
    if (!first) return
    const { isFlapping, wasFlapping, objectId } = first
    const flap = (at: number) => this.#step(objectId, { kind: 'flapping', isFlapping, at })
    if (isFlapping && !wasFlapping) flap(first.seq === null ? now : first.at)
    for (const transition of pending) if (transition.seq !== null) this.#turn(transition, transition.seq)
    if (!isCaughtUp(pending)) return
    if (wasFlapping && !isFlapping) flap(now)
    if (first.news !== null) this.#update(objectId, JSON.parse(first.news) as News)
  }

  /** Opens alarms of a new link for objects that are already bad, dated now. */
  link(link: CoveringRow, objects: readonly BadRow[], at: number): void {
    for (const { objectId, path, state, isFlapping, seq: openedSeq, message, silentSinceAt } of objects) {
      const opening = { reason: 'link', message, silentSinceAt, openedSeq }
      this.#open({ objectId, path, link, opening }, { state, at, isFlapping })
    }
  }

  /** Applies the passing of time to an alarm. */
  pass(id: number, now: number): void {
    const entry = this.#entries.get(id)
    if (!entry) return
    this.#take(entry, { kind: 'time', at: now })
    const { status, assigneeId } = entry.row
    if (status === 'assigned' && assigneeId === null) this.#take(entry, { kind: 'orphaned', at: now })
  }

  /** The open alarms whose cause must be searched: those that changed, and those with these ids. */
  unexplained(ids: ReadonlySet<number>): readonly AlarmRow[] {
    return [...this.#entries.values()].flatMap(({ row, changes }) =>
      row.endAt === null && (changes.length > 0 || ids.has(row.id)) ? [row] : [],
    )
  }

  /** Sets the causes of alarms: an open alarm of an object that the alarm's object depends on, or a worse one of an
   * object above it for the same recipient, without a cause of its own. Of alarms that could cause each other, one
   * stays without a cause. */
  explain(
    alarms: readonly AlarmRow[],
    { needed, suspects }: { readonly needed: readonly Needed[]; readonly suspects: readonly Suspect[] },
    now: number,
  ): void {
    const tops = Map.groupBy(needed, ({ sourceId }) => sourceId)
    const all = new Map<number, Suspect>(suspects.map((suspect) => [suspect.id, suspect]))
    // Alarms of this pass are not stored yet, or have changed since.
    for (const { row } of this.#entries.values()) all.set(row.id, row)
    const byObject = Map.groupBy(all.values(), ({ objectId }) => objectId)
    for (const { id, objectId, path } of alarms) {
      const entry = this.#entries.get(id)
      if (!entry) continue
      const paths = (tops.get(objectId) ?? []).map((top) => top.path)
      const isNeeded = (suspect: Suspect) => paths.some((top) => suspect.path.startsWith(top))
      const isWorse = ({ state, recipientId }: Suspect) =>
        recipientId === entry.row.recipientId && rank(state) < rank(entry.row.state)
      const above = idsOf(path).flatMap((one) => byObject.get(one) ?? [])
      const found = [
        ...above.filter(isWorse),
        ...(paths.length > 0 ? [...all.values()].filter(isNeeded) : []),
      ]
      const by = found.find((suspect) => suspect.objectId !== objectId && this.#isTold(suspect.id))
      this.#suppress(entry, by?.id ?? null, now)
    }
  }

  /** Whether an open alarm has no cause. */
  #isTold(id: number): boolean {
    const row = this.#entries.get(id)?.row
    return !row || (row.endAt === null && row.suppressedBy === null)
  }

  #suppress(entry: Entry, by: number | null, now: number): void {
    const told = entry.changes.length
    const at = entry.changes.at(-1)?.at ?? now
    this.#take(entry, { kind: 'suppression', by, at })
    if (by === null || entry.changes.length === told) return
    // The changes get the cause that was found after they were made.
    entry.changes = entry.changes.map((change) => ({
      ...change,
      details: { ...change.details, isSilent: true, suppressedBy: by },
    }))
  }

  #turn({ objectId, path, isFlapping, ...told }: PendingRow, seq: number): void {
    this.#step(objectId, { kind: 'state', state: told.to, at: told.at })
    if (OWN_REASONS.has(told.reason)) this.#say(objectId, told)
    const isOpen = new Set(this.#openOf(objectId).map(({ row }) => row.linkId))
    for (const link of this.#covering.get(objectId) ?? []) {
      if (isOpen.has(link.id) || !opens(told.to, link)) continue
      const { reason, message, silentSinceAt } = told
      const opening = { reason, message, silentSinceAt, openedSeq: seq }
      this.#open({ objectId, path, link, opening }, { state: told.to, at: told.at, isFlapping })
    }
  }

  #open({ objectId, path, link, opening }: Opening, bad: Parameters<typeof openAlarm>[0]): void {
    const { id: linkId, recipientId, minState, delayMs, recoveryDelayMs } = link
    const { alarm, changes } = openAlarm(bad, link)
    const terms: Terms = { minState, delayMs, recoveryDelayMs }
    const named = { id: ++this.#lastId, objectId, linkId, path, recipientId, terms }
    this.#add({ row: { ...alarm, ...opening, ...named, version: changes.length }, changes: [...changes] })
  }

  #step(objectId: number, event: AlarmEvent): void {
    for (const entry of this.#openOf(objectId)) this.#take(entry, event)
  }

  /** The object is as bad as before, with another error code or message. */
  #update(objectId: number, { at, message, silentSinceAt, errorCode, isNewCode }: News): void {
    // The time of the event is not before the latest change of the alarm.
    for (const entry of this.#openOf(objectId)) {
      const event = { kind: 'message', message, errorCode, isNewCode } as const
      this.#take(entry, { ...event, at: Math.max(at, entry.row.beginAt, entry.changes.at(-1)?.at ?? 0) })
    }
    this.#say(objectId, { message, silentSinceAt })
  }

  /** Open alarms show the current message of their object. */
  #say(objectId: number, { message, silentSinceAt }: Pick<AlarmRow, 'message' | 'silentSinceAt'>): void {
    for (const entry of this.#openOf(objectId)) entry.row = { ...entry.row, message, silentSinceAt }
  }

  #openOf(objectId: number): readonly Entry[] {
    return (this.#byObject.get(objectId) ?? []).filter(({ row }) => row.endAt === null)
  }

  #add(entry: Entry): void {
    const { id, objectId } = entry.row
    this.#entries.set(id, entry)
    const others = this.#byObject.get(objectId)
    if (others) others.push(entry)
    else this.#byObject.set(objectId, [entry])
  }

  #take(entry: Entry, event: AlarmEvent): void {
    const { row, changes } = stepRow(entry.row, event)
    entry.row = row
    entry.changes.push(...changes)
  }
}

/** Whether these transitions are all pending transitions of the object. */
export function isCaughtUp(pending: readonly PendingRow[]): boolean {
  const last = pending.at(-1)
  return last === undefined || last.seq === null || last.seq === last.latestSeq
}

/** A stored alarm after an event. */
export function stepRow(row: AlarmRow, event: AlarmEvent): { row: AlarmRow } & Pick<Step, 'changes'> {
  const { alarm, changes }: { alarm: Alarm; changes: readonly AlarmChange[] } = stepAlarm(
    row,
    event,
    row.terms,
  )
  return { row: { ...row, ...alarm, version: row.version + changes.length }, changes }
}
