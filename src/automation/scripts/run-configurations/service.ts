import { isAdministrator } from '../../../access/rights/permissions.ts'
import { refuseWhileNeeded } from '../../../access/alarm-duty/service.ts'
import type { Context } from '../../../context.ts'
import { demandedVersion } from '../../../http/preconditions.ts'
import type { BodyWithVersion } from '../../../http/updates.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import { changerOf } from '../changer.ts'
import { changeScript, refuseTakenName, requireScript, requireVersion } from '../service/changes.ts'
import type { ScriptWrite } from '../service/changes.ts'
import { isSecretName } from '../variables.ts'
import { CONFIGURATIONS_MAX } from './schema.ts'
import type { RunConfigurationBody, RunConfigurationView } from './schema.ts'
import { adding, baseOf, cannotRun, changeOf, removing, replacing } from './service/changes.ts'
import * as store from './store.ts'
import type { RunConfigurationRow } from './store.ts'

/** The run configurations of a script, by id; there are 100 at most. @throws {Refusal} not_found */
export async function listRunConfigurations(
  { ports }: Context,
  ref: string,
): Promise<RunConfigurationView[]> {
  const script = await requireScript(ports, ref)
  return (await store.listRunConfigurations(ports.database, script.id)).map((row) => viewOf(ports, row))
}

/** A run configuration, with the version of its script: every change of a script makes another one. */
type VersionedConfiguration = { readonly view: RunConfigurationView; readonly version: number }

/** @throws {Refusal} not_found */
export async function readRunConfiguration(
  { ports }: Context,
  ref: string,
  id: number,
): Promise<VersionedConfiguration> {
  const script = await requireScript(ports, ref)
  const rows = await store.listRunConfigurations(ports.database, script.id)
  return { view: viewOf(ports, requireRow(rows, id)), version: script.version }
}

/** Adds a run configuration; the first one of a script is its default.
 * @throws {Refusal} not_found, name_taken, invalid and forbidden as `changeOf`, conflict when there are 100 */
export async function createRunConfiguration(
  context: Context,
  ref: string,
  body: RunConfigurationBody,
): Promise<VersionedConfiguration> {
  const { ports } = context
  return changing(ports, ref, async ({ id, version }, rows) => {
    if (rows.length >= CONFIGURATIONS_MAX)
      throw new Refusal('conflict', `A script must have at most ${CONFIGURATIONS_MAX} run configurations.`)
    const isDefault = body.isDefault || rows.length === 0
    const change = { ...(await changeOf(context, body, { before: null })), isDefault }
    const writes = [...adding(context, id, change), store.selectRunConfigurations(ports.database, id)]
    return {
      writes,
      resultOf(returned) {
        const row = (returned.at(-1) as readonly RunConfigurationRow[]).at(-1)
        if (!row) throw new Error('The database returned no row for a new run configuration.')
        return { view: viewOf(ports, row), version: version + 1 }
      },
    }
  })
}

/** Replaces a run configuration; a secret without a value stays what it is.
 * @throws {Refusal} not_found, name_taken, invalid and forbidden as `changeOf`, invalid when no configuration would be the
 * default one, precondition_failed */
export async function updateRunConfiguration(
  context: Context,
  { ref, id }: { readonly ref: string; readonly id: number },
  { body, ifMatch }: BodyWithVersion<RunConfigurationBody>,
): Promise<VersionedConfiguration> {
  const { ports } = context
  const { clock } = ports
  return changing(ports, ref, async (script, rows) => {
    const before = requireRow(rows, id)
    requireVersion(script, ifMatch)
    if (before.isDefault && !body.isDefault)
      throw cannotRun([
        {
          pointer: '/isDefault',
          message: 'cannot be set to false; make another run configuration the default instead',
        },
      ])
    const after = { ...before, ...(await changeOf(context, body, { before })), updatedAt: clock.now() }
    return {
      writes: replacing(context, before, after),
      resultOf: () => ({ view: viewOf(ports, after), version: script.version + 1 }),
    }
  })
}

/** Takes a run configuration away, as `removing`; of those that are left the oldest is the default one if it was that.
 * @throws {Refusal} not_found, has_dependents while a recipient of alarms names it, precondition_failed */
export async function deleteRunConfiguration(context: Context, ref: string, id: number): Promise<void> {
  const { ports, caller } = context
  const changer = isAdministrator(caller) ? {} : changerOf(caller)
  const remove = () =>
    changing(ports, ref, (script, rows) => {
      const before = requireRow(rows, id)
      requireVersion(script, demandedVersion(context))
      const heir = before.isDefault ? rows.find((row) => row.id !== id) : undefined
      return {
        // The remaining configuration is the caller's choice; an administrator who removes one is not responsible for the rest.
        ...(rows.length === 1 && { change: changer }),
        writes: [
          ...removing(context, before),
          ...(heir ? [store.makeDefault(ports.database, heir.id, changer)] : []),
        ],
        resultOf: () => undefined,
      }
    })
  await refuseWhileNeeded(ports.database, baseOf({ id }), remove)
}

/** The statement that reads the run configurations of a script within a commit, as `configurationViews` shows them. */
export const selectConfigurations = store.selectRunConfigurations

/** The views of the rows that a statement of `selectConfigurations` returned. */
export function configurationViews(ports: Ports, returned: unknown): RunConfigurationView[] {
  return (returned as readonly RunConfigurationRow[]).map((row) => viewOf(ports, row))
}

/** The run configurations of a script as they are kept, by id. */
export function listOwnConfigurations({ database }: Ports, scriptId: number): Promise<RunConfigurationRow[]> {
  return store.listRunConfigurations(database, scriptId)
}

/** Changes the run configurations of a script, given the present ones. */
function changing<Result>(
  ports: Ports,
  ref: string,
  make: (
    script: { readonly id: number; readonly version: number },
    rows: readonly RunConfigurationRow[],
  ) => Promise<ScriptWrite<Result>> | ScriptWrite<Result>,
): Promise<Result> {
  return refuseTakenName(() =>
    changeScript(ports, ref, async (script) =>
      make(script, await store.listRunConfigurations(ports.database, script.id)),
    ),
  )
}

function requireRow(rows: readonly RunConfigurationRow[], id: number): RunConfigurationRow {
  const row = rows.find((one) => one.id === id)
  if (!row) throw noSuch('run configuration')
  return row
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
    // A value that was stored in clear before its name counted as a secret is not shown either.
    envVariables: rules.envVariables.map(({ key, ...one }) =>
      'value' in one && !isSecretName(key)
        ? { key, value: one.value }
        : { key, secret: true as const, valueSet: 'value' in one || Object.hasOwn(secrets, key) },
    ),
    changedBy: row.changedBy,
    createdAt: format(createdAt),
    updatedAt: format(updatedAt),
  }
}
