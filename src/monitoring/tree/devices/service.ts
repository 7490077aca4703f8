import type { Context } from '../../../context.ts'
import { noSuch } from '../../../lib/errors.ts'
import { commit } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import { applyChanges, enqueueJobConfigs } from '../../job-config/service.ts'
import type { DeviceBody, DeviceView } from '../schema.ts'
import * as tree from '../service.ts'
import type { ObjectRow, PropertyRow } from '../service.ts'
import * as store from '../store.ts'

const NEW_DEVICE = { subType: 'server', instanceType: 'none' } as const

/** @throws {Refusal} not_found */
export async function readDevice(
  context: Context,
  id: number,
): Promise<{ device: DeviceView; version: number }> {
  const { ports } = context
  const row = await tree.requireObject(context, id, { type: 'device', right: 'read' })
  const [device, properties] = await Promise.all([
    requireDevice(ports, id),
    tree.readProperties(ports.database, id),
  ])
  return { device: await viewOf(context, row, { device, properties }), version: row.version }
}

/** @throws {Refusal} not_found for the parent, forbidden, invalid */
export async function createDevice(context: Context, parentId: number, body: DeviceBody) {
  const { ports } = context
  const parent = await tree.requireObject(context, parentId, { type: 'group', right: 'write' })
  await tree.checkCollector(ports, body.collectorId, '/collectorId')
  const id = await tree.createObject(
    context,
    {
      input: {
        ...tree.commonFields(body, NEW_DEVICE),
        type: 'device',
        parentId: parent.id,
        templateId: null,
        collectorId: body.collectorId,
        createdAt: ports.clock.now(),
      },
      own: auditFieldsOf(body),
    },
    (key) => [store.insertDevice(ports.database, key, deviceFields(body))],
  )
  await ports.flow.runDue()
  return readDevice(context, id)
}

/** Replaces a device, moves it if the body names another parent, and passes a new collector to its jobs.
 * @throws {Refusal} not_found, forbidden, precondition_failed, conflict, invalid */
export async function updateDevice(
  context: Context,
  id: number,
  change: { body: DeviceBody; ifMatch: number | null },
) {
  const { body, ifMatch } = change
  const { ports } = context
  const { database } = ports
  const row = await tree.requireObject(context, id, { type: 'device', right: 'write' })
  if (body.collectorId !== row.collectorId) await tree.checkCollector(ports, body.collectorId, '/collectorId')
  const fields = { ...tree.commonFields(body, row), collectorId: body.collectorId }
  const before = { ...(await requireDevice(ports, id)), collectorId: row.collectorId }
  const own = { before: auditFieldsOf(before), after: auditFieldsOf(body) }
  const written = await tree.updateObject(context, row, {
    fields,
    parentId: body.parentId,
    ifMatch,
    own,
    before: [
      // Queued by the path that was read, so it comes before a move.
      ...(body.collectorId === row.collectorId
        ? []
        : [store.bumpJobs(database, id), enqueueJobConfigs(database, row)]),
      store.updateDevice(database, id, deviceFields(body)),
    ],
  })
  if (body.collectorId !== row.collectorId) await applyChanges(ports)
  await ports.flow.runDue()
  const { row: now, properties } = await tree.showWritten(context, written)
  const device = await viewOf(context, now, { device: deviceFields(body), properties })
  return { device, version: now.version }
}

/** @throws {Refusal} not_found, forbidden, has_children */
export async function deleteDevice(context: Context, id: number, recursive: boolean): Promise<void> {
  const row = await tree.requireObject(context, id, { type: 'device', right: 'write' })
  const writes = await tree.deleteObjectWrites(context, row, recursive)
  await tree.refuseOrphans(() => commit(context.ports.database, writes))
  context.ports.log.info('tree: device deleted', { deviceId: id, recursive })
  await Promise.all([applyChanges(context.ports), context.ports.flow.runDue()])
}

async function requireDevice({ database }: Ports, id: number): Promise<store.DeviceRow> {
  const device = await store.findDevice(database, id)
  // Deleted between the two reads.
  if (!device) throw noSuch('device')
  return device
}

type KnownDevice = { readonly device: store.DeviceRow; readonly properties: readonly PropertyRow[] }

async function viewOf(
  context: Context,
  row: ObjectRow,
  { device, properties }: KnownDevice,
): Promise<DeviceView> {
  const reasons = await tree.readReasons(context, row)
  const { collectorId, hasChildren } = row
  return { ...tree.commonView(row, properties), ...device, collectorId, hasChildren, reasons }
}

function deviceFields({ address, netmask, deviceName, parameter }: store.DeviceRow): store.DeviceRow {
  return { address, netmask, deviceName, parameter }
}

function auditFieldsOf({ collectorId, ...device }: store.DeviceRow & Pick<DeviceBody, 'collectorId'>) {
  return { collectorId, ...deviceFields(device) }
}
