import { unlessNeeded } from '../../../../access/alarm-duty/service.ts'
import { isAdministrator } from '../../../../access/rights/permissions.ts'
import { undeliverableTo } from '../../../../access/rights/service.ts'
import { recorder } from '../../../../access/audit/service.ts'
import { sealText, unsealText } from '../../../../access/session/keys.ts'
import { findDataSource } from '../../../../data/sources/service.ts'
import type { Context } from '../../../../context.ts'
import { Refusal } from '../../../../lib/errors.ts'
import type { Fault } from '../../../../lib/errors.ts'
import type { Write } from '../../../../ports/database.ts'
import { readTypes } from '../../../../monitoring/tree/service.ts'
import type { Ports } from '../../../../ports/index.ts'
import { changerOf } from '../../changer.ts'
import { changesStart, isSecretName } from '../../variables.ts'
import type { RunConfigurationBody, Variable } from '../schema.ts'
import * as store from '../store.ts'
import type { RunConfigurationChange, RunConfigurationRow } from '../store.ts'

const recorded = recorder('run configuration')

/** The row of a body.
 * @param at where the body is in what was sent, as a pointer @throws {Refusal} invalid for a data source that is not there or is
 * not written to, or a value that is missing; forbidden for a data source that the caller may not name */
export async function changeOf(
  context: Context,
  body: RunConfigurationBody,
  { before, at = '' }: { readonly before: RunConfigurationRow | null; readonly at?: string },
): Promise<RunConfigurationChange> {
  const { id: _id, changedBy: _by, createdAt: _at, updatedAt: _updatedAt, ...set } = body
  const { name, isDefault, timeout, ...rest } = set
  const around = { before, at }
  const faults: Fault[] = [
    ...(await sourceFaults(context, body, around)),
    ...(await reportFaults(context, body, around)),
  ]
  const given = startingAsBefore(context, rest.envVariables, around)
  const { secrets, envVariables, missing } = await variablesOf(context.ports, given, before)
  for (const index of missing)
    faults.push({ pointer: `${at}/envVariables/${index}/value`, message: 'is missing' })
  if (faults.length > 0) throw cannotRun(faults)
  const { database = null, filesystem = null } = rest
  const rules = { ...rest, envVariables, database, filesystem }
  return { name, isDefault, timeoutS: timeout, rules, secrets, ...changerOf(context.caller) }
}

/** The reason why a body cannot name its data source. A run with a data source gets its password, so naming one takes an
 * administrator; others may leave it as it is, or ask for less.
 * @throws {Refusal} forbidden */
async function sourceFaults(
  { ports, caller }: Context,
  { database }: RunConfigurationBody,
  { before, at }: { readonly before: RunConfigurationRow | null; readonly at: string },
): Promise<Fault[]> {
  if (!database) return []
  const { dataSourceId, access } = database
  const there = before?.rules.database
  const isNoMore = there?.dataSourceId === dataSourceId && (access === 'read' || there.access === 'write')
  if (!isNoMore && !isAdministrator(caller))
    throw new Refusal('forbidden', 'Only administrators can change which data source a script uses.')
  const source = await findDataSource(ports, dataSourceId)
  if (!source)
    return [{ pointer: `${at}/database/dataSourceId`, message: 'must be the id of an existing data source' }]
  if (access === 'read' || !source.isReadOnly) return []
  return [
    { pointer: `${at}/database/access`, message: 'must be `read`, because the data source is read-only' },
  ]
}

/** The reason why a body cannot name the job that it reports to. An existing job may stay in an edit by any user.
 * @throws {Refusal} forbidden for a job that the caller may not deliver to */
async function reportFaults(
  context: Context,
  { reportTo }: RunConfigurationBody,
  { before, at }: { readonly before: RunConfigurationRow | null; readonly at: string },
): Promise<Fault[]> {
  if (!reportTo || before?.rules.reportTo?.jobId === reportTo.jobId) return []
  const pointer = `${at}/reportTo/jobId`
  const { jobId } = reportTo
  if ((await readTypes(context, [jobId])).get(jobId) !== 'job')
    return [{ pointer, message: 'must be the id of a webhook job that you can read' }]
  const refusal = await undeliverableTo(context, jobId)
  if (!refusal) return []
  throw new Refusal('forbidden', refusal.detail, [
    { pointer, message: 'must be the id of a job that you can execute' },
  ])
}

/** The variables of a body, with those that change how an interpreter starts as an administrator has set them. Others may
 * leave these out or send them back as they were: they stay.
 * @throws {Refusal} forbidden for a body of another user that sets one of them */
function startingAsBefore(
  { caller }: Context,
  given: RunConfigurationBody['envVariables'],
  { before, at }: { readonly before: RunConfigurationRow | null; readonly at: string },
): RunConfigurationBody['envVariables'] {
  if (isAdministrator(caller)) return given
  const kept = (before?.rules.envVariables ?? []).filter(({ key }) => changesStart(key))
  const faults = given.flatMap(({ key, value }, index) => {
    if (!changesStart(key)) return []
    const there = kept.find((one) => one.key === key)
    const isSame = there && (value === undefined || ('value' in there && there.value === value))
    return isSame ? [] : [{ pointer: `${at}/envVariables/${index}/key`, message: STARTS }]
  })
  if (faults.length > 0)
    throw new Refusal(
      'forbidden',
      'Only administrators can set variables that change how programs start; see errors.',
      faults,
    )
  const others = given.filter(({ key }) => !changesStart(key))
  return [...kept.map((one) => ({ ...one, secret: 'secret' in one })), ...others]
}

const STARTS = 'changes how programs start; only administrators can set it'

/** Variables as they are kept, and the places of those that have no value and are no secrets. */
async function variablesOf(
  ports: Ports,
  given: RunConfigurationBody['envVariables'],
  before: RunConfigurationRow | null,
) {
  const sealedBefore = new Map(Object.entries(before?.secrets ?? {}))
  const plainBefore = new Map(
    before?.rules.envVariables.flatMap((one) => ('value' in one ? [[one.key, one.value]] : [])),
  )
  const secrets: Record<string, string> = {}
  const envVariables: Variable[] = []
  const missing: number[] = []
  for (const [index, { key, value, secret }] of given.entries()) {
    if (secret || isSecretName(key)) {
      // A plain value may become a secret unchanged.
      const text = value ?? plainBefore.get(key)
      const sealed = text === undefined ? sealedBefore.get(key) : await sealOf(ports, key, text)
      if (sealed !== undefined) secrets[key] = sealed
      envVariables.push({ key, secret: true })
    } else if (value === undefined) missing.push(index)
    else envVariables.push({ key, value })
  }
  return { secrets, envVariables, missing }
}

function sealOf({ secrets }: Ports, key: string, value: string): Promise<string> {
  return sealText(secrets, value, purposeOf(key))
}

function purposeOf(key: string): string {
  return `variable of a script ${key}`
}

/** The writes that add a run configuration, under an id that was chosen for it or under the next one. */
export function adding(
  context: Context,
  scriptId: number,
  change: RunConfigurationChange & { readonly id?: number },
): Write[] {
  const { database, clock } = context.ports
  const now = clock.now()
  const row = { ...change, scriptId, createdAt: now, updatedAt: now }
  return [
    ...(change.isDefault ? [store.clearDefault(database, scriptId, 0)] : []),
    store.insertRunConfiguration(database, row),
    recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) }),
  ]
}

/** The writes that replace a run configuration. */
export function replacing(
  context: Context,
  before: RunConfigurationRow,
  after: RunConfigurationRow,
): Write[] {
  const { database } = context.ports
  const told = { objectId: before.id, before: auditFieldsOf(before), after: auditFieldsOf(after) }
  return [
    ...(after.isDefault ? [store.clearDefault(database, before.scriptId, before.id)] : []),
    store.updateRunConfiguration(database, before.id, after),
    recorded(context, 'update', told),
  ]
}

/** The writes that take a run configuration away. Schedules that name it take the default one from then on; unless the caller is
 * an administrator they become the caller's. The batch fails, as `refuseWhileNeeded` recognises, while a recipient of alarms
 * names it. */
export function removing(context: Context, row: RunConfigurationRow): Write[] {
  const { ports, caller } = context
  return [
    unlessNeeded(ports.database, baseOf(row)),
    ...(isAdministrator(caller)
      ? []
      : [store.ownSchedules(ports.database, row.id, changerOf(caller).changedBy)]),
    store.deleteRunConfiguration(ports.database, row.id),
    recorded(context, 'delete', { objectId: row.id, before: auditFieldsOf(row) }),
  ]
}

/** A run configuration on which recipients of alarms may depend. */
export const baseOf = ({ id }: Pick<RunConfigurationRow, 'id'>) => ({ kind: 'runConfiguration', id }) as const

/** Secret variables as they are, by name. @throws {Refusal} conflict when they were sealed under an unknown key */
export async function openSecrets(
  { secrets }: Ports,
  sealed: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const entries = Object.entries(sealed).map(async ([key, text]) => {
    const what = `The value of the variable ${key}`
    return [key, await unsealText(secrets, text, { purpose: purposeOf(key), what })] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

function auditFieldsOf({
  name,
  isDefault,
  timeoutS,
  rules,
}: Pick<RunConfigurationChange, 'name' | 'isDefault' | 'timeoutS' | 'rules'>) {
  return { name, isDefault, timeout: timeoutS, ...rules }
}

/** The fault of an impossible configuration. */
export function cannotRun(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The run configuration is invalid; see errors.', faults)
}
