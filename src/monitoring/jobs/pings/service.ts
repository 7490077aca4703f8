import { audited } from '../../../access/audit/service.ts'
import { permissionsOf } from '../../../access/rights/permissions.ts'
import { rightsFor } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import { sha256 } from '../../../lib/digest.ts'
import type { Repeatable } from '../../../http/idempotency.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { TtlCache } from '../../../lib/ttl-cache.ts'
import { base64url } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { TimeFormat } from '../../../lib/time.ts'
import { commit, isForeignKeyViolation, refuseFull } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { requireObject } from '../../tree/service.ts'
import type { DeliveryBody } from '../schema.ts'
import { recordFailure } from '../refusals/service.ts'
import { deliverAs } from '../service/deliver.ts'
import { answerOf } from '../service/delivered.ts'
import { instantOf } from './schema.ts'
import type { PingBody } from './schema.ts'
import * as store from './store.ts'
import type { PingRow } from './store.ts'

/** How long a token is cached: it may work this long after it was revoked in another isolate, or after its job has left
 * its maker's rights. */
const KNOWN_MS = 10_000
const PINGS_MAX = 20
const TOKEN_BYTES = 32

type Ping = {
  readonly id: number
  readonly name: string
  readonly jobId: number
  readonly expiresAt: number | null
}

type PingDelivery = {
  readonly body: DeliveryBody
  readonly key: string | null
  readonly request: Request
}

const known = new WeakMap<Ports, TtlCache<Ping>>()

/** The ping tokens of a job, without their secrets. @throws {Refusal} not_found, forbidden */
export async function listPings(context: Context, jobId: number) {
  await requireObject(context, jobId, { type: 'job', right: 'write' })
  const format = timeFormat(context.ports.settings.timeZone)
  return (await store.listPings(context.ports.database, jobId)).map((row) => viewOf(format, row))
}

/** Creates a ping token of the job. Only this answer has its secret.
 * @throws {Refusal} not_found, forbidden, invalid, conflict when the job has 20 */
export async function createPing(
  context: Context,
  jobId: number,
  { body, origin }: { readonly body: PingBody; readonly origin: string },
) {
  const { ports, caller } = context
  await requireObject(context, jobId, { type: 'job', right: 'write' })
  const makerId = caller.kind === 'user' ? caller.userId : 0
  const createdAt = ports.clock.now()
  const expiresAt = instantOf(body.expiresAt)
  if (expiresAt !== null && expiresAt <= createdAt) {
    const fault = [{ pointer: '/expiresAt', message: 'must be in the future' }]
    throw new Refusal('invalid', 'expiresAt must be in the future.', fault)
  }
  const token = base64url(ports.secrets.random(TOKEN_BYTES))
  const row = { name: body.name, createdAt, expiresAt }
  const entry = audited(context, {
    action: 'create',
    objectType: 'ping token',
    objectId: { inserted: true },
    after: { ...row, jobId },
  })
  const kept = { ...row, jobId, makerId, hash: await sha256(token) }
  const full = `A job has ${PINGS_MAX} ping tokens at most. Revoke one first.`
  const id = await refuseFull('pings', full, () =>
    refuseGone(() => store.insertPing(ports.database, kept, { max: PINGS_MAX, also: entry })),
  )
  ports.log.info('pings: ping token created', { jobId, pingId: id })
  const path = `${ports.settings.basePath}/webcollector/ping/${token}`
  return { ...viewOf(timeFormat(ports.settings.timeZone), { ...row, id }), token, url: origin + path, path }
}

/** Revokes a token. @throws {Refusal} not_found, forbidden */
export async function deletePing(context: Context, jobId: number, id: number): Promise<void> {
  const { ports } = context
  await requireObject(context, jobId, { type: 'job', right: 'write' })
  const before = (await store.listPings(ports.database, jobId)).find((row) => row.id === id)
  if (!before) throw noSuch('ping token')
  await commit(ports.database, [
    store.deletePing(ports.database, id),
    audited(context, {
      action: 'delete',
      objectType: 'ping token',
      objectId: id,
      before: { ...before, jobId },
    }),
  ])
  knownOf(ports).clear()
  ports.log.info('pings: ping token revoked', { jobId, pingId: id })
}

/** Delivers a ping, which is authenticated by its token alone.
 * @throws {Refusal} not_found for an unknown, expired or revoked token; else as a delivery */
export async function ping(
  ports: Ports,
  token: string,
  { body, key, request }: PingDelivery,
): Promise<Repeatable> {
  const hash = await sha256(token)
  const now = ports.clock.now()
  const found = await knownOf(ports).find(hash, now, () => findPing(ports, hash))
  if (!found) throw unknownToken()
  const { id, jobId, name } = found
  const sent = { jobId, body, key: key === null ? null : `p${id} ${key}` }
  try {
    if (found.expiresAt !== null && found.expiresAt <= now) throw unknownToken()
    return answerOf(ports, jobId, await deliverAs({ userId: 0, anyJob: true }, ports, sent))
  } catch (error) {
    const attempt = { ports, request, pingName: name }
    await recordFailure(attempt, jobId, { error, input: Promise.resolve(body) })
    throw error
  }
}

function unknownToken(): Refusal {
  return new Refusal('not_found', 'There is nothing at this path.')
}

/** A valid token: the user who created it may still write the job. The token of a deleted user stays valid, so that the
 * job does not fall silent. */
async function findPing(ports: Ports, hash: string): Promise<Ping | null> {
  const found = await store.findPing(ports.database, hash)
  if (!found || found.makerRole === null) return found
  const rights = await rightsFor(ports, { userId: found.makerId, role: found.makerRole })
  return permissionsOf(rights, { type: 'job', runBy: 0, path: found.path }).write ? found : null
}

function knownOf(ports: Ports): TtlCache<Ping> {
  let recent = known.get(ports)
  if (!recent) known.set(ports, (recent = new TtlCache(KNOWN_MS)))
  return recent
}

async function refuseGone<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw noSuch('job')
  }
}

function viewOf(format: TimeFormat, { id, name, createdAt, expiresAt }: PingRow) {
  return {
    id,
    name,
    createdAt: format(createdAt),
    expiresAt: expiresAt === null ? null : format(expiresAt),
  }
}
