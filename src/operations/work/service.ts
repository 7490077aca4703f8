import { audited } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { durationText } from '../../lib/duration.ts'
import { Refusal, refusalIn } from '../../lib/errors.ts'
import { timeFormat } from '../../lib/time.ts'
import { ulid } from '../../lib/ulid.ts'
import type { StoredBlob } from '../../ports/blobs.ts'
import { commit } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { LEASE_MS, LiveWork } from './live-work.ts'
import type { Work } from './live-work.ts'
import type { OperationView } from './schema.ts'
import * as store from './store.ts'
import type { OperationRow } from './store.ts'

export type { Work } from './live-work.ts'

/** How often the node of an operation checks whether the operation was cancelled. */
const BEAT_MS = 1_000
const RENEW_MS = 10_000
/** How long an ended operation and its result can be read. */
export const RESULT_KEPT_MS = 60 * 60_000
/** The most operations of a user that have not ended. */
export const ACTIVE_MAX = 50
export const RESULT_MAX_BYTES = 32 * 1024 * 1024
const SWEPT_AT_ONCE = 100
const POLL_MAX_MS = 10_000
const LOST: OperationView['error'] = {
  code: 'operation_lost',
  detail: 'The service stopped before the operation ended. Start it again.',
  errors: [],
}

/** The result of work that ended within the wait of its request, or else the operation that continues it. */
export type Outcome<Result> =
  | { readonly isDone: true; readonly result: Result }
  | { readonly isDone: false; readonly operation: OperationView }

/** Does long work. Past the wait it becomes an operation, whose result, as JSON, its user can read for an hour.
 * @param waitMs null to wait for the end
 * @throws {Refusal} overloaded while the user has 50 operations that have not ended; what the task throws within the wait */
export async function runWork<Result>(
  context: Context,
  {
    kind,
    subject,
    waitMs,
  }: { readonly kind: string; readonly subject: string; readonly waitMs: number | null },
  task: (work: Work) => Promise<Result>,
): Promise<Outcome<Result>> {
  const { ports, request } = context
  const live = new LiveWork()
  if (request) ports.network.takesLong(request)
  if (waitMs !== 0) {
    live.start(() => task(live))
    const settled = waitMs === null ? await live.settled() : await live.settledWithin(waitMs)
    if (settled) return { isDone: true, result: settled.value() as Result }
  }
  const row = rowOf(context, { kind, subject, live })
  try {
    await commit(ports.database, [store.insertOperation(ports.database, row, ACTIVE_MAX)])
  } catch (error) {
    live.abort(error)
    throw store.isFull(error) ? tooManyOperations() : error
  }
  if (waitMs === 0) live.start(() => task(live))
  const going = finish(ports, row.id, live)
  ports.inBackground?.(going)
  return { isDone: false, operation: viewOf(ports, row) }
}

/** The answer 202 with the operation. */
export function acceptedResponse(operation: OperationView, { settings }: Ports): Response {
  const headers = { location: `${settings.basePath}/operations/${operation.id}`, 'retry-after': '1' }
  return Response.json(operation, { status: 202, headers })
}

/** @throws {Refusal} not_found for an operation of another user too */
export async function readOperation(context: Context, id: string): Promise<OperationView> {
  return viewOf(context.ports, await requireOwn(context, id))
}

/** The result of an operation as JSON. @throws {Refusal} not_found unless the operation succeeded within the last hour */
export async function openResult(context: Context, id: string): Promise<StoredBlob> {
  const { ports } = context
  const row = await requireOwn(context, id)
  const stored = row.resultBytes === null ? null : await ports.blobs.get(resultKey(id))
  if (!stored) throw new Refusal('not_found', 'The operation has no result.')
  return stored
}

/** Cancels an operation that has not ended; an ended one stays as it is. @throws {Refusal} not_found */
export async function cancelOperation(context: Context, id: string): Promise<void> {
  const { database, clock } = context.ports
  const { kind, subject } = await requireOwn(context, id)
  const entry = audited(context, {
    action: 'cancel',
    objectType: 'operation',
    objectId: id,
    after: { kind, subject },
  })
  await commit(database, [store.cancelOperation(database, id, clock.now()), entry])
}

/** Deletes operations that ended an hour ago, with their results. Failures are logged, and the next sweep tries again. */
export async function sweepOperations({ database, blobs, clock, log }: Ports): Promise<void> {
  try {
    for (;;) {
      const ids = await store.listExpired(database, clock.now() - RESULT_KEPT_MS, SWEPT_AT_ONCE)
      for (const id of ids) {
        // The row is deleted last: without the row nothing refers to the blob.
        await blobs.delete(resultKey(id))
        await commit(database, [store.deleteOperation(database, id)])
      }
      if (ids.length < SWEPT_AT_ONCE) return
    }
  } catch (error) {
    log.error('operations: deleting old operations failed; retrying later', error)
  }
}

/** Keeps the lease while the work goes on, and stores its end. Never rejects. */
async function finish(ports: Ports, id: string, live: LiveWork): Promise<void> {
  const { clock, log } = ports
  try {
    let renewedAt = clock.now()
    let settled = await live.settledWithin(BEAT_MS)
    for (; !settled; settled = await live.settledWithin(BEAT_MS)) {
      try {
        renewedAt = await renew(ports, { id, live, renewedAt })
      } catch (error) {
        if (clock.now() - renewedAt >= LEASE_MS) throw error
        log.error('operations: renewing the lease of an operation failed; retrying', error, { operation: id })
      }
    }
    await end(ports, id, settled)
  } catch (error) {
    live.abort(error)
    log.error('operations: an operation was lost', error, { operation: id })
  }
}

/** Renews the lease when there is news or the last renewal is old, and aborts work that was cancelled or lost.
 * @returns the time of the last renewal */
async function renew(
  { database, clock }: Ports,
  { id, live, renewedAt }: { readonly id: string; readonly live: LiveWork; readonly renewedAt: number },
): Promise<number> {
  const now = clock.now()
  const row = await store.findOperation(database, id)
  if (!row) live.abort(lost())
  else if (row.cancelAt !== null) live.abort(new Refusal('conflict', 'The operation was cancelled.'))
  if (!live.hasNews && now - renewedAt < RENEW_MS) return renewedAt
  const renewal = { ...live.renewal(now), leaseUntilAt: now + LEASE_MS, now }
  if (await store.renewOperation(database, id, renewal)) return now
  live.abort(lost())
  return renewedAt
}

async function end(ports: Ports, id: string, settled: { readonly value: () => unknown }): Promise<void> {
  const { database, blobs, clock } = ports
  const finalise = async (ending: Omit<Parameters<typeof store.endOperation>[2], 'now' | 'endedAt'>) => {
    const now = clock.now()
    await commit(database, [store.endOperation(database, id, { ...ending, endedAt: now, now })])
  }
  try {
    const bytes = new TextEncoder().encode(JSON.stringify(settled.value() ?? null))
    if (bytes.byteLength > RESULT_MAX_BYTES)
      throw new Refusal('too_large', `The result is larger than ${RESULT_MAX_BYTES} bytes.`)
    await blobs.put(resultKey(id), bytes)
    await finalise({ state: 'succeeded', progress: 1, error: null, resultBytes: bytes.byteLength })
  } catch (error) {
    const ending = { progress: null, resultBytes: null }
    if (await isCancelled(ports, id)) await finalise({ ...ending, state: 'cancelled', error: null })
    else await finalise({ ...ending, state: 'failed', error: errorOf(ports, id, error) })
  }
}

/** Whether an operation was cancelled; false where it cannot be read, so that the failure of its work is reported. */
async function isCancelled({ database, log }: Ports, id: string): Promise<boolean> {
  try {
    const row = await store.findOperation(database, id)
    return row !== null && row.cancelAt !== null
  } catch (error) {
    log.error('operations: reading a failed operation failed', error, { operation: id })
    return false
  }
}

function errorOf({ log }: Ports, id: string, error: unknown): OperationView['error'] {
  const refusal = refusalIn(error)
  if (refusal) return { code: refusal.code, detail: refusal.detail, errors: [...refusal.errors] }
  log.error('operations: an operation failed', error, { operation: id })
  return { code: 'internal', detail: 'Internal error. See the server log for this operation.', errors: [] }
}

function rowOf(
  { ports: { clock, secrets }, caller }: Context,
  { kind, subject, live }: { readonly kind: string; readonly subject: string; readonly live: LiveWork },
): OperationRow {
  if (caller.kind !== 'user') throw new Error('Only users begin operations.')
  const now = clock.now()
  return {
    id: `op_${ulid(now, secrets.random(16))}`,
    kind,
    subject,
    userId: caller.userId,
    node: nodeName(),
    ...live.renewal(now),
    leaseUntilAt: now + LEASE_MS,
    cancelAt: null,
    createdAt: now,
    endedAt: null,
    error: null,
    resultBytes: null,
  }
}

let ownName = ''
/** The name of this process or isolate. Workers make no random values while a module is loaded. */
function nodeName(): string {
  return (ownName ||= crypto.randomUUID())
}

async function requireOwn({ ports: { database }, caller }: Context, id: string): Promise<OperationRow> {
  const row = await store.findOperation(database, id)
  if (row && caller.kind === 'user' && row.userId === caller.userId) return row
  throw new Refusal('not_found', 'You have no such operation.')
}

function viewOf({ settings, clock }: Ports, row: OperationRow): OperationView {
  const format = timeFormat(settings.timeZone)
  const { id, kind, subject, progress, createdAt, startedAt, endedAt, cancelAt, resultBytes } = row
  const now = clock.now()
  const isActive = row.state === 'queued' || row.state === 'running'
  const isLost = isActive && row.leaseUntilAt <= now
  const endAt = isLost ? row.leaseUntilAt : endedAt
  const pollMs = Math.min(POLL_MAX_MS, Math.max(1_000, Math.round((now - createdAt) / 10_000) * 1_000))
  return {
    id,
    kind,
    subject,
    state: isLost ? 'failed' : row.state,
    progress,
    createdAt: format(createdAt),
    startedAt: startedAt === null ? null : format(startedAt),
    endedAt: endAt === null ? null : format(endAt),
    cancelRequested: cancelAt !== null,
    retryAfter: endAt === null ? durationText(pollMs) : null,
    error: isLost ? LOST : row.error,
    resultUrl: resultBytes === null ? null : `${settings.basePath}/operations/${id}/result`,
  }
}

function resultKey(id: string): string {
  return `operations/${id}`
}

function lost(): Refusal {
  return new Refusal('unavailable', 'The lease of the operation ran out.')
}

function tooManyOperations(): Refusal {
  return new Refusal(
    'overloaded',
    `You have ${ACTIVE_MAX} operations that have not ended. Wait for one, or cancel one.`,
    [],
    10,
  )
}
