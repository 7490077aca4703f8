import * as z from 'zod'
import { READ_ONLY } from '../../http/openapi-answers.ts'
import { composedName } from '../../http/text-schemas.ts'
import { visuallyImpaired } from '../users/schema.ts'

/** The most ids of one request, and the most users of a group. */
export const MEMBERS_MAX = 10_000

export const userGroupBody = z.strictObject({
  name: composedName,
  // The other fields of a read may be sent back unchanged.
  id: z.int().optional().meta(READ_ONLY),
  visuallyImpaired,
})

export const userGroupView = z.object({ id: z.int(), name: z.string() }).meta({ id: 'UserGroup' })

const ids = z.array(z.int().positive()).max(MEMBERS_MAX)

export const usersBody = z.strictObject({ userIds: ids })
export const groupsBody = z.strictObject({ userGroupIds: ids })

export const batchQuery = z.object({
  mode: z
    .enum(['replace', 'merge', 'remove'])
    .default('replace')
    .describe('Whether the ids replace the present ones, are added to them, or are removed from them.'),
})

export type BatchMode = z.infer<typeof batchQuery>['mode']
export type UserGroupBody = z.output<typeof userGroupBody>
export type UserGroupView = z.infer<typeof userGroupView>
