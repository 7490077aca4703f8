import { auditedAll, audited } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { actionResult } from '../../../http/action-results.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { applyChanges, enqueueJobConfigs } from '../../job-config/service.ts'
import { enqueueMemberships } from '../../states/service.ts'
import { readPermissions } from '../../tree/browse/service.ts'
import { bumpVersions } from '../../tree/service.ts'
import type { JobActionsBody, JobActionsView } from './schema.ts'
import * as store from './store.ts'

/** Stops or starts jobs in one commit. A refused job does not hinder the others. */
export async function actOnJobs(context: Context, { action, ids }: JobActionsBody): Promise<JobActionsView> {
  const { ports } = context
  const { database } = ports
  const stopped = action === 'stop'
  const unique = [...new Set(ids)]
  const refusals = await refusalsOf(context, unique)
  const allowed = unique.filter((id) => !refusals.has(id))
  const changing = await store.findJobsToChange(database, allowed, stopped)
  const actions = changing.map((id) => ({
    action: 'update',
    objectId: { id: String(id) },
    before: { stopped: !stopped },
    after: { stopped },
  }))
  const there = await store.commitStopped(database, allowed, {
    stopped,
    writes: [
      bumpVersions(database, changing),
      enqueueMemberships(database, changing),
      enqueueJobConfigs(database, changing),
      // A call that changes nothing is on record as well.
      actions.length > 0
        ? auditedAll(context, 'job', actions)
        : audited(context, { action, objectType: 'job', objectId: 'several', after: { ids: [] } }),
    ],
  })
  if (changing.length > 0) await Promise.all([applyChanges(ports), ports.flow.runDue()])
  for (const id of allowed) if (!there.has(id)) refusals.set(id, noSuch('job'))
  return { items: unique.map((id) => actionResult(id, refusals.get(id))) }
}

/** The refusals of a change of these objects, by id. */
async function refusalsOf(context: Context, ids: readonly number[]): Promise<Map<number, Refusal>> {
  const known = await readPermissions(context, ids)
  const refusals = new Map<number, Refusal>()
  for (const id of ids) {
    const object = known.get(id)
    if (object?.type !== 'job') refusals.set(id, noSuch('job'))
    else if (!object.permissions.write)
      refusals.set(id, new Refusal('forbidden', 'You have no right to write this job.'))
  }
  return refusals
}
