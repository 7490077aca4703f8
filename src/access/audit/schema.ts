import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { instantQuery, timestamp } from '../../http/instants.ts'
import { linkCursor, pageLimit } from '../../http/paging.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const word = z.string().min(1).max(64)

export const auditQuery = z.object({
  userId: idParam.optional(),
  action: word.optional().describe('The action, such as `create`, `update` or `delete`.'),
  objectType: word.optional(),
  objectId: word.optional(),
  begin: instantQuery.optional(),
  end: instantQuery.optional(),
  limit: pageLimit(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: linkCursor,
})

const fields = z.record(z.string(), z.unknown()).nullable()

export const auditView = z
  .object({
    id: z.int(),
    at: timestamp,
    userId: z
      .int()
      .describe(
        'The user who made the change; 0 for the service itself and for callers who were not signed in.',
      ),
    username: z.string().describe('The username at that time.'),
    address: z.string().describe('The IP address of the request; empty if unknown.'),
    requestId: z.string(),
    action: z.string(),
    objectType: z.string(),
    objectId: z.string(),
    before: fields.describe('The previous values of the changed fields; null for a new object.'),
    after: fields.describe(
      'The new values of the same fields; null for a deleted object. Never contains secrets.',
    ),
  })
  .meta({ id: 'AuditEntry' })

export type AuditQuery = z.infer<typeof auditQuery>
export type AuditView = z.infer<typeof auditView>
