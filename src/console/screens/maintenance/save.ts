import { call, callVersioned } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { inTurn, invalidate, patched } from '../../api/resource.ts'
import { t } from '../../language/t.ts'
import { beginningAt, bodyOf, stepOf } from './changes.ts'
import type { Body } from './changes.ts'
import type { Entry } from './occurrences.ts'

export type ObjectName = Pick<Entry['object'], 'id' | 'type'>
type Calendar = Answer<'/{parentType}/{parentId}/revaluation-calendar'>
const CALENDAR = '/group/1/revaluation-calendar'
/** Takes a change back. */
export type Undo = () => Promise<void>

const iso = (at: number): string => new Date(at).toISOString()

/** Reads everything again that shows the maintenance of an object. */
function refresh({ type, id }: ObjectName): void {
  invalidate(CALENDAR, `/${type}s/${id}`, '/jobs/', '/alarms', '/root/tree/')
}

/** Plans a revaluation of an object. @throws {Failure} */
export async function create(object: ObjectName, body: Body): Promise<Undo> {
  const { type, id } = object
  const made = await call('post', `/${type}s/{id}/revaluations`, { path: { id }, body })
  refresh(object)
  return async () => {
    await call('delete', pathOf(type), { path: { id, revaluationId: made.id } })
    refresh(object)
  }
}

/** The fields of a revaluation as one text; an instant has the same text in each zone. */
const textOf = (of: Parameters<typeof bodyOf>[0]): string =>
  JSON.stringify({ ...bodyOf(of), begin: Date.parse(of.begin), end: Date.parse(of.end) })

/** Changes a revaluation, unless another user has changed it since the page read it.
 * @param from the instant from which on a series changes that has begun; null for as soon as possible
 * @throws {Failure} */
export async function change(entry: Entry, body: Body, from: number | null = null): Promise<Undo> {
  try {
    const undo = await inTurn(CALENDAR, () => changeNow(entry, body, from))
    return () => inTurn(CALENDAR, undo).finally(() => refresh(entry.object))
  } finally {
    refresh(entry.object)
  }
}

async function changeNow(entry: Entry, body: Body, from: number | null): Promise<Undo> {
  const { type, id } = entry.object
  const path = { id, revaluationId: entry.id }
  const { data, etag } = await callVersioned('get', pathOf(type), { path })
  if (textOf(data) !== textOf(entry))
    throw new Failure({ status: 412, code: 'precondition_failed', detail: t('maintenance.overtaken') })
  const step = stepOf(entry, body, from, Date.now())
  if (step.kind === 'put') {
    const written = await callVersioned('put', pathOf(type), { path, body: step.body, ifMatch: etag })
    return async () =>
      void (await call('put', pathOf(type), { path, body: bodyOf(entry), ifMatch: written.etag }))
  }
  const rest = await call('post', `/${type}s/{id}/revaluations`, { path: { id }, body: step.rest })
  const restPath = { id, revaluationId: rest.id }
  try {
    if (step.at === null) await call('delete', pathOf(type), { path, ifMatch: etag })
    else
      await call('put', pathOf(type), { path, body: { ...bodyOf(entry), end: iso(step.at) }, ifMatch: etag })
  } catch (error) {
    await call('delete', pathOf(type), { path: restPath })
    throw error
  }
  const before = beginningAt(bodyOf(entry), step.at ?? Date.now())
  return async () => void (await call('put', pathOf(type), { path: restPath, body: before }))
}

/** The last move of each entry that is not in the service yet. */
const moving = new Map<number, Promise<unknown>>()

/** Moves a single revaluation: at once in the page, then in the service. A refusal takes the page back, and refuses the moves that
 * began where this one led to.
 * @throws {Failure} */
export async function move(entry: Entry, body: Body): Promise<Undo> {
  const before = moving.get(entry.id)
  const made = patched(CALENDAR, placed(entry.id, body), async () => {
    await before
    return changeNow(entry, body, null)
  })
  moving.set(entry.id, made)
  try {
    const undo = await made
    return () => patched(CALENDAR, placed(entry.id, entry), undo).finally(() => refresh(entry.object))
  } finally {
    if (moving.get(entry.id) === made) moving.delete(entry.id)
    refresh(entry.object)
  }
}

/** The calendar with a revaluation at another time. */
const placed =
  (id: number, { begin, end }: Pick<Body, 'begin' | 'end'>) =>
  (data: Calendar): Calendar => ({
    ...data,
    items: data.items.map((one) =>
      one.id === id ? { ...one, begin, end, occurrences: [{ begin, end }] } : one,
    ),
  })

/** Deletes a revaluation; one that has begun ends now instead. @throws {Failure} */
export async function remove({ id: revaluationId, object }: Entry): Promise<void> {
  await call('delete', pathOf(object.type), { path: { id: object.id, revaluationId } })
  refresh(object)
}

/** Ends the occurrence of a series that runs; the later ones stay. @throws {Failure} */
export async function endOccurrence(entry: Entry, end: number): Promise<void> {
  const { type, id } = entry.object
  const path = { id }
  const rest = await call('post', `/${type}s/{id}/revaluations`, {
    path,
    body: beginningAt(bodyOf(entry), end),
  })
  try {
    await remove(entry)
  } catch (error) {
    await call('delete', pathOf(type), { path: { id, revaluationId: rest.id } })
    throw error
  }
}

const pathOf = <T extends ObjectName['type']>(type: T) =>
  `/${type}s/{id}/revaluations/{revaluationId}` as const

/** Why the service refused a change. */
export function reasonOf(error: unknown): string {
  if (error instanceof Failure && error.errors.length > 0)
    return error.errors.map(({ pointer, message }) => `${pointer.slice(1)} ${message}`).join('; ')
  return error instanceof Error ? error.message : String(error)
}
