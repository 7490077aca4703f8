import { refuseWhileNeeded } from '../../../access/alarm-duty/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import type { Fault } from '../../../lib/errors.ts'
import type { Write } from '../../../ports/database.ts'
import type { RunConfigurationBody } from '../run-configurations/schema.ts'
import {
  configurationViews,
  listOwnConfigurations,
  listRunConfigurations,
  selectConfigurations,
} from '../run-configurations/service.ts'
import * as runs from '../run-configurations/service/changes.ts'
import type { RunConfigurationRow } from '../run-configurations/store.ts'
import type { ScheduleConfigurationBody } from '../schedule-configurations/schema.ts'
import {
  listOwnSchedules,
  listSchedules,
  scheduleViews,
  selectSchedules,
} from '../schedule-configurations/service.ts'
import * as schedules from '../schedule-configurations/service/changes.ts'
import { readScript, updating } from '../service.ts'
import type { SettingsBody, SettingsView } from './schema.ts'

/** The settings of a script, with its configurations. @throws {Refusal} not_found */
export async function readSettings(
  context: Context,
  ref: string,
): Promise<{ readonly view: SettingsView; readonly version: number }> {
  const { view: script, version } = await readScript(context, ref)
  const [runConfigurations, scheduleConfigurations] = await Promise.all([
    listRunConfigurations(context, String(script.id)),
    listSchedules(context, String(script.id)),
  ])
  return { view: { ...ownOf(script), runConfigurations, scheduleConfigurations }, version }
}

type Own = Omit<SettingsView, 'runConfigurations' | 'scheduleConfigurations'>

function ownOf({ name, description, groupId, timeout, acceptedFiles }: Own): Own {
  return { name, description, groupId, timeout, acceptedFiles }
}

/** Replaces the settings of a script, and its configurations where the body has them, in one commit.
 * @throws {Refusal} not_found, name_taken, invalid, precondition_failed, has_dependents while a recipient of alarms names a run
 * configuration that the body lacks */
export async function updateSettings(
  context: Context,
  ref: string,
  { body, ifMatch }: { readonly body: SettingsBody; readonly ifMatch: number | null },
): ReturnType<typeof readSettings> {
  const { ports } = context
  const removed: ReturnType<typeof runs.baseOf>[] = []
  const write = () =>
    updating(context, ref, {
      body,
      ifMatch,
      async also(scriptId) {
        const { runConfigurations, scheduleConfigurations: bodies } = body
        const { ids, writes, gone } = await replaceRunConfigurations(context, scriptId, runConfigurations)
        removed.splice(0, removed.length, ...gone.map(runs.baseOf))
        return [
          ...writes,
          ...(await replaceSchedules(context, scriptId, { bodies, ids })),
          selectConfigurations(ports.database, scriptId),
          selectSchedules(ports.database, scriptId),
        ]
      },
    })
  const { row, returned } = await refuseWhileNeeded(ports.database, removed, write)
  // The watch of due schedules has to be notified.
  await ports.dispatch.runDue()
  const [runRows, scheduleRows] = returned.slice(-2)
  const view = {
    ...ownOf({ ...body, groupId: row.groupId }),
    runConfigurations: configurationViews(ports, runRows),
    scheduleConfigurations: await scheduleViews(ports, scheduleRows),
  }
  return { view, version: row.version }
}

/** @returns also the ids of those that stay, and the rows of the others */
async function replaceRunConfigurations(
  context: Context,
  scriptId: number,
  bodies: readonly RunConfigurationBody[] | undefined,
): Promise<{
  readonly ids: ReadonlySet<number>
  readonly writes: Write[]
  readonly gone: readonly RunConfigurationRow[]
}> {
  const rows = await listOwnConfigurations(context.ports, scriptId)
  const were = new Map(rows.map((row) => [row.id, row]))
  if (bodies === undefined) return { ids: new Set(were.keys()), writes: [], gone: [] }
  const ids = requireIds(bodies, were, { at: '/runConfigurations', noun: 'run configuration' })
  const defaults = bodies.flatMap(({ isDefault }, index) => (isDefault ? [index] : []))
  const [first = 0, second] = defaults
  if (second !== undefined)
    throw refused([
      {
        pointer: `/runConfigurations/${second}/isDefault`,
        message: 'must be true for one run configuration only',
      },
    ])
  const gone = rows.filter(({ id }) => !ids.has(id))
  const writes = gone.flatMap((row) => runs.removing(context, row))
  for (const [index, body] of bodies.entries()) {
    const before = (body.id !== undefined && were.get(body.id)) || null
    const made = await runs.changeOf(context, body, { before, at: `/runConfigurations/${index}` })
    const change = { ...made, isDefault: index === first }
    const updatedAt = context.ports.clock.now()
    writes.push(
      ...(before
        ? runs.replacing(context, before, { ...before, ...change, updatedAt })
        : runs.adding(context, scriptId, change)),
    )
  }
  return { ids, writes, gone }
}

async function replaceSchedules(
  context: Context,
  scriptId: number,
  {
    bodies,
    ids: configurationIds,
  }: { readonly bodies: readonly ScheduleConfigurationBody[] | undefined; readonly ids: ReadonlySet<number> },
): Promise<Write[]> {
  if (bodies === undefined) return []
  const rows = await listOwnSchedules(context.ports, scriptId)
  const were = new Map(rows.map((row) => [row.id, row]))
  const ids = requireIds(bodies, were, { at: '/scheduleConfigurations', noun: 'schedule' })
  const gone = rows.filter(({ id }) => !ids.has(id)).flatMap((row) => schedules.removing(context, row))
  const come = bodies.flatMap((body, index) => {
    const before = (body.id !== undefined && were.get(body.id)) || null
    const at = `/scheduleConfigurations/${index}`
    const change = schedules.changeOf(context, body, { before, configurationIds, at })
    const updatedAt = context.ports.clock.now()
    return before
      ? schedules.replacing(context, before, { ...before, ...change, updatedAt })
      : schedules.adding(context, scriptId, change)
  })
  return [...gone, ...come]
}

/** The ids that bodies name. @throws {Refusal} invalid for one that is not there or twice */
function requireIds(
  bodies: readonly { readonly id?: number | undefined }[],
  were: ReadonlyMap<number, unknown>,
  { at, noun }: { readonly at: string; readonly noun: string },
): Set<number> {
  const ids = new Set<number>()
  const faults: Fault[] = []
  for (const [index, { id }] of bodies.entries()) {
    if (id === undefined) continue
    if (!were.has(id))
      faults.push({
        pointer: `${at}/${index}/id`,
        message: `must be the id of a ${noun} of this script`,
      })
    if (ids.has(id)) faults.push({ pointer: `${at}/${index}/id`, message: 'must not be repeated' })
    ids.add(id)
  }
  if (faults.length > 0) throw refused(faults)
  return ids
}

function refused(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid', 'The settings of the script are invalid; see errors.', faults)
}
