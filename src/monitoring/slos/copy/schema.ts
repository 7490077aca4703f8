import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { copyQuery } from '../../tree/copy/schema.ts'

/** Specification: SLC and SLO, copy. */
export const sloCopyQuery = copyQuery.pick({ destinationName: true, destinationType: true }).extend({
  parentType: z
    .enum(['slo', 'group'])
    .default('slo')
    .describe(
      '`slo`: the copy becomes the last child of that service level object, in the same group. `group`: the copy is in that group.',
    ),
  parentId: idParam
    .optional()
    .describe(
      'The service level object or the group. If absent, the copy is in the group of the original, without a link to a parent.',
    ),
})

export type SloCopyQuery = z.infer<typeof sloCopyQuery>
