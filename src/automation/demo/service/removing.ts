import { deleteUser } from '../../../access/users/service.ts'
import type { Context } from '../../../context.ts'
import { Refusal, refusalIn } from '../../../lib/errors.ts'
import { deleteRecipient } from '../../../monitoring/notifications/recipients/service.ts'
import { deleteGroup } from '../../../monitoring/tree/groups/service.ts'
import { deleteScript } from '../../scripts/service.ts'
import type { Made } from '../made.ts'
import { JOBS, PLANT, SLCS, SLOS } from '../plant.ts'
import type { PlantGroup } from '../plant.ts'
import { placesBelow } from './making.ts'
import { addressLinks } from './surroundings.ts'

const LISTED_MAX = 20

/** @throws {Refusal} not_empty, naming the objects below the plant that others made */
export async function refuseForeign(context: Context, { groupId, objectIds }: Made): Promise<void> {
  if (groupId === undefined) return
  const places = await placesOf(context, groupId)
  const own = objectIds ? new Set(objectIds) : null
  const foreign = [...places].filter(([place, id]) => (own ? !own.has(id) : !PLACES.has(place)))
  if (foreign.length === 0) return
  throw new Refusal(
    'not_empty',
    `The demo plant contains ${foreign.length} objects that are not part of it; see errors. Move or delete them first.`,
    foreign.slice(0, LISTED_MAX).map(([place, id], index) => ({
      pointer: `/objects/${index}`,
      message: `is the object ${id}, ${place}`,
    })),
  )
}

/** Removes the objects of a plant. A repetition passes over those that are gone.
 * @throws {Refusal} conflict and has_dependents where others use one of them */
export async function removeMade(context: Context, made: Made): Promise<void> {
  const { groupId, recipientId, scriptId, userIds = [] } = made
  if (recipientId !== undefined) {
    await addressLinks(context, recipientId, null)
    await unlessGone(() => deleteRecipient(context, recipientId))
  }
  if (scriptId !== undefined)
    await unlessGone(() => deleteScript(context, String(scriptId), { isForced: false }))
  for (const id of userIds) await unlessGone(() => deleteUser(context, id))
  if (groupId !== undefined) await unlessGone(() => deleteGroup(context, groupId, true))
}

async function unlessGone(remove: () => Promise<void>): Promise<void> {
  try {
    await remove()
  } catch (error) {
    if (refusalIn(error)?.code !== 'not_found') throw error
  }
}

async function placesOf(context: Context, groupId: number): Promise<ReadonlyMap<string, number>> {
  try {
    return await placesBelow(context, groupId)
  } catch (error) {
    if (refusalIn(error)?.code === 'not_found') return new Map()
    throw error
  }
}

/** The places of all objects of a plant. */
const PLACES: ReadonlySet<string> = new Set([
  '',
  ...[...SLOS, ...SLCS].map(({ name }) => name),
  ...JOBS.map(({ place }) => place),
  ...placesIn(PLANT, ''),
])

function placesIn({ groups = [], devices = [] }: PlantGroup, prefix: string): string[] {
  return [
    ...devices.map(({ name }) => `${prefix}${name}`),
    ...groups.flatMap((group) => [`${prefix}${group.name}`, ...placesIn(group, `${prefix}${group.name}/`)]),
  ]
}
