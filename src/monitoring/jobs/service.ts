import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { durationMs } from '../../lib/duration.ts'
import { Refusal, noSuch } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Snapshot } from '../../domain/snapshot.ts'
import { divisorsOf } from '../job-config/rules.ts'
import type { Parameters } from '../job-config/schema.ts'
import { applyChanges, enqueueJobConfigs } from '../job-config/service.ts'
import { userValue } from '../job-config/value-keys.ts'
import { insertFirstState, enqueueTallies } from '../states/service.ts'
import { bareState, shownInMaintenance } from '../states/state.ts'
import {
  checkCollector,
  commonFields,
  commonView,
  createObject,
  deleteObjectWrites,
  readProperties,
  refuseOrphans,
  requireObject,
  showWritten,
  updateObject,
} from '../tree/service.ts'
import type { ObjectRow, StoredObject } from '../tree/service.ts'
import type { JobBody, JobView } from './schema.ts'
import { bandView, messageOfLimits, predictionView, unknownLimitOf } from './service/predictions.ts'
import * as store from './store.ts'
import type { JobRow } from './store.ts'

type JobFields = { readonly thresholds: boolean; readonly values: boolean }
type Versioned = { readonly job: JobView; readonly version: number }

const EVERYTHING: JobFields = { thresholds: true, values: true }

/** @throws {Refusal} not_found */
export async function readJob(context: Context, id: number, wanted: JobFields): Promise<Versioned> {
  const { database } = context.ports
  const object = await requireObject(context, id, { type: 'job', right: 'read' })
  const [row, properties] = await Promise.all([store.findJob(database, id), readProperties(database, id)])
  if (!row) throw noSuch('job')
  return versioned(context, { row: object, properties, job: row }, wanted)
}

async function versioned(
  context: Context,
  { row: object, properties, job: row }: StoredObject & { readonly job: JobRow },
  wanted: JobFields,
): Promise<Versioned> {
  const snapshot = await context.ports.jobActors.snapshot(object.id)
  const job = {
    ...commonView(object, properties),
    ...configurationView(object, row, wanted),
    ...stateView(context, { object, row, snapshot }, wanted),
  }
  return { job, version: object.version }
}

/** Creates a webhook job in a device; it accepts deliveries once this resolves.
 * @throws {Refusal} not_found when there is no such device, forbidden, invalid */
export async function createJob(context: Context, deviceId: number, body: JobBody): Promise<Versioned> {
  const { ports } = context
  const device = await requireObject(context, deviceId, { type: 'device', right: 'write' })
  await checkCollector(ports, body.collectorId, '/collectorId')
  const row = rowOf(body, { thresholds: {}, stopped: false })
  const createdAt = ports.clock.now()
  const object = {
    ...commonFields(body, { subType: 'webcollector', instanceType: 'none' }),
    type: 'job' as const,
    parentId: device.id,
    templateId: null,
    collectorId: body.collectorId,
    createdAt,
  }
  const state = row.forcedState ?? (row.stopped ? 'undefined' : 'ok')
  const id = await createObject(context, { input: object, own: auditFieldsOf(object, row) }, (path) => [
    ...store.insertJob(ports.database, { path }, row),
    enqueueJobConfigs(ports.database, { path }),
    insertFirstState(ports.database, { path, state, sinceAt: createdAt }),
    enqueueTallies(ports.database, device.id),
  ])
  await Promise.all([applyChanges(ports), ports.flow.runDue()])
  return readJob(context, id, EVERYTHING)
}

/** Replaces a job's configuration, and stops, starts, moves or forces the job accordingly. Read-only fields are
 * ignored, and `thresholds: null` and an absent `stopped` change nothing, so that a read can be sent back.
 * @throws {Refusal} not_found, forbidden, precondition_failed, invalid */
export async function updateJob(
  context: Context,
  id: number,
  change: { readonly body: JobBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const { body, ifMatch } = change
  const object = await requireObject(context, id, { type: 'job', right: 'write' })
  const before = await store.findJob(ports.database, id)
  if (!before) throw noSuch('job')
  if (body.collectorId !== object.collectorId) await checkCollector(ports, body.collectorId, '/collectorId')
  const fields = { ...commonFields(body, object), collectorId: body.collectorId }
  // Both fields name the parent: the one that differs from the stored parent counts.
  const movesByParentId = body.deviceId === undefined || body.deviceId === object.parentId
  const parentId = movesByParentId ? body.parentId : body.deviceId
  const parentPointer = movesByParentId ? '/parentId' : '/deviceId'
  const after = rowOf(unmaintained(body, object, before), before)
  const writes = [...store.updateJob(ports.database, id, after), enqueueJobConfigs(ports.database, id)]
  const own = { before: auditFieldsOf(object, before), after: auditFieldsOf(fields, after) }
  const update = { fields, parentId, parentPointer, ifMatch, own, after: writes }
  const written = await updateObject(context, object, update)
  await Promise.all([applyChanges(ports), ports.flow.runDue()])
  return versioned(context, { ...(await showWritten(context, written)), job: after }, EVERYTHING)
}

/** Deletes a job with its history. @throws {Refusal} not_found, forbidden */
export async function deleteJob(context: Context, id: number): Promise<void> {
  const object = await requireObject(context, id, { type: 'job', right: 'write' })
  const writes = await deleteObjectWrites(context, object, false)
  const { ports } = context
  await refuseOrphans(() => commit(ports.database, writes))
  await Promise.all([applyChanges(ports), ports.flow.runDue()])
}

/** A page of jobs: `pages` calls cover all jobs, or more calls if a page would have more than `sizeMax` jobs. */
export function jobsInTurn(
  { database }: Ports,
  turn: number,
  bounds: { readonly pages: number; readonly sizeMin: number; readonly sizeMax: number },
): Promise<readonly number[]> {
  return store.readPageOfIds(database, turn, bounds)
}

/** The value names, units and divisors of these jobs, in one statement for any number of jobs; jobs that do not exist
 * or are not readable are missing. */
export async function findParameters(
  context: Context,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Parameters>> {
  const readable = readableBy(await rightsOf(context), 'o')
  return store.findParameters(context.ports.database, ids, readable)
}

/** A body with the forced state instead of its form in maintenance, for a read that was sent back. */
function unmaintained(body: JobBody, { maintained }: ObjectRow, { forcedState }: JobRow): JobBody {
  const isRead = maintained && forcedState !== null && body.currentState === shownInMaintenance(forcedState)
  return isRead ? { ...body, currentState: forcedState } : body
}

function rowOf(body: JobBody, before: Pick<JobRow, 'thresholds' | 'stopped'>): JobRow {
  if (body.stateForced && body.currentState === undefined) {
    const fault = [{ pointer: '/currentState', message: 'is required if stateForced is true' }]
    throw new Refusal('invalid', 'A forced state requires currentState.', fault)
  }
  const { interval, parameters } = body
  return {
    interval,
    intervalMs: durationMs(interval),
    stopped: body.stopped ?? before.stopped,
    parameters,
    thresholds: body.thresholds ?? before.thresholds,
    forcedState: body.stateForced ? (body.currentState ?? null) : null,
    flapping: body.flapping,
  }
}

function auditFieldsOf({ collectorId }: Pick<ObjectRow, 'collectorId'>, row: JobRow) {
  const { interval, stopped, parameters, thresholds, flapping, forcedState } = row
  const forced = { stateForced: forcedState !== null, currentState: forcedState }
  return { collectorId, interval, stopped, parameters, thresholds, flapping, ...forced }
}

function configurationView(object: ObjectRow, row: JobRow, wanted: JobFields) {
  return {
    deviceId: object.parentId ?? 0,
    deviceName: object.parentName ?? '',
    collectorId: object.collectorId,
    interval: row.interval,
    stopped: row.stopped,
    parameters: row.parameters,
    stateForced: row.forcedState !== null,
    flapping: row.flapping,
    thresholds: wanted.thresholds ? row.thresholds : null,
  }
}

type KnownJob = { readonly object: ObjectRow; readonly row: JobRow; readonly snapshot: Snapshot | null }

function stateView({ ports }: Context, { object, row, snapshot }: KnownJob, wanted: JobFields) {
  if (!snapshot)
    return {
      ...NEVER_DELIVERED,
      ...limitsView({ predictions: [], bands: [] }, wanted, String),
      currentState: object.state,
      evaluatedState: bareState(object.state),
      values: wanted.values ? {} : null,
    }
  const format = timeFormat(ports.settings.timeZone)
  const rules = { divisors: divisorsOf(row.parameters) }
  const valueOf = (key: string) => {
    const newest = snapshot.current[key]
    return newest && userValue(rules, key, newest.value)
  }
  const shown = (at: number | null) => (at === null ? null : format(at))
  const silentSince = shown(snapshot.silentSinceAt)
  const currentState = object.maintained ? shownInMaintenance(snapshot.state) : snapshot.state
  // Maintenance may have changed the state after the actor's last change.
  const sinceAt = object.state === currentState ? (object.stateSinceAt ?? 0) : snapshot.sinceAt
  return {
    currentState,
    evaluatedState: snapshot.state,
    stateSince: format(Math.max(sinceAt, snapshot.sinceAt)),
    errorCode: snapshot.errorCode,
    message:
      silentSince === null
        ? (snapshot.message ?? messageOfLimits(snapshot, { thresholds: row.thresholds, valueOf }, format))
        : `no data since ${silentSince}`,
    lastReceivedAt: shown(snapshot.lastReceivedAt),
    nextTimeoutAt: shown(snapshot.deadlineAt),
    isFlapping: snapshot.isFlapping,
    ...limitsView(snapshot, wanted, format),
    values: wanted.values ? currentValues(row.parameters, snapshot, format) : null,
  }
}

function limitsView(
  known: Pick<Snapshot, 'predictions' | 'bands'>,
  wanted: JobFields,
  format: (at: number) => string,
) {
  const limits = { unknown: unknownLimitOf(known) }
  if (!wanted.thresholds) return { predictions: null, bands: null, limits }
  return {
    predictions: known.predictions.map((one) => predictionView(one, format)),
    bands: known.bands.map((one) => bandView(one, format)),
    limits,
  }
}

/** A job whose actor does not have its configuration yet. */
const NEVER_DELIVERED = {
  stateSince: null,
  errorCode: 0,
  message: null,
  lastReceivedAt: null,
  nextTimeoutAt: null,
  isFlapping: false,
}

/** The latest values of a job by key, in user units. */
export function currentValues(parameters: Parameters, snapshot: Snapshot, format: (at: number) => string) {
  const shown: Record<string, { value: number | string; rawValue: number | string; timestamp: string }> = {}
  const rules = { divisors: divisorsOf(parameters) }
  for (const [key, { value, at }] of Object.entries(snapshot.current)) {
    shown[key] = { value: userValue(rules, key, value), rawValue: value, timestamp: format(at) }
  }
  return shown
}
