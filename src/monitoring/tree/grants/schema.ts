import * as z from 'zod'
import { ROLES } from '../../../context.ts'
import { idParam } from '../../../http/openapi-answers.ts'
import { linkCursor, pageLimit } from '../../../http/paging.ts'
import { SUBJECT_TYPES } from '../../../access/rights/permissions.ts'
import { parentPath } from '../browse/schema.ts'
import { OBJECT_TYPES, permissionsView } from '../schema.ts'

export const objectPath = z.object({
  objectType: parentPath.shape.parentType,
  objectId: parentPath.shape.parentId,
})
export type ObjectPath = z.infer<typeof objectPath>

/** A user, a user group, or everyone, whose id is 0. */
export const subjectPath = objectPath.extend({
  subjectType: z.enum(SUBJECT_TYPES),
  subjectId: z
    .string()
    .regex(/^(?:0|[1-9]\d{0,14})$/)
    .transform(Number)
    .meta({ type: 'integer', minimum: 0 }),
})

/** Every grant includes reading. */
export const grantBody = z.strictObject({
  read: z.literal(true, 'must be true: every grant includes reading; DELETE removes the grant').default(true),
  write: z.boolean().default(false),
  execute: z.boolean().default(false),
  maintain: z.boolean().default(false),
})
export type GrantBody = z.infer<typeof grantBody>

export const grantView = permissionsView
  .extend({
    subjectType: z.enum(SUBJECT_TYPES),
    subjectId: z.int().describe('The id of the user or the user group; 0 for everyone.'),
    subjectName: z.string().describe('The name of the user or the user group; empty for everyone.'),
    inherited: z.boolean().describe('Whether the grant is on an object above this one.'),
    object: z
      .object({ id: z.int(), type: z.enum(OBJECT_TYPES), name: z.string() })
      .describe('The object that has the grant.'),
  })
  .meta({ id: 'Grant' })
export type GrantView = z.infer<typeof grantView>

export const explainQuery = z.object({
  userId: idParam
    .optional()
    .describe(
      'The user whose rights are explained; if absent, the caller. Only administrators can name another user.',
    ),
})

export const REASONS = ['administrator', 'granted', 'write', 'not_granted', 'role', 'collector'] as const

const effectiveRights = z.object({
  user: z.object({ id: z.int(), username: z.string(), role: z.enum(ROLES) }),
  permissions: permissionsView,
  reasons: z
    .object({
      read: z.enum(REASONS),
      write: z.enum(REASONS),
      execute: z.enum(REASONS),
      maintain: z.enum(REASONS),
    })
    .describe(
      'The reason for each right. `write`: the right to write includes the right to maintain. `role`: granted, but not available to the user’s role. `collector`: granted, but the object belongs to another collector.',
    ),
})

export const explanationView = effectiveRights
  .extend({
    grants: z.array(grantView).describe('The grants of the user, of the user’s groups, and of everyone.'),
  })
  .meta({ id: 'Explanation' })
export type ExplanationView = z.infer<typeof explanationView>

const EFFECTIVE_MAX = 500
const EFFECTIVE_DEFAULT = 100

export const effectiveQuery = z.object({
  limit: pageLimit(EFFECTIVE_MAX)
    .default(EFFECTIVE_DEFAULT)
    .describe('The greatest number of users in the answer.'),
  cursor: linkCursor,
})

const decidingGrant = grantView
  .pick({ subjectType: true, subjectId: true, subjectName: true, inherited: true, object: true })
  .nullable()

export const effectiveView = effectiveRights
  .extend({
    decidedBy: z
      .object({
        read: decidingGrant,
        write: decidingGrant,
        execute: decidingGrant,
        maintain: decidingGrant,
      })
      .describe(
        'The nearest grant that gives each right; null for administrators and for rights that the user does not have.',
      ),
  })
  .meta({ id: 'EffectiveRights' })
export type EffectiveView = z.infer<typeof effectiveView>
