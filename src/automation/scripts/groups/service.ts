import { recorder } from '../../../access/audit/service.ts'
import type { Context } from '../../../context.ts'
import { commitIfMatch, refuseStale } from '../../../http/preconditions.ts'
import type { BodyWithVersion } from '../../../http/updates.ts'
import { Refusal, noSuch, stale } from '../../../lib/errors.ts'
import { timeFormat } from '../../../lib/time.ts'
import {
  commit,
  fullDetail,
  isForeignKeyViolation,
  isNotNullViolation,
  refuseFull,
} from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { refuseTakenName } from '../service/changes.ts'
import type { GroupBody, GroupView } from './schema.ts'
import * as store from './store.ts'
import type { GroupRow } from './store.ts'

const recorded = recorder('script group')

/** The default group of scripts; it cannot be deleted. */
const DEFAULT_GROUP = 'Default'
const NOUN = 'group of scripts'
const GROUPS_MAX = 200
const FULL = fullDetail(GROUPS_MAX, 'groups of scripts')

type Versioned = { readonly view: GroupView; readonly version: number }

/** The groups of scripts, by name; there are 200 at most. */
export async function listGroups({ ports }: Context): Promise<GroupView[]> {
  await defaultGroupId(ports)
  return (await store.listGroups(ports.database)).map((row) => viewOf(ports, row))
}

/** @throws {Refusal} not_found */
export async function readGroup({ ports }: Context, id: number): Promise<Versioned> {
  return versioned(ports, await requireGroup(ports, id))
}

/** @throws {Refusal} name_taken, conflict when there are 200 */
export async function createGroup(context: Context, { name, description }: GroupBody): Promise<Versioned> {
  const { ports } = context
  const { database, clock } = ports
  await defaultGroupId(ports)
  const now = clock.now()
  const entry = recorded(context, 'create', { objectId: { inserted: true }, after: { name, description } })
  const insert = store.insertGroup(
    database,
    { name, description, createdAt: now, updatedAt: now },
    GROUPS_MAX,
  )
  const [[made]] = await refuseFullGroups(() => refuseTakenName(() => database.batch([insert, entry])))
  if (!made) throw new Error('The database returned no row for a new group of scripts.')
  return versioned(ports, made)
}

/** @throws {Refusal} not_found, name_taken, conflict for another name for `Default`, precondition_failed */
export async function updateGroup(
  context: Context,
  id: number,
  { body: { name, description }, ifMatch }: BodyWithVersion<GroupBody>,
): Promise<Versioned> {
  const { ports } = context
  const before = await requireGroup(ports, id)
  refuseStale(ifMatch, before.version, NOUN)
  if (before.name === DEFAULT_GROUP && name !== DEFAULT_GROUP) throw defaultStays()
  const after = { name, description, updatedAt: ports.clock.now() }
  const entry = recorded(context, 'update', {
    objectId: id,
    before: auditFieldsOf(before),
    after: auditFieldsOf(after),
  })
  const write = store.updateGroup(ports.database, before, after)
  try {
    await refuseTakenName(() => commit(ports.database, [write, entry]))
  } catch (error) {
    throw isNotNullViolation(error, 'script_groups.version') ? stale(NOUN) : error
  }
  return versioned(ports, { ...before, ...after, version: before.version + 1 })
}

/** @throws {Refusal} not_found, has_children while scripts are in it, conflict for `Default`, precondition_failed */
export async function deleteGroup(context: Context, id: number): Promise<void> {
  const { database } = context.ports
  const row = await requireGroup(context.ports, id)
  if (row.name === DEFAULT_GROUP) throw defaultStays()
  const entry = recorded(context, 'delete', { objectId: id, before: auditFieldsOf(row) })
  try {
    const removed = { ...row, table: 'script_groups' }
    await commitIfMatch(context, removed, [store.deleteGroup(database, id), entry])
  } catch (error) {
    if (!isForeignKeyViolation(error)) throw error
    throw new Refusal('has_children', 'The group still contains scripts. Move or delete them first.')
  }
}

/** The id of a group of scripts: of the one that is named, or of `Default`, which is made where it is missing.
 * @throws {Refusal} invalid when there is no group of this id */
export async function groupIdOf(ports: Ports, id: number | undefined): Promise<number> {
  if (id === undefined) return defaultGroupId(ports)
  if ((await store.findGroup(ports.database, id)) === null)
    throw new Refusal('invalid', 'There is no such group.', [
      { pointer: '/groupId', message: 'must be the id of an existing group' },
    ])
  return id
}

/** The group of a name, and the writes that make it with this id where it is missing. Their commit fails, as `refuseFullGroups`
 * knows, when there are 200. */
export async function groupNamed(
  context: Context,
  name: string,
  id: number,
): Promise<{ readonly id: number; readonly writes: readonly Write[] }> {
  const { database, clock } = context.ports
  const there = await store.findGroup(database, name)
  if (there) return { id: there.id, writes: [] }
  const now = clock.now()
  const after = { name, description: '' }
  const row = { ...after, id, createdAt: now, updatedAt: now }
  const entry = recorded(context, 'create', { objectId: id, after })
  return { id, writes: [store.insertGroup(database, row, GROUPS_MAX), entry] }
}

/** Commits a new group. @throws {Refusal} conflict when there are 200 */
export function refuseFullGroups<Result>(insert: () => Promise<Result>): Promise<Result> {
  return refuseFull('script_groups', FULL, insert)
}

async function defaultGroupId({ database, clock }: Ports): Promise<number> {
  const there = await store.findGroup(database, DEFAULT_GROUP)
  if (there) return there.id
  const now = clock.now()
  const row = { name: DEFAULT_GROUP, description: '', createdAt: now, updatedAt: now }
  await commit(database, [store.insertMissingGroup(database, row)])
  const made = await store.findGroup(database, DEFAULT_GROUP)
  if (!made) throw new Error('The default group of scripts is missing.')
  return made.id
}

async function requireGroup({ database }: Ports, id: number): Promise<GroupRow> {
  const row = await store.findGroup(database, id)
  if (!row) throw noSuch('group')
  return row
}

function auditFieldsOf({ name, description }: Pick<GroupRow, 'name' | 'description'>) {
  return { name, description }
}

function versioned(ports: Ports, row: GroupRow): Versioned {
  return { view: viewOf(ports, row), version: row.version }
}

function viewOf({ settings }: Ports, { version: _version, ...row }: GroupRow): GroupView {
  const format = timeFormat(settings.timeZone)
  return { ...row, createdAt: format(row.createdAt), updatedAt: format(row.updatedAt) }
}

function defaultStays(): Refusal {
  return new Refusal('conflict', `The group ${DEFAULT_GROUP} cannot be renamed or deleted.`)
}
