import * as z from 'zod'
import { SUBJECT_TYPES } from '../../../access/rights/permissions.ts'

const GRANTS_MAX = 200

const subject = {
  subjectType: z.enum(SUBJECT_TYPES),
  subjectId: z.int().min(0).describe('The id of the user or of the user group; 0 for everyone.'),
}
const granted = {
  write: z.boolean().describe('Whether editors may change it. Users of other roles never may.'),
  execute: z.boolean().describe('Whether its scripts may be run and its alarms be acknowledged.'),
}

export const grantsBody = z
  .strictObject({
    items: z
      .array(
        z.strictObject({
          ...subject,
          subjectId: subject.subjectId.default(0),
          write: granted.write.default(false),
          execute: granted.execute.default(false),
        }),
      )
      .max(GRANTS_MAX)
      .superRefine((grants, issues) => {
        for (const [index, { subjectType, subjectId }] of grants.entries()) {
          const isThis = (other: (typeof grants)[number]) =>
            other.subjectType === subjectType && other.subjectId === subjectId
          if (grants.findIndex(isThis) < index)
            issues.addIssue({ code: 'custom', path: [index], message: 'must not occur twice' })
          if ((subjectType === 'everyone') !== (subjectId === 0))
            issues.addIssue({
              code: 'custom',
              path: [index, 'subjectId'],
              message: 'must be 0 for everyone, and an id for others',
            })
        }
      })
      .describe('The grants on it, in place of those before. Each includes the right to read.'),
  })
  .meta({ examples: [{ items: [{ subjectType: 'userGroup', subjectId: 2, execute: true }] }] })

export const grantsView = z
  .object({
    items: z.array(
      z.object({
        ...subject,
        subjectName: z.string(),
        ...granted,
        inherited: z.boolean().describe('Whether the grant is on a group around it.'),
        from: z
          .object({ groupId: z.int(), name: z.string() })
          .nullable()
          .describe('The group with the grant, as far as the caller may read it.'),
      }),
    ),
  })
  .meta({ id: 'DashboardGrants' })

export type GrantsBody = z.output<typeof grantsBody>
export type GrantsView = z.output<typeof grantsView>
