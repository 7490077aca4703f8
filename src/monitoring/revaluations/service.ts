import { audited } from '../../access/audit/service.ts'
import type { AuditedAction } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { commitIfMatch } from '../../http/preconditions.ts'
import { Refusal, invalidAt, noSuch, stale } from '../../lib/errors.ts'
import { decodeNumbers, pageOf } from '../../lib/paging.ts'
import type { Range } from '../../lib/range.ts'
import { retryOnConflict } from '../../lib/retry.ts'
import { DAY_MS, parseInstant, timeFormat } from '../../lib/time.ts'
import { commit, isNotNullViolation, refuseFull } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import { enqueueMaintenance } from '../states/service.ts'
import type { ObjectType } from '../tree/schema.ts'
import { requireObject } from '../tree/service.ts'
import { checkOccurrences, checkPast, entered } from './input.ts'
import type { RevaluationInput } from './input.ts'
import { isActiveAt, nextChange, occurrencesIn } from './occurrences.ts'
import type { RevaluationBody, RevaluationsQuery, RevaluationView } from './schema.ts'
import * as store from './store.ts'
import type { RevaluationRow } from './store.ts'

export { advanceMaintenance, reviewSlice, reviewUrgent } from './service/advance.ts'
export type { Advanced } from './service/advance.ts'

const REVALUATIONS_MAX = 10_000
const FULL = `An object has at most ${REVALUATIONS_MAX} revaluations. Delete one first.`

/** The object that a request names, by type and id. */
export type ObjectName = { readonly type: ObjectType; readonly id: number }

type Versioned = { readonly revaluation: RevaluationView; readonly version: number }

/** The revaluations of an object that overlap a range, by begin: a page of `limit`, or all.
 * @returns `next` is the cursor of the next page, null for the last
 * @throws {Refusal} not_found, invalid */
export async function listRevaluations(
  context: Context,
  object: ObjectName,
  query: RevaluationsQuery,
): Promise<{ readonly items: RevaluationView[]; readonly next: string | null }> {
  const { ports } = context
  const { id } = await requireObject(context, object.id, { type: object.type, right: 'read' })
  const now = ports.clock.now()
  const range = listedRange(query, now)
  const [afterBeginAt, afterId] = query.cursor === undefined ? [-Infinity, 0] : decodeNumbers(query.cursor, 2)
  const rows = await store.readRevaluations(ports.database, [id], { ...range, limit: REVALUATIONS_MAX })
  const listed = rows
    .filter(
      ({ beginAt, id: ownId }) => beginAt > afterBeginAt || (beginAt === afterBeginAt && ownId > afterId),
    )
    .filter((row) => query.edit || !row.editOnly)
    .filter((row) => !query.active || isActiveAt(row, now))
  const { shown, next } = pageOf(listed, query.limit ?? REVALUATIONS_MAX, (row) => [row.beginAt, row.id])
  return { items: shown.map((row) => viewOf(context, object.type, row)), next }
}

/** The range of a list: from a day ago on unless the query says otherwise. @throws {Refusal} invalid */
export function listedRange({ begin, end }: Pick<RevaluationsQuery, 'begin' | 'end'>, now: number): Range {
  const beginAt = begin === undefined ? now - DAY_MS : parseInstant(begin)
  const endAt = end === undefined ? Number.MAX_SAFE_INTEGER : parseInstant(end)
  if (beginAt >= endAt) throw invalidAt('?end', 'must be later than begin')
  return { beginAt, endAt }
}

/** @throws {Refusal} not_found */
export async function readRevaluation(context: Context, object: ObjectName, id: number): Promise<Versioned> {
  await requireObject(context, object.id, { type: object.type, right: 'read' })
  const row = await requireRevaluation(context, object, id)
  return { revaluation: viewOf(context, object.type, row), version: row.version }
}

/** Creates a revaluation. Maintenance with a start in the past is split in two: a correction of the past, and live
 * maintenance, which is returned.
 * @throws {Refusal} not_found, forbidden, invalid, conflict for an adjustment of an open outage */
export async function createRevaluation(
  context: Context,
  object: ObjectName,
  body: RevaluationBody,
): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  await requireObject(context, object.id, { type: object.type, right: 'maintain' })
  const now = ports.clock.now()
  const what = entered(body, ports.settings.timeZone)
  checkOccurrences(what)
  const createdBy = context.caller.kind === 'user' ? context.caller.userId : 0
  const row = (part: RevaluationInput, inPast: boolean): store.NewRevaluation => {
    const made = { ...part, objectId: object.id, inPast, createdAt: now, createdBy }
    return { ...made, running: false, nextAt: inPast ? null : now }
  }
  const also = recorded(context, 'create', {
    id: { inserted: true },
    after: { ...what, objectId: object.id },
  })
  const made = await refuseFull('revaluations', FULL, () =>
    adjusting(context, object.id, what, (guards) =>
      store.insertRevaluations(database, partsOf(what, now, row), { also, max: REVALUATIONS_MAX, guards }),
    ),
  )
  await ports.flow.runDue()
  return { revaluation: viewOf(context, object.type, made), version: made.version }
}

/** Replaces a revaluation. Of maintenance that has begun, only the future changes.
 * @throws {Refusal} not_found, forbidden, invalid, precondition_failed, conflict if it has ended */
export async function updateRevaluation(
  context: Context,
  object: ObjectName,
  change: { readonly revaluationId: number; readonly body: RevaluationBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  await requireObject(context, object.id, { type: object.type, right: 'maintain' })
  // Maintenance that is due begins before the change.
  await ports.flow.runDue()
  const row = await requireRevaluation(context, object, change.revaluationId)
  if (change.ifMatch !== null && change.ifMatch !== row.version) throw stale('revaluation')
  const now = ports.clock.now()
  const what = entered(change.body, ports.settings.timeZone)
  if (what.type !== row.type) throw invalidAt('/type', 'cannot be changed')
  checkOccurrences(what)
  if (row.type === 'maintenance' && row.inPast) checkPast(what, now)
  if (isLived(row)) checkLived(row, what, now)
  const next = { running: row.running, nextAt: isLived(row) ? now : null }
  await refuseOvertaken(() =>
    adjusting(context, object.id, what, (guards) =>
      commit(ports.database, [
        store.updateRevaluation(ports.database, row, { ...what, ...next }),
        recorded(context, 'update', { id: row.id, before: row, after: what }),
        ...guards,
      ]),
    ),
  )
  await ports.flow.runDue()
  const version = row.version + 1
  return { revaluation: viewOf(context, object.type, { ...row, ...what, ...next, version }), version }
}

/** Deletes a revaluation, or ends it now if it has begun.
 * @throws {Refusal} not_found, forbidden, conflict if it has ended */
export async function deleteRevaluation(context: Context, object: ObjectName, id: number): Promise<void> {
  const { ports } = context
  const { database } = ports
  await requireObject(context, object.id, { type: object.type, right: 'maintain' })
  await ports.flow.runDue()
  const row = await requireRevaluation(context, object, id)
  const now = ports.clock.now()
  const stays = isLived(row) && hasBegun(row, now)
  if (stays && isOver(row, now)) throw over()
  await commitIfMatch(context, { ...row, table: 'revaluations' }, [
    stays ? store.cancelRevaluation(database, row, now) : store.deleteRevaluation(database, id),
    // Always, because it may have begun since it was read.
    enqueueMaintenance(database, [{ objectId: object.id, at: now }]),
    recorded(context, 'delete', { id, before: row }),
  ])
  ports.log.info('revaluations: revaluation deleted', { revaluationId: id, objectId: object.id, stays })
  await ports.flow.runDue()
}

type RevaluationAudit = {
  readonly id: AuditedAction['objectId']
  readonly before?: object
  readonly after?: object
}

function recorded(context: Context, action: string, { id, ...told }: RevaluationAudit) {
  return audited(context, { action, objectType: 'revaluation', objectId: id, ...told })
}

/** @throws {Refusal} precondition_failed when the revaluation was changed in the meantime */
async function refuseOvertaken(write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    if (!isNotNullViolation(error, 'revaluations.version')) throw error
    throw stale('revaluation')
  }
}

async function requireRevaluation(
  { ports }: Context,
  object: ObjectName,
  id: number,
): Promise<RevaluationRow> {
  const row = await store.findRevaluation(ports.database, object.id, id)
  if (!row) throw noSuch('revaluation')
  return row
}

/** Commits a revaluation with writes that hold an adjustment to the outage that it was checked against.
 * @throws {Refusal} invalid when an adjustment is not in the past, conflict when it overlaps an open outage */
function adjusting<Result>(
  { ports: { database, clock } }: Context,
  objectId: number,
  what: RevaluationInput,
  write: (guards: readonly Write[]) => Promise<Result>,
): Promise<Result> {
  if (what.type !== 'adjustment') return write([])
  checkPast(what, clock.now())
  return retryOnConflict(store.isOtherOutage, async () => {
    const openSince = await store.findOpenOutage(database, objectId)
    if (openSince !== null && appliesIn(what, openSince, what.endAt))
      throw new Refusal('conflict', 'The object has an outage that has not ended yet; it cannot be adjusted.')
    return write([store.guardOpenOutage(database, objectId, openSince)])
  })
}

type Row = store.NewRevaluation

/** The revaluation, split at `now` if it applies both before and after. */
function partsOf(
  what: RevaluationInput,
  now: number,
  row: (part: RevaluationInput, inPast: boolean) => Row,
): readonly [Row, Row?] {
  if (what.type === 'comment') return [{ ...row(what, what.beginAt < now), nextAt: null }]
  const isPast = appliesIn(what, what.beginAt, now)
  const isToCome = appliesIn(what, now, what.endAt)
  if (!isPast || !isToCome) return [row(what, isPast)]
  return [row({ ...what, endAt: now }, true), row({ ...what, beginAt: now }, false)]
}

/** Checks that the past of begun maintenance stays unchanged. @throws {Refusal} invalid, conflict */
function checkLived(row: RevaluationRow, what: RevaluationInput, now: number): void {
  if (isOver(row, now)) throw over()
  if (!hasBegun(row, now)) {
    if (!appliesIn(what, what.beginAt, now)) return
    throw invalidAt('/begin', 'must not be in the past; create a separate revaluation for the past')
  }
  if (what.beginAt !== row.beginAt)
    throw invalidAt('/begin', 'cannot be changed after the revaluation has begun')
  if (what.slaRelevant !== row.slaRelevant)
    throw invalidAt('/slaRelevant', 'cannot be changed after the revaluation has begun')
  if (what.endAt < now) throw invalidAt('/end', 'must not be in the past')
  if (JSON.stringify(what.active) !== JSON.stringify(row.active))
    throw invalidAt('/active', 'cannot be changed after the revaluation has begun')
}

/** Whether it applies as time passes, and is not a correction of the past. */
function isLived(row: RevaluationRow): boolean {
  return row.type === 'maintenance' && !row.inPast
}

function hasBegun(row: RevaluationRow, now: number): boolean {
  return appliesIn(row, row.beginAt, now + 1)
}

function appliesIn(what: RevaluationInput | RevaluationRow, beginAt: number, endAt: number): boolean {
  return occurrencesIn(what, { beginAt, endAt }).length > 0
}

function isOver(row: RevaluationRow, now: number): boolean {
  return row.cancelledAt !== null || (!isActiveAt(row, now) && nextChange(row, now) === null)
}

/** A revaluation as the interface shows it. */
export function viewOf({ ports }: Context, objectType: ObjectType, row: RevaluationRow): RevaluationView {
  const format = timeFormat(ports.settings.timeZone)
  const { status, nextBeginAt, nextEndAt } = progressOf(row, ports.clock.now())
  const shown = (at: number | null) => (at === null ? null : format(at))
  const { id, objectId, type, adjustTo, inPast, linkedId, incident, name, comment, slaRelevant } = row
  const common = { id, objectId, objectType, type, adjustTo, inPast, linkedId, incident, name, comment }
  return {
    ...common,
    slaRelevant,
    begin: format(row.beginAt),
    end: format(row.endAt),
    created: format(row.createdAt),
    createdBy: row.createdBy,
    active: row.active.map((entry) => ({ ...entry, times: [...entry.times] })),
    status,
    nextBegin: shown(nextBeginAt),
    nextEnd: shown(nextEndAt),
    editOnly: row.editOnly,
    warnings: row.editOnly ? [BEGIN_DIFFERS] : [],
  }
}

const BEGIN_DIFFERS = {
  code: 'begin_differs',
  message:
    'The time of day of begin differs from the times in `active`, so lists contain the revaluation only with edit=true.',
} as const

/** The status of a revaluation, and its next start and end. */
function progressOf(row: RevaluationRow, now: number) {
  const isRunning = row.cancelledAt === null && isActiveAt(row, now)
  const firstAt = nextChange(row, now)
  const secondAt = firstAt === null ? null : nextChange(row, firstAt)
  if (isRunning) return { status: 'running', nextBeginAt: secondAt, nextEndAt: firstAt } as const
  if (row.cancelledAt !== null) return { status: 'cancelled', nextBeginAt: null, nextEndAt: null } as const
  const status = firstAt === null ? 'ended' : 'planned'
  return { status, nextBeginAt: firstAt, nextEndAt: secondAt } as const
}

function over(): Refusal {
  return new Refusal('conflict', 'The revaluation has ended and cannot be changed.')
}
