import { recorder } from '../../../access/audit/service.ts'
import { requireUser } from '../../../context.ts'
import type { Context } from '../../../context.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { DAY_MS, timeFormat } from '../../../lib/time.ts'
import { commit, commitAndRead, onlyOf, refuseFull } from '../../../ports/database.ts'
import { readData } from '../data/service.ts'
import { isShown, visibleDefinition } from '../publics/visible.ts'
import type { DashboardRef } from '../schema.ts'
import { requireDashboard } from '../service/views.ts'
import type { SnapshotBody, SnapshotContents, SnapshotSummary } from './schema.ts'
import * as store from './store.ts'
import type { SnapshotRow } from './store.ts'

const recorded = recorder('dashboard snapshot')

const KEPT_MS = 90 * DAY_MS
/** Of the contents, as JSON. */
const CONTENTS_MAX_BYTES = 1_500_000
const SNAPSHOTS_MAX = 100

type Snapshot = SnapshotSummary & SnapshotContents

/** Freezes the data of a dashboard as the caller sees it. @throws {Refusal} too_large, conflict when the caller has 100, and
 * as `readData` */
export async function takeSnapshot(
  context: Context,
  ref: DashboardRef,
  { name, params, timeRange }: SnapshotBody,
): Promise<Snapshot> {
  const { ports } = context
  const { database, clock } = ports
  const caller = requireUser(context)
  const { row, definition } = await requireDashboard(context, ref, 'read')
  const widgets = Object.entries(definition.widgets).flatMap(([id, widget]) => (isShown(widget) ? [id] : []))
  const asked = { params, widgets, etags: {}, width: {}, ...(timeRange && { timeRange }) }
  const data = await readData(context, row.id, asked)
  const contents = JSON.stringify({ definition: visibleDefinition(definition), data })
  if (new TextEncoder().encode(contents).byteLength > CONTENTS_MAX_BYTES)
    throw new Refusal(
      'too_large',
      `A snapshot has at most ${CONTENTS_MAX_BYTES} bytes. Choose a shorter range.`,
    )
  const now = clock.now()
  const made = {
    dashboardId: row.id,
    userId: caller.userId,
    name: name ?? row.name,
    createdAt: now,
    untilAt: now + KEPT_MS,
    contents,
  }
  const full = `A user has at most ${SNAPSHOTS_MAX} snapshots. Delete one first.`
  const after = { dashboardId: row.id, name: made.name }
  const writes = [
    ...store.insertSnapshot(database, made, SNAPSHOTS_MAX),
    recorded(context, 'create', { objectId: { inserted: true }, after }),
  ]
  const [latest] = await refuseFull('dashboard_snapshots', full, () =>
    commitAndRead(database, writes, [store.selectLatest(database, caller.userId)]),
  )
  return viewOf(context, { ...made, ...onlyOf(latest) })
}

/** The snapshots of the caller; of all users for an administrator. */
export async function listSnapshots(context: Context): Promise<SnapshotSummary[]> {
  const { database, clock } = context.ports
  const { userId, role } = requireUser(context)
  const own = role === 'administrator' ? null : userId
  const rows = await store.listSnapshots(database, { userId: own, now: clock.now(), limit: 1_000 })
  return rows.map((row) => summaryOf(context, row))
}

/** @throws {Refusal} not_found, also for snapshots of others */
export async function readSnapshot(context: Context, id: number): Promise<Snapshot> {
  return viewOf(context, await requireSnapshot(context, id))
}

/** @throws {Refusal} not_found, also for snapshots of others */
export async function deleteSnapshot(context: Context, id: number): Promise<void> {
  const { database } = context.ports
  const { name, dashboardId } = await requireSnapshot(context, id)
  await commit(database, [
    store.deleteSnapshot(database, id),
    recorded(context, 'delete', { objectId: id, before: { dashboardId, name } }),
  ])
}

/** The data has the rights of one user, so that others do not read it. */
async function requireSnapshot(context: Context, id: number): Promise<SnapshotRow> {
  const { database, clock } = context.ports
  const { userId, role, bounds = [] } = requireUser(context)
  const row = await store.findSnapshot(database, id, clock.now())
  const isOwn = row?.userId === userId && bounds.length === 0
  if (!row || !(isOwn || role === 'administrator')) throw noSuch('snapshot')
  return row
}

function summaryOf(
  { ports: { settings } }: Context,
  { id, dashboardId, name, createdAt, untilAt }: Omit<SnapshotRow, 'contents'>,
): SnapshotSummary {
  const format = timeFormat(settings.timeZone)
  return { id, dashboardId, name, createdAt: format(createdAt), until: format(untilAt) }
}

function viewOf(context: Context, row: SnapshotRow): Snapshot {
  return { ...summaryOf(context, row), ...(JSON.parse(row.contents) as SnapshotContents) }
}
