import { audited } from '../../access/audit/service.ts'
import { readableBy, rightsOf } from '../../access/rights/service.ts'
import type { Context } from '../../context.ts'
import { Refusal, noSuch, stale } from '../../lib/errors.ts'
import type { Fault } from '../../lib/errors.ts'
import { commit } from '../../ports/database.ts'
import type { Database, Write } from '../../ports/database.ts'
import {
  enqueueFilter,
  enqueueLinkedAbove,
  enqueueTallies,
  objectsAbove,
  refuseCircle,
} from '../states/service.ts'
import * as tree from '../tree/service.ts'
import { filterOf } from '../tree/search/filter.ts'
import { OBJECT_NOUNS } from '../tree/schema.ts'
import type { ObjectType } from '../tree/schema.ts'
import type { ObjectRow } from '../tree/service.ts'
import { auditFieldsOf } from './audit-fields.ts'
import type { CostTerms } from './costs.ts'
import { CHILDREN_MAX, FILTERS_MAX } from './schema.ts'
import type { ChildBody, ChildrenFilter, ChildrenMode, LinkingType, SloBody, SloView } from './schema.ts'
import * as store from './store.ts'
import type { SloRow } from './store.ts'

/** The cost terms of an object; null if it is not a service level object, or has none. */
export async function readCostTerms(context: Context, object: ObjectRow): Promise<CostTerms | null> {
  if (object.type !== 'slo') return null
  const row = await store.findSlo(context.ports.database, object.id)
  return row && row.costsPerMin > 0 ? row : null
}

const NEW_SLO = { subType: 'standard', instanceType: 'none' } as const

type Versioned = { readonly slo: SloView; readonly version: number }

/** @throws {Refusal} not_found */
export async function readSlo(context: Context, id: number): Promise<Versioned> {
  const row = await tree.requireObject(context, id, { type: 'slo', right: 'read' })
  return { slo: await viewOf(context, row), version: row.version }
}

/** Creates a service level object in a group. It has no links yet; its filter is applied.
 * @throws {Refusal} not_found for the parent, forbidden, invalid */
export async function createSlo(context: Context, parentId: number, body: SloBody): Promise<Versioned> {
  const { ports } = context
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  const row = await rowOf(context, { id: 0, before: null }, body)
  const object = {
    ...tree.commonFields(body, NEW_SLO),
    type: 'slo' as const,
    parentId: parent.id,
    templateId: null,
    collectorId: 0,
    createdAt: ports.clock.now(),
  }
  const id = await tree.createObject(context, { input: object, own: auditFieldsOf(row) }, (path) => [
    store.insertSlo(ports.database, path, row),
    enqueueFilter(ports.database, { path }),
  ])
  await ports.flow.runDue()
  return readSlo(context, id)
}

/** Replaces a service level object, and moves it if the body names another parent. Its children stay.
 * @throws {Refusal} not_found, forbidden, precondition_failed, conflict, cycle, invalid */
export async function updateSlo(
  context: Context,
  id: number,
  change: { readonly body: SloBody; readonly ifMatch: number | null },
): Promise<Versioned> {
  const { ports } = context
  const { body, ifMatch } = change
  const object = await tree.requireObject(context, id, { type: 'slo', right: 'write' })
  const before = await requireRow(context, id)
  const row = await rowOf(context, { id, before }, body)
  const own = { before: auditFieldsOf(before), after: auditFieldsOf(row) }
  const fields = { ...tree.commonFields(body, object), collectorId: object.collectorId }
  const written = await tree.updateObject(context, object, {
    fields,
    parentId: body.parentId,
    ifMatch,
    own,
    // Its parents may see another state of it. Uses the path that was read, so it comes before a move.
    before: [enqueueLinkedAbove(ports.database, object.path)],
    after: [
      store.updateSlo(ports.database, id, row),
      enqueueFilter(ports.database, id),
      // New rules may give another state for the same children.
      enqueueTallies(ports.database, [id, object.parentId ?? id]),
    ],
  })
  await ports.flow.runDue()
  const { row: now, properties } = await tree.showWritten(context, written)
  return { slo: await viewOf(context, now, { properties, own: row }), version: now.version }
}

/** @throws {Refusal} not_found, forbidden */
export async function deleteSlo(context: Context, id: number): Promise<void> {
  const { ports } = context
  const row = await tree.requireObject(context, id, { type: 'slo', right: 'write' })
  const writes = await tree.deleteObjectWrites(context, row, false)
  await tree.refuseOrphans(() => commit(ports.database, writes))
  ports.log.info('slos: service level object deleted', { sloId: id })
  await ports.flow.runDue()
}

/** The types of children of service level objects and containers. */
const CHILD_TYPES: Readonly<Record<LinkingType, readonly ObjectType[]>> = {
  slo: ['group', 'device', 'job', 'slo'],
  slc: ['slo'],
}

type Parent = { readonly type: LinkingType; readonly id: number }

/** Replaces, adds, removes or orders children of a service level object or container.
 * @returns the new version of the object
 * @throws {Refusal} not_found for it or for a child, forbidden, invalid, cycle, precondition_failed */
export async function updateChildren(
  context: Context,
  parent: Parent,
  change: {
    readonly items: readonly ChildBody[]
    readonly mode: ChildrenMode
    readonly ifMatch: number | null
  },
): Promise<{ readonly version: number }> {
  const { database, flow } = context.ports
  const { items, mode, ifMatch } = change
  const { id, type } = parent
  const object = await tree.requireObject(context, id, { type, right: 'write' })
  const ids = items.map((item) => item.id)
  if (mode === 'order') await checkLinked(context, id, ids)
  else if (mode !== 'remove') await checkChildren(context, parent, items)
  if (mode === 'merge') await checkRoomForLinks(context, id, { ids, pointer: '/items' })
  // The commit fails in the same way for a stale version and for a cycle.
  if (ifMatch !== null && ifMatch !== object.version) throw stale('object')
  const writes = [
    tree.touchObject(database, object, ifMatch),
    ...(mode === 'order' ? [store.orderLinks(database, id, ids)] : linkWrites(database, id, { mode, items })),
    audited(context, { action: `${mode} children`, objectType: type, objectId: id, after: { items } }),
  ]
  // With If-Match, the caller reads again and then gets the refusal for the cycle, if there is one.
  const refuse = ifMatch === null ? tree.refuseCircular : tree.refuseStale
  await refuse(() => commit(database, writes))
  await flow.runDue()
  return { version: await tree.readVersion(context.ports, id) }
}

function linkWrites(
  database: Database,
  id: number,
  { mode, items }: { readonly mode: Exclude<ChildrenMode, 'order'>; readonly items: readonly ChildBody[] },
): Write[] {
  const removed = mode === 'remove' ? items.map((item) => item.id) : undefined
  return [
    ...(mode === 'merge' ? [] : [store.deleteLinks(database, id, removed)]),
    ...(mode === 'remove' ? [] : [store.saveLinks(database, id, items)]),
    enqueueTallies(database, id),
    // A removed link may match the filter, and cycles may be closed or opened.
    enqueueFilter(database, id),
    ...(mode === 'remove' ? [] : [refuseCircle(database, id)]),
  ]
}

/** @throws {Refusal} invalid for an id that is not of a linked child that the caller can read */
async function checkLinked(context: Context, parentId: number, ids: readonly number[]): Promise<void> {
  const [linked, readable] = await Promise.all([
    store.listLinked(context.ports.database, parentId, ids),
    tree.readTypes(context, ids),
  ])
  const known = new Set(linked.filter((id) => readable.has(id)))
  const faults = ids.flatMap((id, index) =>
    known.has(id) ? [] : { pointer: `/items/${index}/id`, message: 'must be the id of a linked child' },
  )
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
}

/** @param added the new links, without existing ones; 0 for an object that is being created
 * @throws {Refusal} invalid when there would be too many */
export async function checkRoomForLinks(
  { ports }: Context,
  id: number,
  added: { readonly ids: readonly number[]; readonly pointer: string },
): Promise<void> {
  if ((await store.countLinks(ports.database, id, added.ids)) + added.ids.length <= CHILDREN_MAX) return
  const fault = [{ pointer: added.pointer, message: `must leave at most ${CHILDREN_MAX} children` }]
  throw new Refusal('invalid', 'The object would have too many children.', fault)
}

/** @param id the object whose own filter does not count; 0 for an object that is being created
 * @throws {Refusal} invalid when there are too many filters */
export async function checkRoomForFilter({ ports }: Context, id: number, pointer: string): Promise<void> {
  if ((await store.countFilters(ports.database, id)) < FILTERS_MAX) return
  const fault = [{ pointer, message: `is allowed for at most ${FILTERS_MAX} service level objects` }]
  throw new Refusal('invalid', 'Too many service level objects have a filter.', fault)
}

async function checkChildren(
  context: Context,
  { id, type: parentType }: Parent,
  items: readonly ChildBody[],
): Promise<void> {
  const { database } = context.ports
  const known = await tree.readTypes(
    context,
    items.map((item) => item.id),
  )
  const unknown = items.flatMap(({ id: childId }, index) =>
    known.has(childId)
      ? []
      : { pointer: `/items/${index}/id`, message: 'must be the id of an object that you can read' },
  )
  if (unknown.length > 0) throw new Refusal('not_found', 'A child does not exist; see errors.', unknown)
  const faults: Fault[] = []
  for (const [index, { id: childId, type }] of items.entries()) {
    const childType = known.get(childId)
    if (!childType) continue
    if (type !== undefined && type !== childType) {
      faults.push({
        pointer: `/items/${index}/type`,
        message: `must be the type of the object: ${childType}`,
      })
    }
    if (!CHILD_TYPES[parentType].includes(childType)) {
      faults.push({
        pointer: `/items/${index}/id`,
        message: `is a ${OBJECT_NOUNS[childType]}, which cannot be a child of a ${OBJECT_NOUNS[parentType]}`,
      })
    }
  }
  if (faults.length > 0) throw new Refusal('invalid', 'The body is invalid; see errors.', faults)
  const above = await objectsAbove(database, [id])
  const circle = items.findIndex((item) => above.has(item.id))
  if (circle >= 0) {
    throw new Refusal('cycle', 'The state of this child depends on the object itself.', [
      { pointer: `/items/${circle}/id`, message: 'must not depend on the object itself' },
    ])
  }
}

/** The id is 0 for an object that is being created, which has no `before`. Values that others set may be sent back by
 * users who cannot read the objects that they name. */
type Edited = { readonly id: number; readonly before: SloRow | null }

async function rowOf(context: Context, { id, before }: Edited, body: SloBody): Promise<SloRow> {
  const {
    deviceId,
    pushState,
    sortMode,
    stateOperation: operation,
    ignoreMaintenance,
    isReason,
    parameters,
  } = body
  if (deviceId !== 0 && deviceId !== before?.deviceId) {
    const types = await tree.readTypes(context, [deviceId])
    if (types.get(deviceId) !== 'device') {
      throw new Refusal('invalid', 'There is no such device.', [
        { pointer: '/deviceId', message: 'must be 0 or the id of a device that you can read' },
      ])
    }
  }
  const childrenFilter = await checkFilter(context, { id, before }, body.childrenFilter)
  const { major, minor, warning, minorMinor, minorWarning, warningWarning } = body
  const counters = { major, minor, warning, minorMinor, minorWarning, warningWarning }
  const { costsPerMin, currency, riskFactor } = parameters
  const rules = { operation, counters, ignoreMaintenance }
  const money = { costsPerMin, currency, riskFactor }
  return { deviceId, pushState, sortMode, rules, isReason, ...money, childrenFilter }
}

/** Items that change with every delivery. Membership follows configuration: a filter by state would change the state
 * that it depends on. */
const FLEETING: ReadonlySet<string> = new Set(['state', 'value_raw', 'value_user'])

/** Checks a filter before it is stored. @throws {Refusal} invalid */
async function checkFilter(
  context: Context,
  { id, before }: Edited,
  given: SloBody['childrenFilter'],
): Promise<ChildrenFilter | null> {
  if (!given) return null
  const { groupId, filterDefinition } = given
  const pointer = '/childrenFilter/filterDefinition'
  filterOf(filterDefinition, pointer)
  const faults = filterDefinition.conditions.flatMap(({ item }, index) =>
    FLEETING.has(item)
      ? [
          {
            pointer: `${pointer}/conditions/${index}/item`,
            message: 'is not allowed here because it changes with every delivery',
          },
        ]
      : [],
  )
  if (faults.length > 0) throw new Refusal('invalid', 'The children filter is invalid; see errors.', faults)
  const isKept = groupId === before?.childrenFilter?.groupId
  if (!isKept && (await tree.readTypes(context, [groupId])).get(groupId) !== 'group') {
    const fault = [
      { pointer: '/childrenFilter/groupId', message: 'must be the id of a group that you can read' },
    ]
    throw new Refusal('invalid', 'There is no such group.', fault)
  }
  await checkRoomForFilter(context, id, '/childrenFilter')
  return { groupId, filterDefinition }
}

async function requireRow({ ports }: Context, id: number): Promise<store.SloDetails> {
  const row = await store.findSlo(ports.database, id)
  // Deleted between the two reads.
  if (!row) throw noSuch('service level object')
  return row
}

/** @param known the result of a commit, in place of a read */
async function viewOf(
  context: Context,
  object: ObjectRow,
  known?: { readonly properties: readonly tree.PropertyRow[]; readonly own: SloRow },
): Promise<SloView> {
  const { database } = context.ports
  const readable = readableBy(await rightsOf(context), 'o')
  const [there, deviceName, children, properties] = await Promise.all([
    requireRow(context, object.id),
    store.findDeviceName(database, object.id, readable),
    store.countChildren(database, object.id, readable),
    known?.properties ?? tree.readProperties(database, object.id),
  ])
  const row = { ...there, ...known?.own }
  const { parameters, ...fields } = auditFieldsOf(row)
  return {
    ...tree.commonView(object, properties),
    ...fields,
    deviceName,
    childrenFilter: row.childrenFilter && { ...row.childrenFilter, isFull: row.isFull },
    parameters: { children, ...parameters },
    currentState: object.state,
    reasons: await tree.readReasons(context, object, row.isReason),
    hasChildren: children > 0,
  }
}
