import { latestEntryId } from '../../../access/audit/service.ts'
import { readableBy, rightsOf } from '../../../access/rights/service.ts'
import type { Context } from '../../../context.ts'
import type { Ports } from '../../../ports/index.ts'
import { wishesOf } from '../mapping.ts'
import type { JobValues, KnownJobs, Named } from '../mapping.ts'
import { findValues } from '../store.ts'

/** How many names are kept in memory. */
const NAMES_MAX = 50_000

type Jobs = Map<number, JobValues & { readonly valueNumbers: Map<string, number> }>

/** Values that callers named and that exist, by caller, as of the latest entry of the audit log: each change of a job, of
 * the tree and of grants writes an entry in its own commit. */
type Known = {
  readonly entryId: number
  readonly jobs: Map<string, Jobs>
  names: number
  /** The count of writes up to which `entryId` is the latest; null where the host does not count them. */
  writes: number | null
}

const known = new WeakMap<object, Known>()

/** The jobs and values that the points name, as far as the caller can read the jobs. */
export async function jobsOf(context: Context, points: readonly Named[]): Promise<KnownJobs> {
  if (points.length === 0) return new Map()
  const { all, jobs } = await knownTo(context)
  const wishes = wishesOf(points, jobs)
  if (wishes.length === 0) return jobs
  const readable = readableBy(await rightsOf(context), 'o')
  const found = await findValues(context.ports.database, wishes, readable)
  for (const [index, { jobId, name }] of wishes.entries()) {
    const one = found[index]
    if (!one) continue
    const { valueCount, valueNumber } = one
    const job = jobs.getOrInsertComputed(jobId, () => ({
      valueCount,
      valueNumbers: new Map<string, number>(),
    }))
    if (valueNumber !== null) job.valueNumbers.set(name, valueNumber)
    all.names++
  }
  return jobs
}

/** The values that the caller has named since the latest change. */
async function knownTo({ ports, caller }: Context): Promise<{ readonly all: Known; readonly jobs: Jobs }> {
  const all = await knownNow(ports)
  // The bounds of a delegated session can differ from one request to the next.
  if (caller.kind !== 'user' || caller.bounds) return { all, jobs: new Map() }
  const jobs = all.jobs.getOrInsertComputed(`${caller.userId} ${caller.role}`, (): Jobs => new Map())
  return { all, jobs }
}

async function knownNow(ports: Ports): Promise<Known> {
  const writes = ports.databaseWrites?.() ?? null
  const before = known.get(ports)
  const isUsable = before !== undefined && before.names <= NAMES_MAX
  if (isUsable && writes !== null && before.writes === writes) return before
  const entryId = await latestEntryId(ports.database)
  if (isUsable && before.entryId === entryId) {
    before.writes = writes
    return before
  }
  const all: Known = { entryId, jobs: new Map(), names: 0, writes }
  known.set(ports, all)
  return all
}
