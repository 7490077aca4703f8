import { recorder } from '../../access/audit/service.ts'
import { ROOT_ID } from '../../access/rights/permissions.ts'
import { listUsers } from '../../access/users/service.ts'
import type { Caller, Context } from '../../context.ts'
import { Refusal } from '../../lib/errors.ts'
import { MINUTE_MS } from '../../lib/time.ts'
import { listChildren } from '../../monitoring/tree/browse/service.ts'
import { commit, isUniqueViolation } from '../../ports/database.ts'
import type { Write } from '../../ports/database.ts'
import type { Ports } from '../../ports/index.ts'
import { cleanUp } from '../../ports/log.ts'
import { SCRIPT, USERS } from './plant.ts'
import { HISTORY_STEPS, STEP_MS } from './samples.ts'
import { DEFAULT_SEED } from './schema.ts'
import type { DemoView } from './schema.ts'
import { feed, STEPS_AT_ONCE } from './service/feeding.ts'
import { firstDevice, placesBelow, STEPS } from './service/making.ts'
import { refuseForeign, removeMade } from './service/removing.ts'
import { findScript } from './service/surroundings.ts'
import * as store from './store.ts'
import type { DemoRow } from './store.ts'

export type { DemoView } from './schema.ts'

const recorded = recorder('demo')

/** A turn that ends without giving the plant back ended with its process. */
const TURN_MAX_MS = 2 * MINUTE_MS
/** Steps of the making in one turn: few enough for the subrequests of one invocation of a Worker. */
const STEPS_PER_TURN = 15

const SERVICE: Caller = { kind: 'user', userId: 0, username: '', role: 'administrator', sessionHash: null }

/** The state of the plant. Where a host ends an invocation before the making is complete, this call continues it. */
export async function readDemo({ ports }: Context): Promise<DemoView> {
  const row = await store.findDemo(ports.database)
  if (row?.state === 'making') continueInBackground(ports)
  return viewOf(row)
}

/** Begins the making of the plant, which goes on after this resolves.
 * @throws {Refusal} not_empty where other objects exist, conflict where a plant exists */
export async function beginDemo(context: Context, seed: string): Promise<DemoView> {
  const { ports } = context
  const known = await store.findDemo(ports.database)
  if (known) throw exists()
  await refuseOthers(context)
  try {
    await commit(ports.database, demoWrites(context, seed))
  } catch (error) {
    throw isUniqueViolation(error, 'demo.id') ? exists() : error
  }
  continueInBackground(ports)
  return viewOf(await store.findDemo(ports.database))
}

/** The writes that begin the making of a plant in an installation that has no objects yet. */
export function demoWrites(context: Context, seed = DEFAULT_SEED): readonly Write[] {
  const { database, clock } = context.ports
  const anchorAt = Math.floor(clock.now() / STEP_MS) * STEP_MS
  const row = { seed, state: 'making', anchorAt, step: 0, fedStep: 0, made: {} } as const
  return [store.insertDemo(database, row), recorded(context, 'create', { objectId: 'demo', after: { seed } })]
}

/** Removes the objects that the making created, and no others.
 * @throws {Refusal} not_found without a plant, not_empty where others made objects below the plant, conflict while the
 * plant is being made or where others use one of its objects, has_dependents */
export async function removeDemo(context: Context): Promise<void> {
  const { ports } = context
  const { database, clock } = ports
  const now = clock.now()
  const row = await store.takeTurn(database, { now, untilAt: now + TURN_MAX_MS })
  if (!row) {
    if (await store.findDemo(database))
      throw new Refusal('conflict', 'The demo plant is being made or removed. Try again shortly.', [], 5)
    throw new Refusal('not_found', 'There is no demo plant.')
  }
  try {
    await refuseForeign(context, row.made)
    await commit(database, [store.updateDemo(database, { state: 'removing' })])
    // A header If-Match of the request is about no object of the plant.
    const { request: _, ...own } = context
    await removeMade(own, row.made)
    const entry = recorded(context, 'delete', { objectId: 'demo', before: { seed: row.seed } })
    await commit(database, [store.deleteDemo(database), entry])
  } catch (error) {
    await endTurn(ports)
    throw error
  }
  ports.log.info('demo: plant removed', { seed: row.seed })
}

/** Continues the making, or delivers the samples that are due, at most of a day for each job. A host calls this every few
 * minutes. A failure is logged and does not reject, because the other periodic work must go on. */
export async function continueDemo(ports: Ports): Promise<void> {
  try {
    const known = await store.findDemo(ports.database)
    if (!known || known.state === 'removing') return
    if (known.state === 'running' && dueStep(ports, known) <= known.fedStep) return
    while (await oneTurn(ports));
  } catch (error) {
    ports.log.error('demo: a step of the demo plant failed; retrying within five minutes', error)
  }
}

/** Continues the making without a caller that waits for it. */
export function continueInBackground(ports: Ports): void {
  const work = continueDemo(ports)
  ports.inBackground?.(work)
}

/** @returns whether this process should take another turn at once */
async function oneTurn(ports: Ports): Promise<boolean> {
  const { database, clock } = ports
  const now = clock.now()
  const row = await store.takeTurn(database, { now, untilAt: now + TURN_MAX_MS })
  if (!row) return false
  const context: Context = { ports, caller: SERVICE, requestId: 'demo' }
  try {
    if (row.state === 'making') return (await make(context, row)) && ports.inBackground === null
    if (row.state === 'running') await feedDue(context, row)
    return false
  } finally {
    await endTurn(ports)
  }
}

function endTurn({ database, log }: Ports): Promise<void> {
  return cleanUp(log, 'demo: releasing the lease of the plant failed; it ends within two minutes', () =>
    commit(database, [store.updateDemo(database, { heldUntilAt: 0 })]),
  )
}

/** @returns whether steps are left */
async function make(context: Context, row: DemoRow): Promise<boolean> {
  const { database, log } = context.ports
  const { seed, anchorAt } = row
  let { made } = row
  const ids =
    made.groupId === undefined ? new Map<string, number>() : await placesBelow(context, made.groupId)
  const until = Math.min(row.step + STEPS_PER_TURN, STEPS.length)
  for (let step = row.step; step < until; step++) {
    made = { ...made, ...(await STEPS[step]?.({ context, seed, anchorAt, ids, made })) }
    const isLast = step + 1 === STEPS.length
    const change = { step: step + 1, made, ...(isLast ? { state: 'running' as const } : {}) }
    await commit(database, [store.updateDemo(database, change)])
    if (isLast) log.info('demo: plant complete', { seed, groupId: made.groupId ?? 0 })
  }
  return until < STEPS.length
}

async function feedDue(context: Context, row: DemoRow): Promise<void> {
  const { database } = context.ports
  const { seed, anchorAt, fedStep, made } = row
  const due = dueStep(context.ports, row)
  if (due <= fedStep || made.groupId === undefined) return
  const own = new Set(made.objectIds)
  const ids = new Map([...(await placesBelow(context, made.groupId))].filter(([, id]) => own.has(id)))
  const from = Math.max(fedStep, due - HISTORY_STEPS)
  const to = Math.min(due, from + STEPS_AT_ONCE)
  await feed(context, { seed, anchorAt, ids }, { from, to })
  await commit(database, [store.updateDemo(database, { fedStep: to })])
}

/** The latest step whose instant has passed. */
function dueStep({ clock }: Ports, { anchorAt }: DemoRow): number {
  return Math.floor((clock.now() - anchorAt) / STEP_MS)
}

/** @throws {Refusal} not_empty */
async function refuseOthers(context: Context): Promise<void> {
  const root = { parentType: 'group', parentId: ROOT_ID } as const
  const [{ items }, users, script] = await Promise.all([
    listChildren(context, root, { limit: 5 }),
    listUsers(context, { limit: 1_000 }),
    findScript(context),
  ])
  const isFirst = (await firstDevice(context)) !== null
  const faults = [
    ...(isFirst ? [] : items).map(({ type, id, name }) => `the ${type} ${id}, ${name}`),
    ...users.items.filter(isNamedAsMade).map(({ id, username }) => `the user ${id}, ${username}`),
    ...(script ? [`the script ${script.id}, ${SCRIPT.name}`] : []),
  ]
  if (faults.length === 0) return
  throw new Refusal(
    'not_empty',
    'The demo plant needs an installation without other objects; see errors. Delete these first.',
    faults.map((message, index) => ({ pointer: `/objects/${index}`, message: `is ${message}` })),
  )
}

function isNamedAsMade({ username }: { readonly username: string }): boolean {
  return USERS.some((user) => user.username === username)
}

function exists(): Refusal {
  return new Refusal('conflict', 'There is a demo plant already. Remove it first (DELETE /demo).')
}

function viewOf(row: DemoRow | null): DemoView {
  if (!row) return { state: 'absent', seed: null, progress: 0, groupId: null }
  const { state, seed, step, made } = row
  return { state, seed, progress: step / STEPS.length, groupId: made.groupId ?? null }
}
