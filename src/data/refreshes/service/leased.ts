import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { LiveWork } from '../../../operations/work/live-work.ts'
import type { Work } from '../../../operations/work/live-work.ts'
import { commit } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { cleanUp } from '../../../ports/log.ts'
import { nextAfter } from '../due.ts'
import * as store from '../store/leases.ts'
import type { Lease, RefreshError, Subject } from '../store/leases.ts'

export type { Lease } from '../store/leases.ts'

/** A process that ended is noticed after this time. */
const LEASE_MS = 60_000
const RENEW_MS = 10_000
/** How often a refresh looks whether it was cancelled. */
const BEAT_MS = 1_000
/** Refreshes that go on at once in the whole installation. */
const AT_ONCE_MAX = 8
const CHANCE_MAX = 255
/** Due refreshes that one process does at once. */
const LANES = 2
/** After this time a round begins no more of them. */
const ROUND_MAX_MS = 4 * 60_000

/** A refresh that has its lease. */
export type Leased = {
  readonly lease: Lease
  /** Null for refreshes on demand alone. */
  readonly everyMs: number | null
  /** Since the latest success. */
  readonly failures: number
}

/** The surroundings of the work of a refresh. */
export type Course = {
  readonly lease: Lease
  readonly signal: AbortSignal
  readonly progress: (share: number) => void
  /** The write that ends the refresh in the commit of its rows, which fails when the lease is lost. */
  readonly finished: (at: number) => Write
}

/** @returns null while another refresh of the subject goes on, and while as many as may */
export async function takeLease(
  { database, clock }: Ports,
  subject: Subject,
  { isDue }: { readonly isDue: boolean },
): Promise<Lease | null> {
  const lease = { ...subject, token: crypto.randomUUID() }
  const now = clock.now()
  const order = { now, until: now + LEASE_MS, max: AT_ONCE_MAX, isDue }
  return (await store.takeLease(database, lease, order)) ? lease : null
}

/** The refusal of a refresh that got no lease. */
export function busy({ clock }: Ports, name: string, leaseUntilAt: number | null): Refusal {
  if (leaseUntilAt !== null && leaseUntilAt > clock.now())
    return new Refusal('conflict', `Another refresh of ${name} goes on. Wait for its end.`)
  return new Refusal('overloaded', `${AT_ONCE_MAX} refreshes go on. Try again later.`, [], 10)
}

/** Does a refresh as long as its lease holds, and stores its failure. */
export async function inRefresh<Result>(
  ports: Ports,
  { lease, everyMs, failures }: Leased,
  work: Work,
  replace: (course: Course) => Promise<Result>,
): Promise<Result> {
  const { database, clock } = ports
  const next = (count: number) =>
    nextAfter(clock.now(), { everyMs, failures: count, chance: chanceOf(ports) })
  const finished = (at: number) => store.finishRefresh(database, lease, { at, nextAt: next(0) })
  work.begin()
  try {
    return await inLease(ports, lease, (signal) =>
      replace({
        lease,
        signal: AbortSignal.any([signal, work.signal]),
        progress: (share) => work.progress(share),
        finished,
      }),
    )
  } catch (error) {
    const at = clock.now()
    const failure = failureOf(error)
    const ending = { at, nextAt: next(failures + 1), error: errorOf(failure) }
    // A refresh that was cancelled did not fail.
    const end = work.signal.aborted
      ? store.leaveLease(database, lease)
      : store.failRefresh(database, lease, ending)
    await cleanUp(ports.log, 'refreshes: storing a failure failed; the lease ends within a minute', () =>
      commit(database, [end]),
    )
    throw failure
  }
}

/** Does work as long as the lease holds. */
async function inLease<Result>(
  { database, clock }: Ports,
  lease: Lease,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const live = new LiveWork()
  live.start(() => work(live.signal))
  let renewedAt = clock.now()
  let settled = await live.settledWithin(BEAT_MS)
  for (; !settled; settled = await live.settledWithin(BEAT_MS)) {
    const now = clock.now()
    const isDue = now - renewedAt >= RENEW_MS
    const isHeld = isDue
      ? await store.renewLease(database, lease, { now, until: now + LEASE_MS })
      : await store.holdsLease(database, lease, now)
    if (isDue) renewedAt = now
    if (!isHeld) live.abort(leaseLost())
  }
  return settled.value() as Result
}

/** The refusal of a refresh that lost its lease. */
export function leaseLost(): Refusal {
  return new Refusal('conflict', 'The refresh was cancelled, or its definition was changed or deleted.')
}

/** The refusal of a refresh that lost its lease or took too long; any other error as it is. */
function failureOf(error: unknown): unknown {
  if (store.isLost(error)) return leaseLost()
  const isLate = error instanceof DOMException && error.name === 'TimeoutError'
  return isLate ? new Refusal('query_timeout', 'The refresh did not end within its time.') : error
}

function errorOf(failure: unknown): RefreshError {
  const refusal = refusalIn(failure)
  if (refusal) return { code: refusal.code, detail: refusal.detail }
  return { code: 'internal', detail: 'Internal error. See the server log.' }
}

function chanceOf({ secrets }: Ports): number {
  return (secrets.random(1)[0] ?? 0) / CHANCE_MAX
}

type Schedule<Due> = {
  /** The subjects that are due, the longest due first. */
  readonly list: () => Promise<readonly Due[]>
  /** @returns whether it had its turn */
  readonly refresh: (due: Due) => Promise<boolean>
  readonly about: (due: Due) => Readonly<Record<string, string | number>>
}

/** Refreshes all that is due, several at a time, as long as something succeeds. Failures are in the state of their subjects. */
export async function refreshAllDue<Due>({ log, clock }: Ports, schedule: Schedule<Due>): Promise<void> {
  const { list, refresh, about } = schedule
  const one = async (due: Due): Promise<boolean> => {
    try {
      return await refresh(due)
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal) log.warn('refreshes: a refresh failed', { ...about(due), reason: refusal.detail })
      else log.error('refreshes: a refresh failed', error, about(due))
      return false
    }
  }
  const until = clock.now() + ROUND_MAX_MS
  try {
    for (let isWorking = true; isWorking && clock.now() < until;) {
      const due = (await list()).values()
      isWorking = false
      const lane = async () => {
        for (const next of due) if (await one(next)) isWorking = true
      }
      await Promise.all(Array.from({ length: LANES }, lane))
    }
  } catch (error) {
    log.error('refreshes: looking for rows that are due failed; retrying later', error)
  }
}
