import { audited } from '../../../access/audit/service.ts'
import { seal, unseal } from '../../../access/session/keys.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { changeScript, refuseTakenName, requireScript } from '../service/changing.ts'
import { isSecretName } from '../variables.ts'
import { isDataSource } from './data-sources.ts'
import type { RunConfigurationBody, RunConfigurationView, Variable } from './schema.ts'
import * as store from './store.ts'
import type { RunConfigurationChange, RunConfigurationRow } from './store.ts'

const CONFIGURATIONS_MAX = 100

/** The run configurations of a script, by id; there are 100 at most. @throws {Refusal} not_found */
export async function listRunConfigurations(
  { ports }: Context,
  ref: string,
): Promise<RunConfigurationView[]> {
  const script = await requireScript(ports, ref)
  return (await store.listRunConfigurations(ports.database, script.id)).map((row) => viewOf(ports, row))
}

/** @throws {Refusal} not_found */
export async function readRunConfiguration(
  { ports }: Context,
  ref: string,
  id: number,
): Promise<RunConfigurationView> {
  const script = await requireScript(ports, ref)
  const rows = await store.listRunConfigurations(ports.database, script.id)
  return viewOf(ports, requireRow(rows, id))
}

/** Adds a run configuration; the first one of a script is its default.
 * @throws {Refusal} not_found, name_taken, invalid for a data source that is not there, conflict when there are 100 */
export async function createRunConfiguration(
  context: Context,
  ref: string,
  body: RunConfigurationBody,
): Promise<RunConfigurationView> {
  const { ports } = context
  const { database, clock } = ports
  const scriptId = await changing(ports, ref, async ({ id }, rows) => {
    if (rows.length >= CONFIGURATIONS_MAX)
      throw new Refusal('conflict', `A script has ${CONFIGURATIONS_MAX} run configurations at most.`)
    const now = clock.now()
    const isDefault = body.isDefault || rows.length === 0
    const change = { ...(await changeOf(ports, body, null)), isDefault }
    const row = { ...change, scriptId: id, createdAt: now, updatedAt: now }
    const entry = recorded(context, 'create', { objectId: { inserted: true }, after: toldOf(row) })
    const writes = [store.insertRunConfiguration(database, row), entry]
    return { writes: [...(isDefault ? [store.clearDefault(database, id, 0)] : []), ...writes], result: id }
  })
  const rows = await store.listRunConfigurations(database, scriptId)
  const made = rows.find(({ name }) => name === body.name)
  if (!made) throw new Refusal('not_found', 'Somebody took it away again.')
  return viewOf(ports, made)
}

/** Replaces a run configuration; a secret without a value stays what it is.
 * @throws {Refusal} not_found, name_taken, invalid for a data source that is not there, a value that is missing, or when no
 * configuration would be the default one */
export async function updateRunConfiguration(
  context: Context,
  ref: string,
  { id, body }: { readonly id: number; readonly body: RunConfigurationBody },
): Promise<RunConfigurationView> {
  const { ports } = context
  const { database, clock } = ports
  return changing(ports, ref, async (script, rows) => {
    const before = requireRow(rows, id)
    if (before.isDefault && !body.isDefault)
      throw invalid([{ pointer: '/isDefault', message: 'stays true until another one is the default' }])
    const after = { ...before, ...(await changeOf(ports, body, before)), updatedAt: clock.now() }
    const told = { objectId: id, before: toldOf(before), after: toldOf(after) }
    return {
      writes: [
        ...(after.isDefault ? [store.clearDefault(database, script.id, id)] : []),
        store.updateRunConfiguration(database, id, after),
        recorded(context, 'update', told),
      ],
      result: viewOf(ports, after),
    }
  })
}

/** Takes a run configuration away; of those that are left the oldest is the default one if it was that.
 * @throws {Refusal} not_found */
export async function deleteRunConfiguration(context: Context, ref: string, id: number): Promise<void> {
  const { ports } = context
  const { database } = ports
  await changing(ports, ref, (_, rows) => {
    const before = requireRow(rows, id)
    const heir = before.isDefault ? rows.find((row) => row.id !== id) : undefined
    return {
      writes: [
        store.deleteRunConfiguration(database, id),
        ...(heir ? [store.makeDefault(database, heir.id)] : []),
        recorded(context, 'delete', { objectId: id, before: toldOf(before) }),
      ],
      result: undefined,
    }
  })
}

/** The run configurations of a script as they are kept, by id. */
export function listOwn({ database }: Ports, scriptId: number): Promise<RunConfigurationRow[]> {
  return store.listRunConfigurations(database, scriptId)
}

/** Secret variables as they are, by name. @throws {Error} when they were sealed under an unknown key */
export async function openSecrets(
  { secrets }: Ports,
  sealed: Readonly<Record<string, string>>,
): Promise<Record<string, string>> {
  const entries = Object.entries(sealed).map(async ([key, text]) => {
    const bytes = await unseal(secrets, text, purposeOf(key))
    return [key, new TextDecoder().decode(bytes)] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Changes something of the run configurations of a script, looking at what is there. */
function changing<Result>(
  ports: Ports,
  ref: string,
  make: (
    script: { readonly id: number },
    rows: readonly RunConfigurationRow[],
  ) => Promise<{ writes: Write[]; result: Result }> | { writes: Write[]; result: Result },
): Promise<Result> {
  return refuseTakenName('run_configurations.name', () =>
    changeScript(ports, ref, async (script) =>
      make(script, await store.listRunConfigurations(ports.database, script.id)),
    ),
  )
}

/** What is to be kept of a body. @throws {Refusal} invalid */
async function changeOf(
  ports: Ports,
  body: RunConfigurationBody,
  before: RunConfigurationRow | null,
): Promise<RunConfigurationChange> {
  const { id: _id, createdAt: _createdAt, updatedAt: _updatedAt, name, isDefault, timeout, ...rest } = body
  const faults: Fault[] = []
  if (body.kind === 'database' && !isDataSource(body.database.dataSourceId))
    faults.push({ pointer: '/database/dataSourceId', message: 'is not there' })
  const secrets: Record<string, string> = {}
  const envVariables: Variable[] = []
  for (const [index, { key, value, secret }] of rest.envVariables.entries()) {
    if (secret || isSecretName(key)) {
      const sealed = value === undefined ? before?.secrets[key] : await sealOf(ports, key, value)
      if (sealed !== undefined) secrets[key] = sealed
      envVariables.push({ key, secret: true })
    } else if (value === undefined) {
      faults.push({ pointer: `/envVariables/${index}/value`, message: 'is missing' })
    } else {
      envVariables.push({ key, value })
    }
  }
  if (faults.length > 0) throw invalid(faults)
  const { database = null, filesystem = null } = rest
  const rules = { ...rest, envVariables, database, filesystem }
  return { name, isDefault, timeoutS: timeout, rules, secrets }
}

function sealOf({ secrets }: Ports, key: string, value: string): Promise<string> {
  return seal(secrets, new TextEncoder().encode(value), purposeOf(key))
}

function purposeOf(key: string): string {
  return `variable of a script ${key}`
}

function requireRow(rows: readonly RunConfigurationRow[], id: number): RunConfigurationRow {
  const row = rows.find((one) => one.id === id)
  if (!row) throw new Refusal('not_found', 'There is no such run configuration.')
  return row
}

type Told = Omit<Parameters<typeof audited>[1], 'action' | 'objectType'>

function recorded(context: Context, action: string, told: Told) {
  return audited(context, { action, objectType: 'run configuration', ...told })
}

function toldOf({ name, isDefault, timeoutS, rules }: Omit<RunConfigurationChange, 'secrets'>) {
  return { name, isDefault, timeout: timeoutS, ...rules }
}

function viewOf({ settings }: Ports, row: RunConfigurationRow): RunConfigurationView {
  const { id, name, isDefault, timeoutS, rules, secrets, createdAt, updatedAt } = row
  const format = timeFormat(settings.timeZone)
  return {
    id,
    name,
    isDefault,
    timeout: timeoutS,
    ...rules,
    envVariables: rules.envVariables.map((one) =>
      'value' in one ? one : { ...one, valueSet: Object.hasOwn(secrets, one.key) },
    ),
    createdAt: format(createdAt),
    updatedAt: format(updatedAt),
  }
}

function invalid(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'No script can be run like that; see errors.', faults)
}
