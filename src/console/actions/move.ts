import { call } from '../api/client.ts'
import { asFailure } from '../api/failure.ts'
import type { Failure } from '../api/failure.ts'
import { invalidate } from '../api/resource.ts'
import { toast } from '../kit/toasts.ts'
import { t } from '../language/t.ts'
import type { ObjectType } from './maintain.ts'

export type Movable = { readonly type: ObjectType; readonly id: number; readonly name: string }
type Target = { readonly id: number; readonly name: string }

/** Moves objects into another parent; can be undone for ten seconds. A refused object does not hinder the others.
 * @param changed is called after each change
 * @throws {Failure} the first refusal, when all objects are refused */
export async function moveAll(
  objects: readonly Movable[],
  target: Target,
  changed: () => void,
): Promise<void> {
  const moved: { readonly object: Movable; readonly from: number }[] = []
  const refused: Failure[] = []
  for (const object of objects)
    try {
      const from = await moveOne(object, target.id)
      if (from !== null && from !== target.id) moved.push({ object, from })
    } catch (error) {
      refused.push(asFailure(error))
    }
  invalidate('/alarms')
  changed()
  const [first] = refused
  if (first && moved.length === 0) throw first
  const names = { count: moved.length, name: moved[0]?.object.name ?? '', target: target.name }
  const text = t('move.moved', names)
  toast({
    text: first ? `${text} ${t('stop.refused', { count: refused.length, reason: first.message })}` : text,
    isFailure: first !== undefined,
    async undo() {
      try {
        for (const { object, from } of moved) await moveOne(object, from)
      } finally {
        changed()
      }
    },
  })
}

/** @returns the parent before; null for the root group
 * @throws {Failure} */
async function moveOne({ type, id }: Movable, parentId: number): Promise<number | null> {
  const path = { id }
  const before = await call('get', `/${type}s/{id}`, { path })
  await call('patch', `/${type}s/{id}`, { path, body: { parentId } })
  return before.parentId
}
