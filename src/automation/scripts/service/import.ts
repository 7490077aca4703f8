import { audited } from '../../../access/audit/service.ts'
import { findDataSource } from '../../../data/sources/service.ts'
import { asExpiredUpload } from '../../../content/blobs/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal } from '../../../lib/errors.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { foldCase } from '../../../lib/text.ts'
import { commit, isUniqueViolation } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { RUN_TYPES } from '../accepted-files.ts'
import { changerOf } from '../changer.ts'
import type { Detection } from '../detection.ts'
import { detectionOf, readTree, treeWrites } from '../files/service.ts'
import { groupNamed, refuseFullGroups } from '../groups/service.ts'
import { CONFIGURATIONS_MAX } from '../run-configurations/schema.ts'
import type { IncomingRunConfiguration, RunConfigurationBody } from '../run-configurations/schema.ts'
import { listOwnConfigurations } from '../run-configurations/service.ts'
import * as runs from '../run-configurations/service/changes.ts'
import { SCHEDULES_MAX } from '../schedule-configurations/schema.ts'
import type { ScheduleConfigurationBody } from '../schedule-configurations/schema.ts'
import { listOwnSchedules } from '../schedule-configurations/service.ts'
import * as schedules from '../schedule-configurations/service/changes.ts'
import { adding, insertScript } from '../service.ts'
import type { ScriptBody } from '../schema.ts'
import * as store from '../store.ts'
import { changed, treeOf } from '../tree.ts'
import type { Tree, TreeEntry } from '../tree.ts'
import { changeScript, findScript } from './changes.ts'

/** A script as it comes from elsewhere. */
export type Incoming = {
  readonly name: string
  /** The group of a new script, by its id or its name. A missing group of this name is created. */
  readonly group: number | string
  /** The files of the script, which are stored and to which nothing refers yet. */
  readonly entries: readonly TreeEntry[]
  /** The settings of the script; null without settings. */
  readonly settings: IncomingSettings | null
}

export type IncomingSettings = Pick<ScriptBody, 'description' | 'timeout' | 'acceptedFiles'> & {
  readonly runConfigurations: readonly IncomingRunConfiguration[]
  readonly defaultRunConfiguration: string | null
  /** Each names its run configuration. */
  readonly scheduleConfigurations: readonly (Omit<ScheduleConfigurationBody, 'runConfigurationId'> & {
    readonly runConfiguration: string | null
  })[]
}

export type Arrived = {
  readonly id: number
  readonly action: 'created' | 'overwritten'
  readonly groupId: number
  readonly detection: Detection
}

/** Adds a script as a whole, or puts it in place of the one of its name: all of it in one commit, or nothing. One that was
 * there keeps its id, group, tokens and runs, secrets of the same name, and configurations that the other has none for;
 * its schedules stay as they are. Schedules that come are not enabled.
 * @throws {Refusal} name_taken for one that is there, unless `overwrite`; invalid and conflict for what no script can be;
 * unavailable where the files were put too long ago */
export async function importScript(
  context: Context,
  incoming: Incoming,
  { overwrite }: { readonly overwrite: boolean },
): Promise<Arrived> {
  const there = await findScript(context.ports, incoming.name)
  if (there && !overwrite) throw nameTaken()
  const arrive = () =>
    withNextIds(context.ports, (ids) =>
      there ? replace(context, incoming, { ...ids, scriptId: there.id }) : create(context, incoming, ids),
    )
  return refuseFullGroups(() => adding(arrive)).catch((error: unknown) => {
    throw asExpiredUpload(error)
  })
}

/** The conflict of an imported script with an existing one of its name. */
export function nameTaken(): Refusal {
  return new Refusal(
    'name_taken',
    'A script with this name exists. Import it with overwriting allowed, or rename it.',
  )
}

function replace(
  context: Context,
  incoming: Incoming,
  { scriptId, runConfigurationId }: Ids,
): Promise<Arrived> {
  const { ports } = context
  return changeScript(ports, scriptId, async (script) => {
    const { id, groupId } = script
    const before = await readTree(ports, id)
    const tree = treeFrom(before, incoming.entries)
    const { settings } = incoming
    const set = settings && {
      description: settings.description,
      timeoutS: settings.timeout,
      acceptedFiles: settings.acceptedFiles,
    }
    const entry = audited(context, {
      action: 'import',
      objectType: 'script',
      objectId: id,
      before: { ...auditFieldsOf(script), ...sizeOf(before) },
      after: { ...auditFieldsOf({ ...script, ...set }), ...sizeOf(tree.after) },
    })
    const detection = detectionOf(tree.after)
    return {
      change: { ...set, detection, ...changerOf(context.caller) },
      writes: [
        ...treeWrites(ports, script, tree),
        ...(await configurationWrites(context, incoming.settings, {
          scriptId: id,
          firstId: runConfigurationId,
        })),
        entry,
      ],
      resultOf: () => ({ id, action: 'overwritten', groupId, detection }),
    }
  })
}

async function create(
  context: Context,
  incoming: Incoming,
  { scriptId: id, groupId: nextGroupId, runConfigurationId }: Ids,
): Promise<Arrived> {
  const { database, clock } = context.ports
  const { name } = incoming
  const group =
    typeof incoming.group === 'number'
      ? { id: incoming.group, writes: [] }
      : await groupNamed(context, incoming.group, nextGroupId)
  const { id: groupId } = group
  const tree = treeFrom(new Map(), incoming.entries)
  const detection = detectionOf(tree.after)
  const { description, timeout, acceptedFiles } = incoming.settings ?? UNSET
  const now = clock.now()
  const settings = { name, description, groupId, timeoutS: timeout, acceptedFiles: [...acceptedFiles] }
  const changer = changerOf(context.caller)
  const row = { ...settings, ...changer, id, detection, version: 1, createdAt: now, updatedAt: now }
  const after = { ...auditFieldsOf(row), ...sizeOf(tree.after) }
  await commit(database, [
    ...group.writes,
    insertScript(database, row),
    audited(context, { action: 'import', objectType: 'script', objectId: id, after }),
    ...treeWrites(context.ports, row, tree),
    ...(await configurationWrites(context, incoming.settings, { scriptId: id, firstId: runConfigurationId })),
  ])
  return { id, action: 'created', groupId, detection }
}

const IDS = ['scripts.id', 'script_groups.id', 'script_groups.name', 'run_configurations.id'] as const

type Ids = Awaited<ReturnType<typeof store.nextIds>>

/** Runs `write` with the next free ids, and again with others when a concurrent request takes them first. */
function withNextIds<Result>({ database }: Ports, write: (ids: Ids) => Promise<Result>): Promise<Result> {
  const isTaken = (error: unknown) => IDS.some((column) => isUniqueViolation(error, column))
  return retryOnConflict(isTaken, async () => write(await store.nextIds(database)))
}

const UNSET = { description: '', timeout: 0, acceptedFiles: RUN_TYPES }

function treeFrom(before: Tree, entries: readonly TreeEntry[]) {
  const came = treeOf(entries)
  const change = { removes: [...before.keys()].filter((path) => !came.has(path)), puts: entries }
  return { before, change, after: changed(before, change, '/file') }
}

type Place = { readonly scriptId: number; readonly firstId: number }

/** The writes for what comes with a script beside its tree. New run configurations are numbered from `firstId` on, so that
 * schedules of the same commit can name them. */
async function configurationWrites(
  context: Context,
  settings: IncomingSettings | null,
  place: Place,
): Promise<Write[]> {
  if (!settings) return []
  const rows = await listOwnConfigurations(context.ports, place.scriptId)
  const there = new Map(rows.map((row) => [foldCase(row.name), row]))
  const ids = new Map(rows.map(({ name, id }) => [foldCase(name), id]))
  const isDefault = defaultAmong(
    settings,
    rows.some((row) => row.isDefault),
  )
  const writes: Write[] = []
  let nextId = place.firstId
  for (const [index, came] of settings.runConfigurations.entries()) {
    const before = there.get(foldCase(came.name)) ?? null
    const at = `/runConfigurations/${index}`
    // The id of a job means nothing elsewhere.
    const local = { ...came, reportTo: before?.rules.reportTo ?? null }
    const body = await atHome(context.ports, local, at)
    const made = await runs.changeOf(context, body, { before, at })
    const change = { ...made, isDefault: isDefault(index) ?? before?.isDefault ?? false }
    if (before) {
      const after = { ...before, ...change, updatedAt: context.ports.clock.now() }
      writes.push(...runs.replacing(context, before, after))
      continue
    }
    ids.set(foldCase(came.name), nextId)
    writes.push(...runs.adding(context, place.scriptId, { ...change, id: nextId++ }))
  }
  if (ids.size > CONFIGURATIONS_MAX)
    throw new Refusal('conflict', `A script must have at most ${CONFIGURATIONS_MAX} run configurations.`)
  return [...writes, ...(await scheduleWrites(context, settings, { scriptId: place.scriptId, ids }))]
}

/** A run configuration that comes, with the data source that is called here as it says. @throws {Refusal} invalid where none is */
async function atHome(
  ports: Ports,
  came: IncomingRunConfiguration,
  at: string,
): Promise<RunConfigurationBody> {
  if (came.kind !== 'database') return came
  const { dataSource, access } = came.database
  const found = dataSource === null ? null : await findDataSource(ports, dataSource)
  if (!found)
    throw new Refusal('invalid', 'A run configuration names a data source that does not exist.', [
      { pointer: `${at}/database/dataSource`, message: 'must be the name of a data source' },
    ])
  return { ...came, database: { dataSourceId: found.id, access } }
}

/** Whether a run configuration that comes is the default one; undefined where that stays as it is. */
function defaultAmong(
  { runConfigurations, defaultRunConfiguration }: IncomingSettings,
  hasDefault: boolean,
): (index: number) => boolean | undefined {
  const named = runConfigurations.findIndex(
    ({ name }) => defaultRunConfiguration !== null && foldCase(name) === foldCase(defaultRunConfiguration),
  )
  if (named < 0 && hasDefault) return () => undefined
  return (index) => index === Math.max(named, 0)
}

async function scheduleWrites(
  context: Context,
  { scheduleConfigurations: come }: IncomingSettings,
  { scriptId, ids }: { readonly scriptId: number; readonly ids: ReadonlyMap<string, number> },
): Promise<Write[]> {
  const rows = await listOwnSchedules(context.ports, scriptId)
  const there = new Set(rows.map(({ name }) => foldCase(name)))
  const configurationIds = new Set(ids.values())
  const isNew = come.filter(({ name }) => !there.has(foldCase(name)))
  if (isNew.length > 0 && rows.length + isNew.length > SCHEDULES_MAX)
    throw new Refusal('conflict', `A script must have at most ${SCHEDULES_MAX} schedule configurations.`)
  return come.flatMap(({ runConfiguration, ...body }, index) => {
    if (there.has(foldCase(body.name))) return []
    const at = `/scheduleConfigurations/${index}`
    const found = runConfiguration === null ? null : ids.get(foldCase(runConfiguration))
    if (found === undefined)
      throw new Refusal('invalid', 'A schedule names a run configuration that does not exist.', [
        {
          pointer: `${at}/runConfiguration`,
          message: 'must be the name of a run configuration of this script',
        },
      ])
    const asked = { ...body, enabled: false, runConfigurationId: found }
    return schedules.adding(
      context,
      scriptId,
      schedules.changeOf(context, asked, { before: null, configurationIds, at }),
    )
  })
}

type AuditedSettings = {
  readonly name: string
  readonly description: string
  readonly groupId: number
  readonly timeoutS: number
  readonly acceptedFiles: readonly string[]
}

function auditFieldsOf({ name, description, groupId, timeoutS, acceptedFiles }: AuditedSettings) {
  return { name, description, groupId, timeout: timeoutS, acceptedFiles }
}

function sizeOf(tree: Tree) {
  const entries = [...tree.values()]
  return {
    files: entries.filter(({ isDirectory }) => !isDirectory).length,
    sizeBytes: entries.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
  }
}
