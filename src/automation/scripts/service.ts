import { recorder } from '../../access/audit/service.ts'
import type { Context } from '../../context.ts'
import { demandedVersion } from '../../http/preconditions.ts'
import { Refusal } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { decodeCursor, pageOf, unknownCursor } from '../../lib/paging.ts'
import type { Page } from '../../lib/paging.ts'
import { timeFormat } from '../../lib/time.ts'
import { fullDetail, isForeignKeyViolation, refuseFull } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import type { Changer } from './changer.ts'
import { detect } from './detection.ts'
import { groupIdOf, listGroups } from './groups/service.ts'
import type { ListQuery, ScriptBody, ScriptView } from './schema.ts'
import { changeScript, refuseTakenName, requireScript, requireVersion } from './service/changes.ts'
import * as store from './store.ts'
import type { Dependent, LatestRun, ScriptChange, ScriptRow, ScriptSelection } from './store.ts'

const recorded = recorder('script')

const SCRIPTS_MAX = 2_000
const FULL = fullDetail(SCRIPTS_MAX, 'scripts')
const DEPENDENTS_SHOWN = 100
/** Nothing in it runs as yet. */
const NO_CHANGER: Changer = { changedBy: null, changedRole: null }

type Versioned = { readonly view: ScriptView; readonly version: number }

/** The writes that replace the dependents on scripts of an owner: of a dashboard, a data source or a recipient of alarms. They
 * belong to the commit that changes the owner. */
export const dependents = store.saveDependents

/** The writes that make the row to which runs of forecasts belong. */
export const insertForecastsRow = store.insertForecastsRow

/** Scripts by name. @throws {Refusal} invalid for a cursor of another list */
export async function listScripts(
  { ports }: Context,
  { groupId, limit, cursor }: Page & Pick<ListQuery, 'groupId'>,
): Promise<{ items: ScriptView[]; next: string | null }> {
  const afterName = cursor === undefined ? '' : decodeCursor(cursor)
  if (typeof afterName !== 'string') throw unknownCursor()
  const rows = await store.listScripts(ports.database, { groupId, afterName }, limit + 1)
  const { shown, next } = pageOf(rows, limit, ({ name }) => name)
  return {
    items: await viewsOf(ports, shown),
    next,
  }
}

/** The ids of scripts by name: of those that are named, of those in groups that are named, or of all; `limit` at most.
 * @throws {Refusal} invalid for a script or a group that is not there */
export async function selectScripts(
  context: Context,
  selection: ScriptSelection,
  limit: number,
): Promise<number[]> {
  const { database } = context.ports
  const named = { ...selection, groupIds: [], all: false }
  const known = new Set(await store.listScriptIds(database, named, selection.scriptIds.length))
  const groups = new Set((await listGroups(context)).map(({ id }) => id))
  const faults = [
    ...missing(selection.scriptIds, known, '/scriptIds'),
    ...missing(selection.groupIds, groups, '/groupIds'),
  ]
  if (faults.length > 0) throw new Refusal('invalid', 'Some of these do not exist; see errors.', faults)
  return store.listScriptIds(database, selection, limit)
}

function missing(ids: readonly number[], known: ReadonlySet<number>, pointer: string): Fault[] {
  return ids.flatMap((id, index) =>
    known.has(id) ? [] : [{ pointer: `${pointer}/${index}`, message: 'must be an existing id' }],
  )
}

/** @throws {Refusal} not_found */
export async function readScript({ ports }: Context, ref: string): Promise<Versioned> {
  const row = await requireScript(ports, ref)
  return { view: await viewOf(ports, row), version: row.version }
}

/** Adds a script without files. @throws {Refusal} name_taken, invalid for a group that is not there, conflict when there
 * are 2,000 */
export async function createScript(context: Context, body: ScriptBody): Promise<Versioned> {
  const { ports } = context
  const { database, clock } = ports
  const settings = settingsOf(body, await groupIdOf(ports, body.groupId))
  const now = clock.now()
  const row = {
    ...settings,
    ...NO_CHANGER,
    detection: detect([]),
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: auditFieldsOf(row) })
  const [[made]] = await adding(() => database.batch([insertScript(database, row), entry]))
  if (!made) throw new Error('The database returned no row for a new script.')
  ports.log.info('scripts: script created', { name: row.name })
  return { view: await viewOf(ports, { ...row, ...made }), version: row.version }
}

/** The write that adds a script. Its commit fails, as `adding` recognises, when there are 2,000. */
export function insertScript(database: Database, row: Parameters<typeof store.insertScript>[1]) {
  return store.insertScript(database, row, SCRIPTS_MAX)
}

/** Commits a new script.
 * @throws {Refusal} name_taken, invalid where its group is gone meanwhile, conflict when there are 2,000 */
export function adding<Result>(insert: () => Promise<Result>): Promise<Result> {
  return refuseFull('scripts', FULL, () => refuseTakenName(() => refuseGoneGroup(insert)))
}

/** Replaces what is set of a script beside its configurations; a group that is absent stays.
 * @throws {Refusal} not_found, name_taken, invalid for a group that is not there, precondition_failed */
export async function updateScript(
  context: Context,
  ref: string,
  change: { readonly body: ScriptBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { row } = await updating(context, ref, { ...change, also: () => Promise.resolve([]) })
  return { view: await viewOf(context.ports, row), version: row.version }
}

/** Replaces what is set of a script, with what else is written in the same commit. @returns the script as this
 * commit left it, and what the writes of `also` returned
 * @throws {Refusal} as `updateScript`, and what `also` throws */
export function updating(
  context: Context,
  ref: string,
  {
    body,
    ifMatch,
    also,
  }: {
    readonly body: ScriptBody
    readonly ifMatch: number | null
    readonly also: (scriptId: number) => Promise<Write[]>
  },
): Promise<{ readonly row: ScriptRow; readonly returned: readonly unknown[] }> {
  const { ports } = context
  const write = () =>
    changeScript(ports, ref, async (script) => {
      requireVersion(script, ifMatch)
      const change = settingsOf(body, await groupIdOf(ports, body.groupId ?? script.groupId))
      const told = { objectId: script.id, before: auditFieldsOf(script), after: auditFieldsOf(change) }
      const writes = [recorded(context, 'update', told), ...(await also(script.id))]
      const row = { ...script, ...change, version: script.version + 1, updatedAt: ports.clock.now() }
      return { change, writes, resultOf: ([, ...returned]) => ({ row, returned }) }
    })
  return refuseTakenName(() => refuseGoneGroup(write))
}

/** Takes a script away with its files, configurations, tokens and runs.
 * @throws {Refusal} not_found, has_dependents while something depends on it, unless it is forced */
export async function deleteScript(
  context: Context,
  ref: string,
  { isForced }: { readonly isForced: boolean },
): Promise<void> {
  const { ports } = context
  const { database, clock } = ports
  const gone = await changeScript(ports, ref, async (script) => {
    requireVersion(script, demandedVersion(context))
    const found = isForced ? [] : await store.listDependents(database, [script.id])
    if (found.length > 0) throw hasDependents(found)
    const entry = recorded(context, 'delete', { objectId: script.id, before: auditFieldsOf(script) })
    const writes = [...store.deleteScript(database, script, { isForced, at: clock.now() }), entry]
    return { writes, resultOf: () => script.id }
  })
  ports.log.info('scripts: script deleted', { scriptId: gone })
}

type Settings = Required<Omit<ScriptChange, 'detection' | keyof Changer>>

function settingsOf({ name, description, timeout, acceptedFiles }: ScriptBody, groupId: number): Settings {
  return { name, description, groupId, timeoutS: timeout, acceptedFiles }
}

/** Does something that puts a script into a group. @throws {Refusal} invalid where the group is gone meanwhile */
async function refuseGoneGroup<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('invalid', 'There is no such group.', [
      { pointer: '/groupId', message: 'must be the id of an existing group' },
    ])
  }
}

const DEPENDENT: Readonly<
  Record<Dependent['kind'], (one: Pick<Dependent, 'ownerId' | 'part' | 'name'>) => string>
> = {
  widget: ({ ownerId, part, name }) => `the widget ${part} of dashboard ${ownerId}, ${name}`,
  dataSource: ({ ownerId, part, name }) => `the table ${part} of data source ${ownerId}, ${name}`,
  alarmRecipient: ({ ownerId, name }) => `the alarm recipient ${ownerId}, ${name}`,
}

function hasDependents(found: readonly Dependent[]): Refusal {
  const errors = found.slice(0, DEPENDENTS_SHOWN).map(({ kind, ownerId, part, name }, index) => ({
    pointer: `/dependents/${index}`,
    message: DEPENDENT[kind]({ ownerId, part, name }),
  }))
  const detail = `This script is used by ${found.length} other objects; see errors. Change these first, or pass forceDelete=true.`
  return new Refusal('has_dependents', detail, errors)
}

function auditFieldsOf({ name, description, groupId, timeoutS, acceptedFiles }: Settings) {
  return { name, description, groupId, timeout: timeoutS, acceptedFiles }
}

async function viewOf(ports: Ports, row: ScriptRow): Promise<ScriptView> {
  const [view] = await viewsOf(ports, [row])
  if (!view) throw new Error('No view was made for an existing script.')
  return view
}

async function viewsOf(ports: Ports, rows: readonly ScriptRow[]): Promise<ScriptView[]> {
  const ids = rows.map(({ id }) => id)
  const [found, latest] = await Promise.all([
    store.listDependents(ports.database, ids),
    store.listLatestRuns(ports.database, ids),
  ])
  const latestOf = new Map(latest.map((run) => [run.scriptId, run]))
  const byScript = Map.groupBy(found, ({ scriptId }) => scriptId)
  const format = timeFormat(ports.settings.timeZone)
  return rows.map((row) => {
    const { id, name, description, groupId, detection, timeoutS, createdAt, updatedAt, acceptedFiles } = row
    return {
      id,
      name,
      description,
      groupId,
      ...detection,
      acceptedFiles: acceptedFiles as ScriptView['acceptedFiles'],
      warnings: [...detection.warnings],
      timeout: timeoutS,
      dependents: shownDependents(byScript.get(id) ?? []),
      lastRun: shownRun(latestOf.get(id), format),
      filesChangedBy: row.changedBy,
      createdAt: format(createdAt),
      updatedAt: format(updatedAt),
    }
  })
}

function shownRun(run: LatestRun | undefined, format: (at: number) => string): ScriptView['lastRun'] {
  if (!run) return null
  const { id, state, queuedAt, startedAt, finishedAt } = run
  const shown = (at: number | null) => (at === null ? null : format(at))
  return { id, state, queuedAt: format(queuedAt), startedAt: shown(startedAt), finishedAt: shown(finishedAt) }
}

function shownDependents(found: readonly Dependent[]): ScriptView['dependents'] {
  const shown = found.slice(0, DEPENDENTS_SHOWN)
  return {
    count: found.length,
    widgets: shown.flatMap(({ kind, ownerId, part, name }) =>
      kind === 'widget' ? [{ dashboardId: ownerId, widgetId: part, name }] : [],
    ),
    dataSources: shown.flatMap(({ kind, ownerId, part, name }) =>
      kind === 'dataSource' ? [{ dataSourceId: ownerId, table: part, name }] : [],
    ),
    alarmRecipients: shown.flatMap(({ kind, ownerId, name }) =>
      kind === 'alarmRecipient' ? [{ recipientId: ownerId, name }] : [],
    ),
  }
}
