import { ROOT_ID } from '../../../access/rights/permissions.ts'
import { createUser, listUsers } from '../../../access/users/service.ts'
import type { Context } from '../../../context.ts'
import { FIRST_NAMES } from '../../../monitoring/jobs/service/first-job.ts'
import { jobBody } from '../../../monitoring/jobs/schema.ts'
import { createJob, readJob } from '../../../monitoring/jobs/service.ts'
import { slcBody } from '../../../monitoring/slcs/schema.ts'
import { createSlc } from '../../../monitoring/slcs/service.ts'
import { sloBody } from '../../../monitoring/slos/schema.ts'
import { createSlo, updateChildren } from '../../../monitoring/slos/service.ts'
import { dateBack } from '../../../monitoring/states/service.ts'
import { listChildren, readTree } from '../../../monitoring/tree/browse/service.ts'
import { treeQuery } from '../../../monitoring/tree/browse/schema.ts'
import type { TreeNode } from '../../../monitoring/tree/browse/schema.ts'
import { createDevice, deleteDevice } from '../../../monitoring/tree/devices/service.ts'
import { createGroup } from '../../../monitoring/tree/groups/service.ts'
import { deviceBody, groupBody } from '../../../monitoring/tree/schema.ts'
import { commit } from '../../../ports/database.ts'
import type { Made } from '../made.ts'
import { PLANT, SLCS, SLOS, USERS } from '../plant.ts'
import type { PlantDevice, PlantGroup, PlantJob } from '../plant.ts'
import { HISTORY_MS, HISTORY_STEPS } from '../samples.ts'
import { feed, STEPS_AT_ONCE } from './feeding.ts'
import { idOf } from './turn.ts'
import type { Making } from './turn.ts'
import { makeAlarmDuty, makeMaintenance, makeScript, workOnAlarms } from './surroundings.ts'

/** One part of the making. A repetition after a crash finds the objects of the first attempt.
 * @returns ids to remember */
export type Step = (making: Making) => Promise<Partial<Made> | null>

/** The steps of the making, in order. */
export const STEPS: readonly Step[] = [
  deleteFirstObjects,
  ...USERS.map(
    (_, index): Step =>
      (making) =>
        makeUser(making, index),
  ),
  makeRoot,
  ...groupSteps(PLANT, ''),
  ...SLOS.map(
    (slo): Step =>
      (making) =>
        makeSlo(making, slo),
  ),
  beginInThePast,
  ...Array.from(
    { length: Math.ceil(HISTORY_STEPS / STEPS_AT_ONCE) },
    (_, index): Step =>
      (making) =>
        makeHistory(making, index),
  ),
  ...SLCS.map(
    (slc): Step =>
      (making) =>
        makeSlc(making, slc),
  ),
  makeScript,
  makeAlarmDuty,
  makeMaintenance,
  workOnAlarms,
  rememberObjects,
]

/** The context for objects that are as old as the history of the plant. */
function inThePast({ context, anchorAt }: Making): Context {
  const now = () => anchorAt - HISTORY_MS
  return { ...context, ports: { ...context.ports, clock: { now, monotonic: now } } }
}

/** The ids of the objects of a plant by their places. */
export async function placesBelow(context: Context, groupId: number): Promise<Map<string, number>> {
  const query = treeQuery.parse({ depth: 'all', fields: 'name,children' })
  const top = await readTree(context, { parentType: 'group', parentId: groupId }, query)
  const places = new Map([['', top.id]])
  const add = ({ children = [] }: TreeNode, prefix: string) => {
    for (const child of children) {
      const place = `${prefix}${child.name}`
      places.set(place, child.id)
      add(child, `${place}/`)
    }
  }
  add(top, '')
  return places
}

/** The device of a first start, while it has its first job alone and the job has no values. */
export async function firstDevice(context: Context): Promise<number | null> {
  const { items } = await listChildren(context, { parentType: 'group', parentId: ROOT_ID }, { limit: 2 })
  const [device] = items
  if (items.length !== 1 || device?.name !== FIRST_NAMES.device || device.type !== 'device') return null
  const below = await listChildren(context, { parentType: 'device', parentId: device.id }, { limit: 2 })
  const [job] = below.items
  if (below.items.length !== 1 || job?.name !== FIRST_NAMES.job) return null
  const first = await readJob(context, job.id, { thresholds: false, values: false })
  return first.job.lastReceivedAt === null ? device.id : null
}

async function deleteFirstObjects({ context }: Making): Promise<null> {
  const id = await firstDevice(context)
  if (id !== null) await deleteDevice(context, id, true)
  return null
}

async function makeUser({ context, made }: Making, index: number): Promise<Partial<Made> | null> {
  const user = USERS[index]
  if (!user) return null
  const { items } = await listUsers(context, { limit: 1_000 })
  const known = items.find(({ username }) => username === user.username)
  // The user has no password, so that no login is possible until an administrator sets one.
  const { id } = known ?? (await createUser(context, user))
  return { userIds: [...(made.userIds ?? []).filter((one) => one !== id), id] }
}

async function makeRoot(making: Making): Promise<Partial<Made>> {
  const { context } = making
  const { items } = await listChildren(context, { parentType: 'group', parentId: ROOT_ID }, { limit: 100 })
  const known = items.find(({ name }) => name === PLANT.name)
  if (known) return { groupId: known.id }
  const { group } = await createGroup(
    inThePast(making),
    ROOT_ID,
    groupBody.parse({ name: PLANT.name, properties: [{ key: 'demo', value: making.seed }] }),
  )
  making.ids.set('', group.id)
  return { groupId: group.id }
}

function groupSteps({ groups = [], devices = [] }: PlantGroup, prefix: string): Step[] {
  const parent = prefix.slice(0, -1)
  return [
    ...devices.flatMap((device) => [
      stepBelow(parent, device.name, (past, parentId) => makeDevice(past, parentId, device)),
      ...device.jobs.map((job) =>
        stepBelow(`${prefix}${device.name}`, job.name, (past, parentId) => makeJob(past, parentId, job)),
      ),
    ]),
    ...groups.flatMap((group) => [
      stepBelow(parent, group.name, async (past, parentId) => {
        const made = await createGroup(past, parentId, groupBody.parse({ name: group.name }))
        return made.group.id
      }),
      ...groupSteps(group, `${prefix}${group.name}/`),
    ]),
  ]
}

/** The step that makes one object below another, unless it is there already. */
function stepBelow(
  parent: string,
  name: string,
  make: (past: Context, parentId: number) => Promise<number>,
): Step {
  const place = parent === '' ? name : `${parent}/${name}`
  return async (run) => {
    if (!run.ids.has(place)) run.ids.set(place, await make(inThePast(run), idOf(run, parent)))
    return null
  }
}

async function makeDevice(past: Context, parentId: number, { name, address }: PlantDevice): Promise<number> {
  const { device } = await createDevice(past, parentId, deviceBody.parse({ name, address }))
  return device.id
}

async function makeJob(
  past: Context,
  deviceId: number,
  { name, values, text, limits }: PlantJob,
): Promise<number> {
  const limitAt = (value: number | undefined) =>
    value === undefined
      ? {}
      : { conditions: [{ key: 'returnValue1', operator: limits?.operator ?? '>', value }] }
  const body = jobBody.parse({
    name,
    interval: 'PT5M',
    parameters: {
      timeout: 'PT15M',
      healsOnData: true,
      returnValue: values.map((value) => ({
        valueName: value.name,
        valueUnit: value.unit,
        valuePrecision: value.precision,
      })),
      stringValue: text ? [{ valueName: text.name }] : [],
    },
    thresholds: limits && {
      ...(limits.minor === undefined ? {} : { minor: limitAt(limits.minor) }),
      ...(limits.major === undefined ? {} : { major: limitAt(limits.major) }),
    },
  })
  return (await createJob(past, deviceId, body)).job.id
}

async function makeSlo(run: Making, { name, children, cost }: (typeof SLOS)[number]): Promise<null> {
  const past = inThePast(run)
  if (!run.ids.has(name)) {
    const parameters = { costsPerMin: cost, currency: cost > 0 ? 'EUR' : '' }
    const { slo } = await createSlo(past, idOf(run, ''), sloBody.parse({ name, parameters, isReason: true }))
    run.ids.set(name, slo.id)
  }
  const items = children.map((place) => ({ id: idOf(run, place), weight: 1, stateOverrides: {} }))
  const parent = { type: 'slo', id: idOf(run, name) } as const
  await updateChildren(past, parent, { items, mode: 'replace', ifMatch: null })
  return null
}

/** Parents have counted their children only now; their history begins with the history of the plant. */
async function beginInThePast({ context, ids, anchorAt }: Making): Promise<null> {
  const { database, flow } = context.ports
  await flow.runDue()
  await commit(database, dateBack(database, [...ids.values()], anchorAt - HISTORY_MS))
  return null
}

async function makeHistory({ context, seed, anchorAt, ids }: Making, index: number): Promise<null> {
  const from = index * STEPS_AT_ONCE - HISTORY_STEPS
  await feed(context, { seed, anchorAt, ids }, { from, to: Math.min(from + STEPS_AT_ONCE, 0) })
  return null
}

async function makeSlc(run: Making, { name, limit, target, slo }: (typeof SLCS)[number]): Promise<null> {
  const past = inThePast(run)
  if (!run.ids.has(name)) {
    // The pipeline would freeze the periods that are over before the container has a child.
    const { slc } = await createSlc(
      withoutPipeline(past),
      idOf(run, ''),
      slcBody.parse({ name, limit, target }),
    )
    run.ids.set(name, slc.id)
  }
  const items = [{ id: idOf(run, slo), weight: 1, stateOverrides: {} }]
  const id = idOf(run, name)
  await updateChildren(past, { type: 'slc', id }, { items, mode: 'replace', ifMatch: null })
  return null
}

/** A context whose changes wait for the next call of the pipeline. */
function withoutPipeline(context: Context): Context {
  const { flow } = context.ports
  const waiting = {
    apply: flow.apply.bind(flow),
    sweep: flow.sweep.bind(flow),
    runDue: () => Promise.resolve(),
  }
  return { ...context, ports: { ...context.ports, flow: waiting } }
}

function rememberObjects({ ids }: Making): Promise<Partial<Made>> {
  return Promise.resolve({ objectIds: [...ids.values()] })
}
