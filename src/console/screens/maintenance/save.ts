import { call, callVersioned } from '../../api/client.ts'
import type { Answer } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import { invalidate, patch } from '../../api/resource.ts'
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

let last: Promise<unknown> = Promise.resolve()

/** Begins a change, or takes one back, when the one before has ended: keys may be faster than the service. */
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const done = last.then(work, work)
  last = done.catch(() => undefined)
  return done
}

/** Changes a revaluation, unless another user has changed it since the page read it.
 * @param from the instant from which on a series changes that has begun; null for as soon as possible
 * @throws {Failure} */
export function change(entry: Entry, body: Body, from: number | null = null): Promise<Undo> {
  return inTurn(() => changeNow(entry, body, from))
}

async function changeNow(entry: Entry, body: Body, from: number | null): Promise<Undo> {
  const { type, id } = entry.object
  const path = { id, revaluationId: entry.id }
  const { data, etag } = await callVersioned('get', pathOf(type), { path })
  if (textOf(data) !== textOf(entry)) {
    invalidate(CALENDAR)
    throw new Failure({ status: 412, code: 'precondition_failed', detail: t('maintenance.overtaken') })
  }
  const step = stepOf(entry, body, from, Date.now())
  try {
    if (step.kind === 'put') {
      const written = await callVersioned('put', pathOf(type), { path, body: step.body, ifMatch: etag })
      return () =>
        inTurn(async () => {
          await call('put', pathOf(type), { path, body: bodyOf(entry), ifMatch: written.etag })
          refresh(entry.object)
        })
    }
    const rest = await call('post', `/${type}s/{id}/revaluations`, { path: { id }, body: step.rest })
    const restPath = { id, revaluationId: rest.id }
    try {
      if (step.at === null) await call('delete', pathOf(type), { path, ifMatch: etag })
      else
        await call('put', pathOf(type), {
          path,
          body: { ...bodyOf(entry), end: iso(step.at) },
          ifMatch: etag,
        })
    } catch (error) {
      await call('delete', pathOf(type), { path: restPath })
      throw error
    }
    const before = beginningAt(bodyOf(entry), step.at ?? Date.now())
    return () =>
      inTurn(async () => {
        await call('put', pathOf(type), { path: restPath, body: before })
        refresh(entry.object)
      })
  } finally {
    refresh(entry.object)
  }
}

/** Moves a single revaluation: at once in the page, then in the service. A refusal takes the page back.
 * @throws {Failure} */
export async function move(entry: Entry, body: Body): Promise<Undo> {
  const { begin, end } = body
  const takeBack = patch<Calendar>(CALENDAR, (data) => ({
    ...data,
    items: data.items.map((one) =>
      one.id === entry.id ? { ...one, begin, end, occurrences: [{ begin, end }] } : one,
    ),
  }))
  try {
    return await change(entry, body)
  } catch (error) {
    takeBack()
    throw error
  }
}

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
