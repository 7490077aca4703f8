import type { Context } from '../../../context.ts'
import { materializationFault } from '../results/materializable.ts'
import { draftComplaint } from '../results/service.ts'
import type { Definition } from '../schema.ts'
import type { QueryError } from '../statement.ts'
import { errorsOf } from './composition.ts'

/** The faults of the draft of a stored data query, with those that its stored result shows. */
export async function draftErrors(
  context: Context,
  id: number,
  draft: Definition & { readonly name: string },
): Promise<readonly QueryError[]> {
  const [errors, complaint] = await Promise.all([
    errorsOf(context, draft),
    draftComplaint(context.ports, id, draft),
  ])
  if (complaint === null) return errors
  return [...errors, materializationFault(`The result cannot be stored: ${complaint}`)]
}
