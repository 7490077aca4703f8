import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { copyQuery } from '../../tree/copy/schema.ts'

/** Ours: the same as for a service level object. */
export const slcCopyQuery = copyQuery.pick({ destinationName: true, destinationType: true }).extend({
  parentType: z.literal('group').default('group'),
  parentId: idParam.optional().describe('When absent, the copy is in the original’s group.'),
})

export type SlcCopyQuery = z.infer<typeof slcCopyQuery>
