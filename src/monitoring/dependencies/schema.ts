import * as z from 'zod'
import { withoutRepeats } from '../../http/lists.ts'
import { STATES } from '../../domain/state.ts'
import { OBJECT_TYPES } from '../tree/schema.ts'

/** Dependencies of one object. */
export const DEPENDENCIES_MAX = 100
/** Dependents of an object that an answer shows. */
export const DEPENDENTS_SHOWN_MAX = 1_000

export const dependenciesBody = z.strictObject({
  dependsOn: z
    .array(z.int().positive())
    .max(DEPENDENCIES_MAX)
    .superRefine(withoutRepeats())
    .describe('The ids of the objects that this object needs to work, such as the router in front of it.'),
})

const object = z.object({
  id: z.int(),
  type: z.enum(OBJECT_TYPES),
  name: z.string(),
  state: z.enum(STATES),
})

export const dependenciesView = z
  .object({
    dependsOn: z.array(object),
    dependents: z
      .array(object)
      .describe(`The objects that depend on this object; the first ${DEPENDENTS_SHOWN_MAX}, by id.`),
    dependentsTotal: z.int().describe('The number of all dependents.'),
  })
  .meta({ id: 'Dependencies' })

export type DependenciesView = z.infer<typeof dependenciesView>
