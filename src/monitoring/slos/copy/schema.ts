import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { copyQuery } from '../../tree/copy/schema.ts'

/** Specification: SLC and SLO, copy. */
export const sloCopyQuery = copyQuery.pick({ destinationName: true, destinationType: true }).extend({
  parentType: z
    .enum(['slo', 'group'])
    .default('slo')
    .describe('`slo`: becomes the last child of that one, and is in its group; `group`: is in that group.'),
  parentId: idParam.optional().describe('When absent, the copy is in the original’s group and no child.'),
})

export type SloCopyQuery = z.infer<typeof sloCopyQuery>
