import type { Difference } from './difference.ts'
import { pathText } from './finder.ts'
import type { Finder, ObjectPath, Parent } from './finder.ts'
import type { Child, Wanted } from './manifest.ts'
import type { Step } from './step.ts'

/** The ids that the references of an object stand for. */
export type FoundReferences = { readonly deviceId?: number; readonly childrenFilter?: object }
type Named = ObjectPath & { readonly role: string }
type Weighed = Pick<Child, 'weight' | 'stateOverrides'>

/** Completes the steps of a plan with what their service level objects and containers refer to: objects of the same plan, or of
 * the service.
 * @throws {RangeError} naming a reference to an object that does not exist */
export async function withReferences(
  steps: readonly Step[],
  finder: Finder,
  below: Parent,
): Promise<readonly Step[]> {
  const complete = async (step: Step): Promise<Step> => ({
    ...step,
    ...(await changesOf(step, { finder, below, steps })),
    children: await eachInOrder(step.children, complete),
  })
  return eachInOrder(steps, complete)
}

/** The ids of the device and of the group of the filter, for the body of a request.
 * @throws {RangeError} naming a reference to an object that does not exist */
export async function foundReferences(
  { references: { device, filterGroup }, settings }: Wanted,
  finder: Finder,
  below: Parent,
): Promise<FoundReferences> {
  const idOf = (named: Named) => requireFound(finder, below, named)
  return {
    ...(device && { deviceId: await idOf({ role: 'device', type: 'device', path: device }) }),
    ...(filterGroup && {
      childrenFilter: {
        ...(settings['childrenFilter'] as object),
        groupId: await idOf({ role: 'filter', type: 'group', path: filterGroup }),
      },
    }),
  }
}

/** Children with their ids, for the body of a request.
 * @throws {RangeError} naming a child that does not exist */
export async function foundChildren(
  children: readonly Child[],
  finder: Finder,
  below: Parent,
): Promise<readonly object[]> {
  return eachInOrder(children, async ({ path, ...child }) => ({
    ...child,
    id: await requireFound(finder, below, { role: 'child', type: child.type, path }),
  }))
}

async function requireFound(finder: Finder, below: Parent, { role, ...path }: Named): Promise<number> {
  const found = await finder.find(path, below)
  if (!found || found.id === null) throw missing({ role, ...path })
  return found.id
}

function missing({ role, type, path }: Named): RangeError {
  return new RangeError(`its ${role} is the ${type} "${pathText(path)}", which does not exist.`)
}

type Place = { readonly finder: Finder; readonly below: Parent; readonly steps: readonly Step[] }

async function changesOf(step: Step, place: Place): Promise<Pick<Step, 'changes' | 'childChanges'>> {
  const { device, filterGroup, children } = step.wanted.references
  const idOf = async (named: Named) => {
    const found = await place.finder.find(named, place.below, place.steps)
    if (found) return found.id
    throw new RangeError(`In ${step.wanted.type} "${step.path}" ${missing(named).message}`)
  }
  const deviceId = device && (await idOf({ role: 'device', type: 'device', path: device }))
  const groupId = filterGroup && (await idOf({ role: 'filter', type: 'group', path: filterGroup }))
  const childIds = children && (await eachInOrder(children, (child) => idOf({ role: 'child', ...child })))
  const { id, actual } = step
  if (id === null || actual === null) return { changes: step.changes, childChanges: [] }
  const filter = actual['childrenFilter'] as { readonly groupId: number } | null
  return {
    changes: [
      ...step.changes,
      ...idChange('device', { from: actual['deviceId'], to: deviceId, path: device }),
      ...idChange('childrenFilter.group', { from: filter?.groupId, to: groupId, path: filterGroup }),
    ],
    childChanges: children && childIds ? await childChanges(step, { children, childIds }, place.finder) : [],
  }
}

function idChange(
  field: string,
  {
    from,
    to,
    path,
  }: { readonly from: unknown; readonly to: number | null; readonly path: readonly string[] | null },
): readonly Difference[] {
  return path === null || from === to ? [] : [{ path: field, from, to: pathText(path) }]
}

/** The children as lines for people: those that are wanted by their paths, others by name and id. */
async function childChanges(
  { wanted, id, actual }: Step,
  {
    children,
    childIds,
  }: { readonly children: readonly Child[]; readonly childIds: readonly (number | null)[] },
  finder: Finder,
): Promise<readonly Difference[]> {
  const paths = new Map(childIds.map((childId, index) => [childId, pathText(children[index]?.path ?? [])]))
  const linked = id === null ? [] : await finder.linked({ type: wanted.type, id })
  // Lists in another order are sorted by something else than the order of links.
  const isOrdered = actual?.['sortMode'] === undefined || actual['sortMode'] === 'link'
  const placeOf = (childId: number) => {
    const place = childIds.indexOf(childId)
    return place < 0 ? childIds.length : place
  }
  const from = (
    isOrdered ? linked : linked.toSorted((one, other) => placeOf(one.id) - placeOf(other.id))
  ).map((child) => {
    const path = paths.get(child.id)
    const name = path === undefined ? `"${child.name}" (${child.id})` : `"${path}"`
    return `${child.type} ${name}${weighing(child)}`
  })
  const to = children.map((child) => `${child.type} "${pathText(child.path)}"${weighing(child)}`)
  return JSON.stringify(from) === JSON.stringify(to) ? [] : [{ path: 'children', from, to }]
}

function weighing({ weight = 1, stateOverrides = {} }: Weighed): string {
  const overrides = Object.entries(stateOverrides)
    .map(([from, to]) => `, ${from} as ${to}`)
    .toSorted()
  return `${weight === 1 ? '' : ` × ${weight}`}${overrides.join('')}`
}

export async function eachInOrder<Item, Result>(
  items: readonly Item[],
  act: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  for (const item of items) results.push(await act(item))
  return results
}
