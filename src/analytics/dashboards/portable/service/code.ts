import type { Context } from '../../../../context.ts'
import { demandedVersion, demandsNew, refuseStale } from '../../../../http/preconditions.ts'
import { Refusal, stale } from '../../../../lib/errors.ts'
import { findDashboard } from '../../store.ts'
import type { DashboardRow } from '../../store.ts'
import { commitDashboard } from '../../service/changes.ts'
import { FORMAT, FORMAT_VERSION } from '../schema.ts'
import type { CodeBody, CodeResult, ImportBody, ImportView } from '../schema.ts'
import { makeGroups, writesOf } from './import.ts'
import { planImport } from './plan.ts'
import type { Plan, Planned } from './plan.ts'

/** Creates or replaces the dashboard with a URL name from its code.
 * @throws {Refusal} precondition_failed for one that exists with `If-None-Match: *` or has not the version of If-Match, invalid,
 * forbidden, and as `commitDashboard` */
export async function saveCode(
  context: Context,
  urlName: string,
  body: CodeBody,
): Promise<{ readonly result: CodeResult; readonly version: number }> {
  const local = await findLocal(context, urlName)
  const document = documentOf(urlName, body, local)
  const plan = await planImport(context, {
    mode: 'overwrite',
    map: { dataQueries: {}, scripts: {} },
    document,
  })
  const planned = plannedOf(plan, local)
  const groups = await makeGroups(context, { document }, plan.planned)
  const { managedBy } = body
  // Equal contents are managed from now on as well.
  const isTaken = planned.action === 'unchanged' && local?.managedBy !== managedBy
  const action = isTaken ? 'update' : planned.action
  await commitDashboard(context, writesOf(context, plan, { ...planned, action }, { groups, managedBy }))
  const result: CodeResult = {
    id: planned.id,
    urlName: planned.urlName,
    version: planned.number,
    action: planned.action === 'create' || planned.action === 'update' ? planned.action : 'unchanged',
    unmatched: plan.unmatched,
  }
  return { result, version: (local?.version ?? 0) + Number(action !== 'unchanged') }
}

/** The plan of the dashboard. It was read again for it, and must be as it was for the preconditions.
 * @throws {Refusal} invalid, precondition_failed */
function plannedOf({ planned: [planned], errors }: Plan, local: DashboardRow | null): Planned {
  if (!planned || errors.length > 0) throw faults(errors)
  if (planned.local?.version !== local?.version) throw stale('dashboard')
  return planned
}

async function findLocal(context: Context, urlName: string): Promise<DashboardRow | null> {
  const { ports } = context
  const found = await findDashboard(ports.database, urlName, ports.clock.now())
  const local = found?.urlName === urlName ? found : null
  if (local && demandsNew(context))
    throw new Refusal('precondition_failed', 'A dashboard with this URL name exists.')
  refuseStale(demandedVersion(context), local?.version, 'dashboard')
  return local
}

function documentOf(urlName: string, body: CodeBody, local: DashboardRow | null): ImportBody['document'] {
  const { version = 1, name, description, groupPath, definition } = body
  const uuid = local?.uuid ?? body.uuid ?? crypto.randomUUID()
  return {
    format: FORMAT,
    formatVersion: FORMAT_VERSION,
    dashboards: [{ uuid, urlName, name, description, version, groupPath, definition }],
    groups: [],
    dataQueries: [],
    scripts: [],
  }
}

function faults(errors: ImportView['errors']): Refusal {
  return new Refusal(
    'invalid',
    'The definition is not valid; see errors.',
    errors.slice(0, 100).map(({ message }) => ({ pointer: '/definition', message })),
  )
}
