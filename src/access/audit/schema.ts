import * as z from 'zod'
import { idParam } from '../../http/openapi-answers.ts'
import { instantQuery } from '../../http/instants.ts'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const word = z.string().min(1).max(64)

export const auditQuery = z.object({
  userId: idParam.optional(),
  action: word.optional().describe('Such as `create`, `update`, `delete`.'),
  objectType: word.optional(),
  objectId: word.optional(),
  begin: instantQuery.optional(),
  end: instantQuery.optional(),
  limit: z.coerce.number().int().min(1).max(LIMIT_MAX).default(LIMIT_DEFAULT),
  cursor: z.string().max(4096).optional().describe('From the Link header of the page before.'),
})

const fields = z.record(z.string(), z.unknown()).nullable()

export const auditView = z
  .object({
    id: z.int(),
    at: z.iso.datetime({ offset: true }),
    userId: z.int().describe('0: the service itself, or nobody who was signed in.'),
    username: z.string().describe('As it was then.'),
    address: z.string().describe('Where the request came from; empty where that is not known.'),
    requestId: z.string(),
    action: z.string(),
    objectType: z.string(),
    objectId: z.string(),
    before: fields.describe('The fields that changed, as they were; null for what is new.'),
    after: fields.describe('The same fields afterwards; null for what has gone. Never secrets.'),
  })
  .meta({ id: 'AuditEntry' })

export type AuditQuery = z.infer<typeof auditQuery>
export type AuditView = z.infer<typeof auditView>
