import { idsOf } from '../../../access/rights/permissions.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { commit } from '../../../ports/database.ts'
import type { Database } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { isCaughtUp, AlarmPass } from '../pass.ts'
import * as store from '../store.ts'
import type { AlarmRow, PendingRow } from '../store.ts'
import { findBad, findOpening, saveOpened } from '../store/links.ts'
import type { BadRow, OpeningRow } from '../store/links.ts'
import { readNeeded, readSuspects } from '../store/suspects.ts'

const PENDING_AT_ONCE = 1_000
const DUE_AT_ONCE = 500
const DUE_ROUNDS_MAX = 10
const OPENED_AT_ONCE = 500
const SUSPECTS_PER_OBJECT = 10

/** Opens, changes and closes alarms for all pending transitions. The commit that stores the alarms also marks the
 * transitions as done, so a repetition does nothing. Must not run concurrently with itself.
 * @returns when an alarm is due next, epoch ms; Infinity for never */
export async function raiseAlarms(ports: Pick<Ports, 'database' | 'clock'>): Promise<number> {
  const { database } = ports
  while (
    await step(ports, async () => ({
      ...NOTHING,
      pending: await store.readPending(database, PENDING_AT_ONCE),
    }))
  );
  return store.readNextAt(database)
}

/** Raises alarms for pending transitions and new links, and advances alarms that time has changed, dated when the
 * change was due, or whose cause has closed. A large backlog continues in the next call. Must not run concurrently with
 * itself.
 * @returns when an alarm is due next, epoch ms; Infinity for never */
export async function advanceAlarms(ports: Pick<Ports, 'database' | 'clock'>): Promise<number> {
  const { database, clock } = ports
  await raiseAlarms(ports)
  for (let round = 0; round < DUE_ROUNDS_MAX; round++) {
    const isMore = await step(ports, async () => ({ ...NOTHING, linked: await readLinked(database) }))
    if (!isMore) break
  }
  for (let round = 0; round < DUE_ROUNDS_MAX; round++) {
    const isMore = await step(ports, async () => ({
      ...NOTHING,
      due: await store.readDue(database, clock.now(), DUE_AT_ONCE),
    }))
    if (!isMore) break
  }
  return store.readNextAt(database)
}

/** Runs one step, again if users have changed alarms in the meantime. @returns whether there was work */
async function step(
  { database, clock }: Pick<Ports, 'database' | 'clock'>,
  read: () => Promise<Work>,
): Promise<boolean> {
  return retryOnConflict(store.isOvertaken, async () => {
    const work = await read()
    if (work.pending.length === 0 && work.due.length === 0 && work.linked === null) return false
    await raiseAndSave(database, work, clock.now())
    return true
  })
}

const NOTHING = { pending: [], due: [], linked: null } as const

type Work = {
  readonly pending: readonly PendingRow[]
  readonly due: readonly AlarmRow[]
  readonly linked: Linked | null
}

/** A new link with some objects that were bad when it was created; the next step continues after `openedTo`. */
type Linked = {
  readonly link: OpeningRow
  readonly objects: readonly BadRow[]
  readonly openedTo: string | null
}

async function readLinked(database: Database): Promise<Linked | null> {
  const link = await findOpening(database)
  if (!link) return null
  const objects = await findBad(database, link, OPENED_AT_ONCE)
  const isAll = objects.length < OPENED_AT_ONCE
  return { link, objects, openedTo: isAll ? null : (objects.at(-1)?.path ?? null) }
}

async function raiseAndSave(database: Database, { pending, due, linked }: Work, now: number): Promise<void> {
  const byObject = Map.groupBy(pending, ({ objectId }) => objectId)
  const changed = [...byObject.keys()]
  const [covering, open, lastId] = await Promise.all([
    store.readCovering(database, changed),
    store.readOpen(database, changed),
    store.readLastId(database),
  ])
  const known = new Set(open.map(({ id }) => id))
  const round = new AlarmPass([...open, ...due.filter(({ id }) => !known.has(id))], covering, lastId)
  for (const transitions of byObject.values()) round.follow(transitions, now)
  if (linked) round.link(linked.link, linked.objects, now)
  for (const { id } of due) round.pass(id, now)
  const ids = due.map(({ id }) => id)
  await explain(database, round, { ids, now })
  await commit(database, [
    ...(changed.length > 0 ? [store.saveAlarmed(database, [...byObject.values()].flatMap(alarmedOf))] : []),
    ...(ids.length > 0 ? [store.forgetUnexplained(database, ids)] : []),
    ...(linked ? [saveOpened(database, linked.link, linked.openedTo)] : []),
    ...store.saveAlarms(database, round.told),
  ])
}

async function explain(
  database: Database,
  round: AlarmPass,
  { ids, now }: { readonly ids: readonly number[]; readonly now: number },
): Promise<void> {
  const alarms = round.unexplained(new Set(ids))
  if (alarms.length === 0) return
  const needed = await readNeeded(database, [...new Set(alarms.map(({ objectId }) => objectId))])
  const above = new Set(alarms.flatMap(({ path }) => idsOf(path).slice(0, -1)))
  const places = { objectIds: [...above], paths: [...new Set(needed.map(({ path }) => path))] }
  const suspects = await readSuspects(database, places, SUSPECTS_PER_OBJECT)
  round.explain(alarms, { needed, suspects }, now)
}

function alarmedOf(transitions: readonly PendingRow[]): store.Alarmed[] {
  const last = transitions.at(-1)
  if (!last) return []
  const { objectId, alarmedSeq: fromSeq, latestSeq, isFlapping, wasFlapping } = last
  const toSeq = last.seq ?? latestSeq
  const isAll = isCaughtUp(transitions)
  return [
    {
      objectId,
      fromSeq,
      toSeq,
      isFlapping: isAll ? isFlapping : wasFlapping,
      news: isAll ? last.news : null,
    },
  ]
}
