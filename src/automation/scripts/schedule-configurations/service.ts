import { scriptRunnersAmong } from '../../../access/users/service.ts'
import type { Context } from '../../../context.ts'
import { demandedVersion } from '../../../http/preconditions.ts'
import type { BodyWithVersion } from '../../../http/updates.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import type { Ports } from '../../../ports/index.ts'
import { nextRuns } from '../cron.ts'
import { listOwnConfigurations } from '../run-configurations/service.ts'
import { changeScript, refuseTakenName, requireScript, requireVersion } from '../service/changes.ts'
import type { ScriptWrite } from '../service/changes.ts'
import { SCHEDULES_MAX } from './schema.ts'
import type { NextRunsQuery, ScheduleConfigurationBody, ScheduleConfigurationView } from './schema.ts'
import { adding, changeOf, cronFault, removing, replacing } from './service/changes.ts'
import * as store from './store.ts'
import type { ScheduleRow } from './store.ts'

const RUNS_SHOWN = 5

/** The schedule configurations of a script, by id; there are 100 at most. @throws {Refusal} not_found */
export async function listSchedules({ ports }: Context, ref: string): Promise<ScheduleConfigurationView[]> {
  const script = await requireScript(ports, ref)
  return viewsOf(ports, await store.listSchedules(ports.database, script.id))
}

/** A schedule, with the version of its script: every change of a script makes another one. */
type VersionedSchedule = { readonly view: ScheduleConfigurationView; readonly version: number }

/** @throws {Refusal} not_found */
export async function readSchedule({ ports }: Context, ref: string, id: number): Promise<VersionedSchedule> {
  const script = await requireScript(ports, ref)
  const row = requireRow(await store.listSchedules(ports.database, script.id), id)
  return { view: await viewOf(ports, row), version: script.version }
}

/** The next times of a cron expression that no schedule has yet. @throws {Refusal} not_found, invalid for what never comes */
export async function listNextRuns(
  { ports }: Context,
  ref: string,
  { cron, timeZone = ports.settings.timeZone }: NextRunsQuery,
): Promise<{ nextRuns: string[] }> {
  await requireScript(ports, ref)
  const now = ports.clock.now()
  const fault = cronFault(cron, timeZone, now)
  if (fault)
    throw new Refusal('invalid', 'The schedule is invalid; see errors.', [{ ...fault, pointer: '?cron' }])
  return { nextRuns: nextRuns(cron, timeZone, now, RUNS_SHOWN).map(timeFormat(ports.settings.timeZone)) }
}

/** Adds a schedule, which runs in the name of the caller. @throws {Refusal} not_found, name_taken, invalid for what never
 * comes or for a configuration that is not one of the script, conflict when there are 100 */
export async function createSchedule(
  context: Context,
  ref: string,
  body: ScheduleConfigurationBody,
): Promise<VersionedSchedule> {
  const { ports } = context
  const { row, version } = await changing(ports, ref, async ({ id, version: before }, rows) => {
    if (rows.length >= SCHEDULES_MAX)
      throw new Refusal('conflict', `A script must have at most ${SCHEDULES_MAX} schedule configurations.`)
    const configurationIds = await idsOf(ports, id)
    const change = changeOf(context, body, { before: null, configurationIds })
    const writes = [...adding(context, id, change), store.selectSchedules(ports.database, id)]
    const resultOf = (returned: readonly unknown[]) => ({
      row: (returned.at(-1) as readonly ScheduleRow[]).at(-1),
      version: before + 1,
    })
    return { writes, resultOf }
  })
  if (!row) throw new Error('The database returned no row for a new schedule.')
  return { view: await viewOf(ports, row), version }
}

/** Replaces a schedule, which runs in the name of the caller from then on. @throws {Refusal} not_found, name_taken, invalid,
 * precondition_failed */
export async function updateSchedule(
  context: Context,
  { ref, id }: { readonly ref: string; readonly id: number },
  { body, ifMatch }: BodyWithVersion<ScheduleConfigurationBody>,
): Promise<VersionedSchedule> {
  const { ports } = context
  return changing(ports, ref, async (script, rows) => {
    const before = requireRow(rows, id)
    requireVersion(script, ifMatch)
    const configurationIds = await idsOf(ports, script.id)
    const change = changeOf(context, body, { before, configurationIds })
    const after = { ...before, ...change, updatedAt: ports.clock.now() }
    const result = { view: await viewOf(ports, after), version: script.version + 1 }
    return { writes: replacing(context, before, after), resultOf: () => result }
  })
}

/** @throws {Refusal} not_found, precondition_failed */
export async function deleteSchedule(context: Context, ref: string, id: number): Promise<void> {
  await changing(context.ports, ref, (script, rows) => {
    const before = requireRow(rows, id)
    requireVersion(script, demandedVersion(context))
    return Promise.resolve({ writes: removing(context, before), resultOf: () => undefined })
  })
}

/** Changes the schedules of a script, given the present ones. */
async function changing<Result>(
  ports: Ports,
  ref: string,
  make: (
    script: { readonly id: number; readonly version: number },
    rows: readonly ScheduleRow[],
  ) => Promise<ScriptWrite<Result>>,
): Promise<Result> {
  const result = await refuseTakenName(() =>
    changeScript(ports, ref, async (script) =>
      make(script, await store.listSchedules(ports.database, script.id)),
    ),
  )
  // The watch of due schedules has to be notified.
  await ports.dispatch.runDue()
  return result
}

/** The statement that reads the schedules of a script within a commit, as `scheduleViews` shows them. */
export const selectSchedules = store.selectSchedules

/** The views of the rows that a statement of `selectSchedules` returned. */
export function scheduleViews(ports: Ports, returned: unknown): Promise<ScheduleConfigurationView[]> {
  return viewsOf(ports, returned as readonly ScheduleRow[])
}

/** The schedules of a script as they are kept, by id. */
export function listOwnSchedules({ database }: Ports, scriptId: number): Promise<ScheduleRow[]> {
  return store.listSchedules(database, scriptId)
}

async function idsOf(ports: Ports, scriptId: number): Promise<ReadonlySet<number>> {
  return new Set((await listOwnConfigurations(ports, scriptId)).map(({ id }) => id))
}

function requireRow(rows: readonly ScheduleRow[], id: number): ScheduleRow {
  const row = rows.find((one) => one.id === id)
  if (!row) throw noSuch('schedule configuration')
  return row
}

/** The message of a schedule while its user may not order runs. */
const OWNER_GONE =
  'The user of this schedule was deleted or may not run scripts. Save it with `enabled: true` to run it as you.'

async function viewsOf(ports: Ports, rows: readonly ScheduleRow[]): Promise<ScheduleConfigurationView[]> {
  const able = await scriptRunnersAmong(
    ports,
    rows.map(({ userId }) => userId),
  )
  return rows.map((row) => shown(ports, row, row.userId !== null && able.has(row.userId)))
}

async function viewOf(ports: Ports, row: ScheduleRow): Promise<ScheduleConfigurationView> {
  const [view] = await viewsOf(ports, [row])
  if (!view) throw new TypeError('No view was made for an existing schedule.')
  return view
}

function shown({ settings, clock }: Ports, row: ScheduleRow, mayRun: boolean): ScheduleConfigurationView {
  const { id, name, isEnabled, cron, timeZone, runConfigurationId, misfire, userId } = row
  const enabled = isEnabled && mayRun
  const format = timeFormat(settings.timeZone)
  const runs = enabled ? nextRuns(cron, timeZone, clock.now(), RUNS_SHOWN) : []
  return {
    id,
    name,
    enabled,
    cron,
    timeZone,
    runConfigurationId,
    misfire,
    userId,
    problem: mayRun ? null : OWNER_GONE,
    nextRuns: runs.map(format),
    last: row.lastAt === null ? null : { at: format(row.lastAt), result: row.lastResult ?? '' },
    createdAt: format(row.createdAt),
    updatedAt: format(row.updatedAt),
  }
}
