import { readableBy, rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import type { Snapshot } from '../../../domain/snapshot.ts'
import { durationText } from '../../../lib/duration.ts'
import { Refusal } from '../../../lib/errors.ts'
import { decodeCursor, encodeCursor, unknownCursor } from '../../../lib/paging.ts'
import { parseInstant, timeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import type { JobActors } from '../../../ports/job-actors.ts'
import { writtenPaths } from '../../tree/browse/service.ts'
import type { ParentPath } from '../../tree/browse/schema.ts'
import { requireStart } from '../../tree/service.ts'
import { earliestLateAt, lateAtOf, usualDistanceMs } from './lateness.ts'
import type { Wait } from './lateness.ts'
import type { LateJobsQuery, LateJobsView } from './schema.ts'
import { findRunning, readWaitingJobs } from './store.ts'
import type { WaitingJob } from './store.ts'

const ACTORS_AT_ONCE = 50
/** One call reads the histories of at most this many jobs. */
const HISTORIES_MAX = 1_000
/** The number of distances of which the usual interval is the median. */
const DISTANCES = 10
/** How far back values are read, in multiples of the time until the timeout: farther than these distances reach. */
const TIMEOUTS_BACK = 12
const SAMPLES_MAX = 1_000

/** The place of a page: the path behind which the call begins to examine jobs, and among these jobs the last item. */
type Place = { readonly after: string; readonly deadlineAt: number; readonly id: number }

const FIRST = { deadlineAt: -1, id: 0 }

/** The late jobs below a parent in the tree that the caller may read, by the time of their timeouts. A call examines as
 * many jobs as the host can ask in one request; a cursor leads to the others.
 * @throws {Refusal} not_found, invalid, unavailable */
export async function listLateJobs(
  context: Context,
  { parentType, parentId }: ParentPath,
  query: LateJobsQuery,
): Promise<LateJobsView> {
  const { database, jobActors, clock } = context.ports
  const place: Place = query.cursor === undefined ? { after: '', ...FIRST } : placeOf(query.cursor)
  const parent = await requireStart(context, parentId, parentType)
  const limit = jobActors.snapshotsMax
  const readable = readableBy(await rightsOf(context), 'o')
  const running = await findRunning(database, parent.path, { after: place.after, limit, readable })
  const now = clock.now()
  const beforeAt = query.before === undefined ? Number.POSITIVE_INFINITY : parseInstant(query.before)
  const waiting = (await readWaiting(jobActors, running.ids, now))
    .filter(({ deadlineAt }) => deadlineAt < beforeAt)
    .filter(({ deadlineAt, id }) => (deadlineAt - place.deadlineAt || id - place.id) > 0)
    .sort((a, b) => a.deadlineAt - b.deadlineAt || a.id - b.id)
  const { late, last } = await firstLate(context, waiting, query.limit)
  const items = await viewsOf(context, late)
  if (last) return { items, nextCursor: cursorOf({ ...last, after: place.after }) }
  const isMore = running.ids.length === limit
  return { items, nextCursor: isMore ? cursorOf({ after: running.lastPath, ...FIRST }) : null }
}

type Waiting = Wait & { readonly id: number; readonly snapshot: Snapshot }
type Late = Waiting & { readonly job: WaitingJob; readonly usualMs: number; readonly lateAt: number }

/** The jobs that have a deadline and have waited for at least half of the time until it. */
async function readWaiting(
  jobActors: JobActors,
  ids: readonly number[],
  now: number,
): Promise<readonly Waiting[]> {
  const waiting: Waiting[] = []
  for (let from = 0; from < ids.length; from += ACTORS_AT_ONCE) {
    const some = ids.slice(from, from + ACTORS_AT_ONCE)
    const snapshots = await Promise.all(some.map((id) => jobActors.snapshot(id)))
    for (const [index, id] of some.entries()) {
      const snapshot = snapshots[index]
      if (!snapshot || snapshot.deadlineAt === null) continue
      const wait = { heardAt: snapshot.heardAt, deadlineAt: snapshot.deadlineAt }
      if (earliestLateAt(wait) <= now) waiting.push({ ...wait, id, snapshot })
    }
  }
  return waiting
}

/** The first late jobs. `last` is the last examined job, if other jobs follow. */
async function firstLate(
  { ports }: Context,
  waiting: readonly Waiting[],
  limit: number,
): Promise<{ readonly late: readonly Late[]; readonly last: Waiting | undefined }> {
  const examined = waiting.slice(0, HISTORIES_MAX)
  const jobs = await readWaitingJobs(
    ports.database,
    examined.map(({ id }) => id),
  )
  const late: Late[] = []
  for (let from = 0; from < examined.length; from += ACTORS_AT_ONCE) {
    const some = examined.slice(from, from + ACTORS_AT_ONCE)
    const found = await Promise.all(some.map((one) => lateOf(ports, one, jobs.get(one.id))))
    for (const [index, one] of found.entries()) {
      if (one) late.push(one)
      const isLast = from + index + 1 === waiting.length
      if (late.length === limit && !isLast) return { late, last: some[index] }
    }
  }
  return { late, last: examined.length < waiting.length ? examined.at(-1) : undefined }
}

/** The wait if it is late now and has not reached its deadline; null otherwise. */
async function lateOf(
  { jobActors, clock }: Ports,
  wait: Waiting,
  job: WaitingJob | undefined,
): Promise<Late | null> {
  const usualMs = job && (job.intervalMs || (await learnedMsOf(jobActors, wait)))
  if (!job || !usualMs) return null
  const lateAt = lateAtOf(wait, usualMs)
  return lateAt <= clock.now() && lateAt < wait.deadlineAt ? { ...wait, job, usualMs, lateAt } : null
}

/** The usual distance of a job's values; null if the job has fewer than two. */
async function learnedMsOf(jobActors: JobActors, { id, snapshot, ...wait }: Waiting): Promise<number | null> {
  const [newest] = Object.entries(snapshot.current).sort(([, a], [, b]) => b.at - a.at)
  if (!newest) return null
  const [key, { at }] = newest
  const beginAt = Math.max(0, at - TIMEOUTS_BACK * (wait.deadlineAt - wait.heardAt))
  try {
    const { samples } = await jobActors.samples(id, {
      key,
      beginAt,
      endAt: at + 1,
      skip: 0,
      limit: SAMPLES_MAX,
    })
    return usualDistanceMs(samples.slice(-DISTANCES - 1).map((sample) => sample.at))
  } catch (error) {
    // The job was deleted in the meantime.
    if (error instanceof Refusal && error.code === 'not_found') return null
    throw error
  }
}

async function viewsOf({ ports }: Context, late: readonly Late[]): Promise<LateJobsView['items']> {
  const paths = await writtenPaths(
    ports.database,
    late.map(({ job }) => job.path),
  )
  const format = timeFormat(ports.settings.timeZone)
  return late.map(({ id, job: { name, path, state }, snapshot, usualMs, lateAt, deadlineAt }) => ({
    object: { id, type: 'job', name, path: paths.get(path) ?? '' },
    state,
    usualInterval: durationText(usualMs),
    lastReceivedAt: snapshot.lastReceivedAt === null ? null : format(snapshot.lastReceivedAt),
    lateSince: format(lateAt),
    nextTimeoutAt: format(deadlineAt),
  }))
}

function cursorOf({ after, deadlineAt, id }: Place): string {
  return encodeCursor([after, deadlineAt, id])
}

function placeOf(cursor: string): Place {
  const place = decodeCursor(cursor)
  if (Array.isArray(place) && place.length === 3) {
    const [after, deadlineAt, id] = place as unknown[]
    if (typeof after === 'string' && Number.isSafeInteger(deadlineAt) && Number.isSafeInteger(id))
      return { after, deadlineAt: Number(deadlineAt), id: Number(id) }
  }
  throw unknownCursor()
}
