import { and, asc, eq, sql } from 'drizzle-orm'
import type { Placeholder, SQL } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { eachOf, elementsOf } from '../../../db/lists.ts'
import { idOfPath, isBelow, isWithin } from '../../../db/paths.ts'
import { states } from '../../../db/tables/states.ts'
import { devices, objects, properties } from '../../../db/tables/tree.ts'
import { foldCase } from '../../lib/text.ts'
import { builtOnce, isNotNullViolation } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import type { State } from '../../domain/state.ts'
import { decimalOf } from './properties.ts'
import type { ObjectType, PropertyBody } from './schema.ts'

/** An object with the fields that follow from its place and its state. */
export type ObjectRow = Omit<typeof objects.$inferSelect, 'nameFolded' | 'type' | 'instanceType'> & {
  readonly type: ObjectType
  readonly instanceType: InstanceType
  /** The name of the device, for a job. */
  readonly parentName: string | null
  /** The collector: a job without its own has the collector of its device. */
  readonly runBy: number
  readonly state: State
  readonly stateSinceAt: number | null
  readonly maintained: boolean
  readonly hasChildren: boolean
}

export type InstanceType = 'none' | 'instance' | 'sub'
export type PropertyRow = { readonly id: number; readonly key: string; readonly value: string }
export type DeviceRow = Omit<typeof devices.$inferSelect, 'id'>

export type NewObject = {
  readonly type: ObjectType
  readonly subType: string
  readonly name: string
  readonly parentId: number
  readonly isTemplate: boolean
  readonly instanceType: InstanceType
  readonly templateId: number | null
  readonly collectorId: number
  readonly createdAt: number
  readonly properties: readonly PropertyBody[]
}

/** The fields that an update may change. */
export type ObjectChange = Pick<
  NewObject,
  'subType' | 'name' | 'isTemplate' | 'instanceType' | 'collectorId' | 'properties'
>

const parents = alias(objects, 'parents')

function selectObjects(database: Database) {
  return database
    .select({
      id: objects.id,
      type: objects.type,
      subType: objects.subType,
      name: objects.name,
      parentId: objects.parentId,
      path: objects.path,
      isTemplate: objects.isTemplate,
      instanceType: objects.instanceType,
      templateId: objects.templateId,
      collectorId: objects.collectorId,
      version: objects.version,
      createdAt: objects.createdAt,
      parentName: sql<string | null>`${parents.name}`.as('parent_name'),
      runBy: sql<number>`case when ${objects.type} = 'job' and ${objects.collectorId} = 0
        then ${parents.collectorId} else ${objects.collectorId} end`.as('run_by'),
      state: sql<State>`coalesce(${states.state}, 'undefined')`.as('state'),
      stateSinceAt: states.sinceAt,
      maintained: sql<number>`coalesce(${states.maintained}, 0)`.as('maintained'),
      hasChildren: sql<number>`exists (select 1 from objects c where c.parent_id = ${objects.id})`.as(
        'has_children',
      ),
    })
    .from(objects)
    .leftJoin(parents, eq(parents.id, objects.parentId))
    .leftJoin(states, eq(states.objectId, objects.id))
}

const objectById = builtOnce((database) =>
  selectObjects(database)
    .where(eq(objects.id, sql.placeholder('id')))
    .prepare(),
)

/** @param where a further condition on the object */
export async function findObject(database: Database, id: number, where?: SQL): Promise<ObjectRow | null> {
  const [row] = where
    ? await selectObjects(database).where(and(eq(objects.id, id), where))
    : await objectById(database).all({ id })
  if (!row) return null
  return { ...row, maintained: row.maintained === 1, hasChildren: row.hasChildren === 1 } as ObjectRow
}

/** The types of these objects, without those that do not exist. @param readable a condition on the object, `o` */
export async function readTypes(
  database: Database,
  ids: readonly number[],
  readable: SQL,
): Promise<ReadonlyMap<number, ObjectType>> {
  const rows = await database.all<{ id: number; type: ObjectType }>(sql`
    select o.id as id, o.type as type from ${eachOf(ids)} as wanted
      cross join objects o on o.id = wanted.value where ${readable}`)
  return new Map(rows.map(({ id, type }) => [id, type]))
}

const propertiesOfObject = builtOnce((database) =>
  selectProperties(database, sql.placeholder('id')).prepare(),
)

export function readProperties(database: Database, id: number): Promise<readonly PropertyRow[]> {
  return propertiesOfObject(database).all({ id })
}

function selectProperties(database: Database, id: number | Placeholder) {
  return database
    .select({ id: properties.id, key: properties.key, value: properties.value })
    .from(properties)
    .where(eq(properties.objectId, id))
    .orderBy(asc(properties.key))
}

export async function findDevice(database: Database, id: number): Promise<DeviceRow | null> {
  const { address, netmask, deviceName, parameter } = devices
  const [row] = await database
    .select({ address, netmask, deviceName, parameter })
    .from(devices)
    .where(eq(devices.id, id))
  return row ?? null
}

/** The number of objects below a path, counted up to `max`. */
export async function countBelow(database: Database, path: string, max: number): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total from (select 1 from objects where ${isBelow('path', path)} limit ${max})`,
  )
  return row?.total ?? 0
}

/** Commits an update of an object. @returns its properties after the commit */
export async function commitUpdate(
  database: Database,
  id: number,
  writes: readonly Write[],
): Promise<readonly PropertyRow[]> {
  const [first, ...rest] = [...writes, selectProperties(database, id)]
  if (!first) return []
  const results = await database.batch([first, ...rest])
  return results[results.length - 1] as PropertyRow[]
}

/** The rows of an object without an id yet. Its own rows go between `writes` and `last` in the same batch and refer to
 * it by `idOfPath(key)`. `last` sets its final path and returns its id. */
export type Insertion = { readonly key: string; readonly writes: readonly Write[]; readonly last: Write }

/** @param key a unique temporary path, such as a random one */
export function insertRows(database: Database, key: string, input: NewObject): Insertion {
  const { properties: custom, ...fields } = input
  const object = { ...fields, nameFolded: foldCase(input.name), path: key, version: 1 }
  const writes: Write[] = [database.insert(objects).values(object)]
  if (custom.length > 0) writes.push(upsertProperties(database, idOfPath(key), custom))
  return { key, writes, last: settlePath(database, key) }
}

export function insertDevice(database: Database, key: string, row: DeviceRow): Write {
  return database.insert(devices).values({ ...row, id: idOfPath(key) })
}

/** A write that fails the batch, as `isSecondOfName` tells, where the parent of the new object has another object of its type
 * and name. */
export function guardName(database: Database, key: string): Write {
  return database.run(sql`
    update objects set name_folded = case when not exists (
      select 1 from objects o where o.parent_id = objects.parent_id and o.type = objects.type
        and o.name_folded = objects.name_folded and o.name = objects.name and o.id <> objects.id) then name_folded end
    where path = ${key}`)
}

/** Tells whether a statement failed because of a guard by `guardName`. */
export function isSecondOfName(error: unknown): boolean {
  // No other write leaves the folded name empty.
  return isNotNullViolation(error, 'objects.name_folded')
}

/** Replaces the temporary path of an object by its final one; returns its id. */
function settlePath(database: Database, key: string): Write {
  return database
    .update(objects)
    .set({
      path: sql`(select p.path from objects p where p.id = ${objects.parentId}) || ${objects.id} || '/'`,
    })
    .where(eq(objects.path, key))
    .returning({ id: objects.id })
}

/** Commits writes of which the last returns the id of the created row. */
export async function commitNew(database: Database, writes: readonly Write[]): Promise<number> {
  const [first, ...rest] = writes
  if (!first) throw new Error('There is nothing to create.')
  const results = await database.batch([first, ...rest])
  const [row] = results[results.length - 1] as { id: number }[]
  if (!row) throw new Error('The database returned no id for a new object.')
  return row.id
}

/** Changes an object that still has the version that was read; otherwise the whole batch fails, as `isStale`
 * recognises. */
export function updateObject(database: Database, row: ObjectRow, change: ObjectChange): Write[] {
  const { properties: custom, ...fields } = change
  const keys = custom.map(({ key }) => key)
  const id = sql`${row.id}`
  return [
    database
      .update(objects)
      .set({ ...fields, nameFolded: foldCase(change.name), version: nextVersion(row) })
      .where(eq(objects.id, row.id)),
    database.run(sql`delete from properties where object_id = ${row.id} and key not in ${elementsOf(keys)}`),
    ...(custom.length > 0 ? [upsertProperties(database, id, custom)] : []),
  ]
}

/** Increments the version of an object whose rows in other tables change. Fails as stale if `ifMatch` is not its
 * version. */
export function touchObject(database: Database, row: ObjectRow, ifMatch: number | null): Write {
  const version = ifMatch === null ? sql`${objects.version} + 1` : nextVersion({ ...row, version: ifMatch })
  return database.update(objects).set({ version }).where(eq(objects.id, row.id))
}

export function updateDevice(database: Database, id: number, row: DeviceRow): Write {
  return database.update(devices).set(row).where(eq(devices.id, id))
}

/** Moves an object with all objects below it. Fails as stale if the object or the parent was moved since the read. */
export function moveSubtree(database: Database, row: ObjectRow, parent: ObjectRow): Write[] {
  const { path } = row
  const target = `${parent.path}${row.id}/`
  return [
    database
      .update(objects)
      .set({ parentId: parent.id, version: unlessMoved(row, parent) })
      .where(eq(objects.id, row.id)),
    database.run(
      sql`update objects set path = ${target} || substr(path, ${path.length + 1})
        where ${isWithin('path', path)}`,
    ),
  ]
}

/** Increments the versions of objects whose rows in other tables change. */
export function bumpVersions(database: Database, ids: readonly number[]): Write {
  return database.run(sql`update objects set version = version + 1 where id in ${elementsOf(ids)}`)
}

/** Increments the versions of all jobs of a device, whose collector has changed. */
export function bumpJobs(database: Database, deviceId: number): Write {
  return database.run(
    sql`update objects set version = version + 1 where parent_id = ${deviceId} and type = 'job'`,
  )
}

/** Deletes an object with all objects below it. Fails as stale if the object was moved since the read. */
export function deleteSubtree(database: Database, row: ObjectRow): Write[] {
  const { path } = row
  return [
    database
      .update(objects)
      .set({ version: sql`case when ${objects.path} = ${path} then ${objects.version} end` })
      .where(eq(objects.id, row.id)),
    database.run(sql`delete from objects where ${isWithin('path', path)}`),
  ]
}

/** Deletes an object without children; the foreign key of a child makes it fail otherwise. */
export function deleteLeaf(database: Database, id: number): Write {
  return database.delete(objects).where(eq(objects.id, id))
}

function upsertProperties(database: Database, objectId: SQL, custom: readonly PropertyBody[]): Write {
  const rows = custom.map(({ key, value }) => ({ key, value, number: decimalOf(value) }))
  return database.run(
    sql`insert into properties (object_id, key, value, number)
      select ${objectId}, value ->> 'key', value ->> 'value', value ->> 'number'
      from ${eachOf(rows)} where true
      on conflict (object_id, key) do update set value = excluded.value, number = excluded.number`,
  )
}

// An empty version fails the batch: a guard for stores without transactions.
function nextVersion(row: ObjectRow): SQL {
  return sql`case when ${objects.version} = ${row.version} and ${objects.path} = ${row.path}
    then ${objects.version} + 1 end`
}

function unlessMoved(row: ObjectRow, parent: ObjectRow): SQL {
  return sql`case when ${objects.path} = ${row.path}
    and exists (select 1 from objects p where p.id = ${parent.id} and p.path = ${parent.path})
    then ${objects.version} end`
}
