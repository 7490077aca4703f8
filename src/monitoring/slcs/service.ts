import type { Context } from '../../context.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { lengthMs } from '../../lib/range.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit } from '../../ports/database.ts'
import { insertFirstState, enqueueTallies } from '../states/service.ts'
import * as tree from '../tree/service.ts'
import type { ObjectRow } from '../tree/service.ts'
import { activeSpans } from './active-time.ts'
import { creditOf } from './credit.ts'
import { creditView, LOOK_BACK_MS, paceOf } from './figures.ts'
import { periodAt, PERIOD_UNITS } from './periods.ts'
import type { PeriodRules, PeriodUnit } from './periods.ts'
import type { SlcBody, SlcValues, SlcView } from './schema.ts'
import { groundOf, outcomeOf, readBadTime, within } from './service/used.ts'
import * as store from './store.ts'
import type { Judged, SlcRow } from './store.ts'

export { assessDueSlcs } from './service/assessment.ts'
export { readBurn } from './service/burn.ts'
export { readSlcHistory } from './service/history.ts'
export { listPeriods, recalculatePeriods } from './service/periods.ts'

const NEW_SLC = { subType: 'sla', instanceType: 'none' } as const
/** Reset intervals that may be shorter than the duration. */
const FLOATING: readonly PeriodUnit[] = ['day', 'month']

type Versioned = { readonly slc: SlcView; readonly version: number }

/** @throws {Refusal} not_found */
export async function readSlc(context: Context, id: number): Promise<Versioned> {
  const object = await tree.requireObject(context, id, { type: 'slc', right: 'read' })
  return { slc: await viewOf(context, object), version: object.version }
}

/** Creates a service level container in a group; it has no children yet.
 * @throws {Refusal} not_found for the parent, forbidden, invalid */
export async function createSlc(context: Context, parentId: number, body: SlcBody): Promise<Versioned> {
  const { ports } = context
  const { database } = ports
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  const row = { ...rulesOf(body, ports.settings.timeZone), ...termsOf(body) }
  const createdAt = ports.clock.now()
  const object = {
    ...tree.commonFields(body, NEW_SLC),
    type: 'slc' as const,
    parentId: parent.id,
    templateId: null,
    collectorId: 0,
    createdAt,
  }
  const id = await tree.createObject(context, { input: object, own: auditFieldsOf(row) }, (path) => [
    store.insertSlc(database, path, { ...row, createdAt }),
    insertFirstState(database, { path, state: 'ok', sinceAt: createdAt }),
  ])
  await ports.flow.runDue()
  return readSlc(context, id)
}

/** Replaces the terms of a container, and moves it if the body names another parent. The rules of its periods cannot
 * change.
 * @throws {Refusal} not_found, forbidden, precondition_failed, conflict, invalid */
export async function updateSlc(
  context: Context,
  id: number,
  change: { readonly body: SlcBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const { body, ifMatch } = change
  const object = await tree.requireObject(context, id, { type: 'slc', right: 'write' })
  const before = await requireRow(context, id)
  refuseOtherPeriods(body, before)
  const own = { before: auditFieldsOf(before), after: auditFieldsOf({ ...before, ...termsOf(body) }) }
  const fields = { ...tree.commonFields(body, object), collectorId: object.collectorId }
  const after = [store.updateTerms(ports.database, id, termsOf(body)), enqueueTallies(ports.database, id)]
  const update = { fields, parentId: body.parentId, ifMatch, own, after }
  const written = await tree.updateObject(context, object, update)
  await ports.flow.runDue()
  const { row: now, properties } = await tree.showWritten(context, written)
  return { slc: await viewOf(context, now, { properties, terms: termsOf(body) }), version: now.version }
}

/** @throws {Refusal} not_found, forbidden */
export async function deleteSlc(context: Context, id: number): Promise<void> {
  const { ports } = context
  const row = await tree.requireObject(context, id, { type: 'slc', right: 'write' })
  const writes = await tree.deleteObjectWrites(context, row, false)
  await tree.refuseOrphans(() => commit(ports.database, writes))
  ports.log.info('slcs: service level container deleted', { slcId: id })
  await ports.flow.runDue()
}

async function requireRow({ ports }: Context, id: number) {
  const row = await store.findSlc(ports.database, id)
  // Deleted between the two reads.
  if (!row) throw noSuch('service level container')
  return row
}

function auditFieldsOf({ duration, resetInterval, timeZone, ...terms }: SlcRow) {
  return { duration, resetInterval, timezone: timeZone, ...termsOf(terms) }
}

function termsOf({ limit, target, warnAt, activeTime }: store.Terms): store.Terms {
  return { limit, target, warnAt, activeTime }
}

function rulesOf(body: SlcBody, timeZone: string): PeriodRules {
  const { duration = 'month', resetInterval = duration, timezone = timeZone } = body
  const isShorter = PERIOD_UNITS.indexOf(resetInterval) < PERIOD_UNITS.indexOf(duration)
  if (resetInterval !== duration && !(isShorter && FLOATING.includes(resetInterval))) {
    throw refused([
      { pointer: '/resetInterval', message: 'must be the duration, or day or month if that is shorter' },
    ])
  }
  return { duration, resetInterval, timeZone: timezone }
}

/** With other periods, frozen ones and the current one would overlap, or leave gaps. */
function refuseOtherPeriods(body: SlcBody, { duration, resetInterval, timeZone }: PeriodRules): void {
  const fixed = { duration, resetInterval, timezone: timeZone }
  const faults = (['duration', 'resetInterval', 'timezone'] as const)
    .filter((name) => body[name] !== undefined && body[name] !== fixed[name])
    .map((name) => ({ pointer: `/${name}`, message: `cannot be changed: it is ${fixed[name]}` }))
  if (faults.length > 0) throw refused(faults)
}

function refused(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The body is invalid; see errors.', faults)
}

/** @param known the result of a commit, in place of a read */
async function viewOf(
  context: Context,
  object: ObjectRow,
  known?: { readonly properties: readonly tree.PropertyRow[]; readonly terms: store.Terms },
): Promise<SlcView> {
  const { database } = context.ports
  const [there, properties, children] = await Promise.all([
    requireRow(context, object.id),
    known?.properties ?? tree.readProperties(database, object.id),
    store.readCounted(database, object.id),
  ])
  const readable = await tree.readTypes(
    context,
    children.map(({ id }) => id),
  )
  const row = { ...there, ...known?.terms }
  const { duration, resetInterval, timeZone, limit, target, activeTime, warnAt } = row
  return {
    ...tree.commonView(object, properties),
    duration,
    resetInterval,
    timezone: timeZone,
    limit,
    target,
    activeTime: activeTime && activeTime.map((window) => ({ ...window, days: [...window.days] })),
    warnAt,
    currentState: object.state,
    hasChildren: readable.size > 0,
    values: await valuesOf(context, { id: object.id, row, children, createdAt: object.createdAt }),
  }
}

type PublishedSlc = {
  readonly id: number
  readonly row: SlcRow & { readonly judged: Judged | null }
  readonly children: readonly store.Counted[]
  readonly createdAt: number
}

/** The figures of the current period. */
async function valuesOf(
  { ports }: Context,
  { id, row, children, createdAt }: PublishedSlc,
): Promise<SlcValues> {
  const now = ports.clock.now()
  const period = periodAt(row, now)
  const isGround = row.judged?.ground === (await groundOf(row, children))
  const known = isGround && row.judged?.settled?.beginAt === period.beginAt ? row.judged.settled : null
  const settled = known ?? { at: period.beginAt, usedMs: 0 }
  const range = { beginAt: Math.min(settled.at, now - LOOK_BACK_MS), endAt: period.endAt }
  const counting = { slc: { ...row, id }, children, createdAt }
  const { badTime } = await readBadTime(ports.database, counting, range)
  const usedMs = settled.usedMs + outcomeOf(badTime, { beginAt: settled.at, endAt: now }).usedMs
  const active = activeSpans(row.activeTime, row.timeZone, period)
  const credit = creditOf(lengthMs(active), row)
  const activeMs = lengthMs(within(active, { beginAt: period.beginAt, endAt: now }))
  const spent = { credit, usedMs, limit: row.limit, active: badTime.active, bad: badTime.bad }
  const { projectedBreachAt, ...rates } = paceOf(spent, now, period.endAt)
  const format = timeFormat(ports.settings.timeZone)
  return {
    period: { begin: format(period.beginAt), end: format(period.endAt) },
    ...creditView(credit, usedMs, activeMs),
    ...rates,
    projectedBreachAt: projectedBreachAt === null ? null : format(projectedBreachAt),
  }
}
