import { audited } from '../../../access/audit/service.ts'
import type { Context, RunnerCaller } from '../../../context.ts'
import { ISOLATIONS } from '../../../domain/isolation.ts'
import type { Isolation } from '../../../domain/isolation.ts'
import { runnerTokenOf } from '../../../http/credentials.ts'
import { sha256 } from '../../../lib/digest.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { base64url, sameText } from '../../../lib/text.ts'
import { timeFormat } from '../../../lib/time.ts'
import { commit, fullDetail, refuseFull } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { HEARTBEAT_MS, LEASE_MS, POLL_MS } from '../protocol.ts'
import type { AboutRunner, Poll, Registered } from '../protocol.ts'
import { listHeldBy, readQueue } from '../store.ts'
import { loseRun } from '../service/transition-run.ts'
import type { RunnerView } from './schema.ts'
import * as store from './store.ts'
import { presentRunners, PRESENT_MS } from './service/present.ts'

const RUNNERS_MAX = 1_000
const FULL = fullDetail(RUNNERS_MAX, 'runners')

/** Registers a runner under its name; the runner that had the name before loses its token.
 * @throws {Refusal} not_configured where no token is set, unauthenticated, conflict when there are 1,000 */
export async function registerRunner(context: Context, about: AboutRunner): Promise<Registered> {
  const { ports, request } = context
  const { database, clock, secrets, settings } = ports
  if (settings.runnerToken === null)
    throw new Refusal(
      'not_configured',
      'Runners cannot register: TIDEMARK_RUNNER_TOKEN of the service is not set.',
    )
  const given = request && runnerTokenOf(request)
  if (given === undefined || !sameText(await sha256(given), await sha256(settings.runnerToken)))
    throw new Refusal('unauthenticated', 'The registration token is wrong.')
  const token = `tmr_${base64url(secrets.random(32))}`
  const now = clock.now()
  const tokenHash = await sha256(token)
  const row = { name: about.name, tokenHash, about, registeredAt: now, seenAt: now }
  const writes = [
    store.saveRunner(database, row, RUNNERS_MAX),
    audited(context, { action: 'register', objectType: 'runner', objectId: about.name, after: about }),
  ]
  await refuseFull('runners', FULL, () => commit(database, writes), 'registered_at')
  const runner = await store.findByToken(database, tokenHash)
  // Another registration has taken the name at the same time.
  if (!runner) throw unknownRunner()
  const { name, isolation, refusal } = about
  if (refusal === null) ports.log.info('runners: runner registered', { runner: name, isolation })
  else
    ports.log.warn('runners: a runner registered that accepts no jobs; its refusal says why', {
      runner: name,
      refusal,
    })
  return { runnerId: runner.id, token, pollMs: POLL_MS, heartbeatMs: HEARTBEAT_MS, leaseMs: LEASE_MS }
}

/** The runner whose token the request carries. @throws {Refusal} unauthenticated when the token is not known */
export async function authenticateRunner(
  request: Request,
  { database, clock }: Ports,
): Promise<RunnerCaller> {
  const token = runnerTokenOf(request)
  const runner = token === undefined ? null : await store.findByToken(database, await sha256(token))
  if (!runner) throw unknownRunner()
  const now = clock.now()
  if (Math.abs(now - runner.seenAt) >= HEARTBEAT_MS)
    await commit(database, [store.saveSeenAt(database, runner.id, now)])
  return { kind: 'runner', runnerId: runner.id }
}

/** Jobs for the calling runner; waits for one. @throws {Refusal} unauthenticated */
export async function pollJobs(
  { ports, caller }: Context,
  request: Request,
  poll: Poll,
): Promise<readonly object[]> {
  const runnerId = caller.kind === 'runner' ? caller.runnerId : 0
  const baseUrl = `${new URL(request.url).origin}${ports.settings.basePath}`
  return ports.dispatch.poll({ ...poll, runnerId, baseUrl }, request.signal)
}

/** All runners by name. */
export async function listRunners({ ports }: Context): Promise<RunnerView[]> {
  const { database, clock, settings } = ports
  const format = timeFormat(settings.timeZone)
  const now = clock.now()
  return (await store.listRunners(database)).map(({ id, about, held, registeredAt, seenAt }) => ({
    id,
    ...about,
    running: held,
    present: Math.abs(now - seenAt) < PRESENT_MS,
    registered: format(registeredAt),
    seen: format(seenAt),
  }))
}

/** The runners that execute forecasts now: all of them, and those with each kind of the operator. */
export async function presentForecastKinds(ports: Pick<Ports, 'database' | 'clock'>) {
  const able = (await presentRunners(ports)).filter(
    ({ refusal, capabilities }) => refusal === null && capabilities.includes('forecast'),
  )
  const own = new Map<string, string[]>()
  for (const { name, forecastKinds = [] } of able)
    for (const kind of forecastKinds) own.set(kind, [...(own.get(kind) ?? []), name])
  return { all: able.map(({ name }) => name), own }
}

/** Forgets a runner: what it has is lost, and it has to register anew. @throws {Refusal} not_found */
export async function deleteRunner(context: Context, id: number): Promise<void> {
  const { ports } = context
  const runner = await store.findRunner(ports.database, id)
  if (!runner) throw noSuch('runner')
  await commit(ports.database, [
    store.deleteRunner(ports.database, id),
    audited(context, { action: 'delete', objectType: 'runner', objectId: id, before: runner.about }),
  ])
  for (const row of await listHeldBy(ports.database, id)) await loseRun(ports, row, 'the runner was deleted.')
  await ports.dispatch.wake()
}

/** The health of scripts: the present runners, the weakest isolation of the runners that take jobs, the number of waiting runs,
 * and the longest wait in seconds. */
export async function scriptHealth(ports: Pick<Ports, 'database' | 'clock'>) {
  const { database, clock } = ports
  const now = clock.now()
  const present = await presentRunners(ports)
  const taking = present.filter(({ refusal }) => refusal === null)
  const { waiting, oldestAt } = await readQueue(database)
  return {
    runners: taking.length,
    refusing: present.length - taking.length,
    isolation: worstOf(taking.map(({ isolation }) => isolation)),
    waiting,
    waitingSeconds: oldestAt === null ? 0 : Math.max(0, Math.floor((now - oldestAt) / 1000)),
  }
}

function worstOf(isolations: readonly Isolation[]): Isolation | null {
  return ISOLATIONS.findLast((isolation) => isolations.includes(isolation)) ?? null
}

function unknownRunner(): Refusal {
  return new Refusal('unauthenticated', 'This runner is not registered. Register again.')
}
