import * as z from 'zod'
import { ROLES } from '../../../context.ts'
import { idParam } from '../../../http/openapi-answers.ts'
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

/** Every right comes with reading. */
export const grantBody = z.strictObject({
  read: z.literal(true, 'comes with every grant; DELETE takes all rights away').default(true),
  write: z.boolean().default(false),
  execute: z.boolean().default(false),
  maintain: z.boolean().default(false),
})
export type GrantBody = z.infer<typeof grantBody>

export const grantView = permissionsView
  .extend({
    subjectType: z.enum(SUBJECT_TYPES),
    subjectId: z.int().describe('0 for everyone.'),
    subjectName: z.string().describe('Empty for everyone.'),
    inherited: z.boolean().describe('Whether it was given further up.'),
    object: z
      .object({ id: z.int(), type: z.enum(OBJECT_TYPES), name: z.string() })
      .describe('On what it was given.'),
  })
  .meta({ id: 'Grant' })
export type GrantView = z.infer<typeof grantView>

export const explainQuery = z.object({
  userId: idParam
    .optional()
    .describe('Whose rights; the caller’s own when absent. Others’ are for administrators.'),
})

export const REASONS = ['administrator', 'granted', 'write', 'not_granted', 'role', 'collector'] as const

export const explanationView = z
  .object({
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
        'Why each is so. `write`: who may write may maintain. `role`: granted, but never given to this role. `collector`: granted, but another collector runs this object.',
      ),
    grants: z.array(grantView).describe('What was granted to the user, also with groups and with everyone.'),
  })
  .meta({ id: 'Explanation' })
export type ExplanationView = z.infer<typeof explanationView>
