import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { durationMs, isFixedDuration } from '../../lib/duration.ts'

const WAIT_MAX_MS = 60_000
const STATES = ['queued', 'running', 'succeeded', 'failed', 'cancelled'] as const

/** The parameter `wait` of a route with long work. Its output is in milliseconds. */
export function waitQuery(description: string) {
  return z
    .string()
    .max(64)
    .refine((text) => isFixedDuration(text, WAIT_MAX_MS), 'must be an ISO 8601 duration of at most a minute')
    .transform(durationMs)
    .optional()
    .meta({ type: 'string', format: 'duration', examples: ['PT5S'] })
    .describe(description)
}

export const operationPath = z.object({
  id: z.string().regex(/^op_[0-9A-HJKMNP-TV-Z]{26}$/, 'must be the id of an operation'),
})

export const operationView = z
  .object({
    id: z.string().meta({ examples: ['op_01KAX3V6Y8Q4ZJ0N5T7W9B2C1D'] }),
    kind: z
      .string()
      .describe('The kind of work, such as `backup`.')
      .meta({ examples: ['backup'] }),
    subject: z
      .string()
      .describe('The path of the object.')
      .meta({ examples: ['/backups'] }),
    state: z.enum(STATES),
    progress: z.number().min(0).max(1).nullable().describe('From 0 to 1; null if unknown.'),
    createdAt: timestamp,
    startedAt: timestamp.nullable(),
    endedAt: timestamp.nullable(),
    cancelRequested: z.boolean().describe('True from the request to cancel on.'),
    retryAfter: z
      .string()
      .nullable()
      .describe('When to read the operation again; null once it has ended.')
      .meta({ format: 'duration', examples: ['PT1S'] }),
    error: z
      .object({
        code: z
          .string()
          .describe('A code of problem documents, or `operation_lost`.')
          .meta({ examples: ['operation_lost'] }),
        detail: z.string(),
        errors: z.array(z.object({ pointer: z.string(), message: z.string() })),
      })
      .nullable()
      .describe('Why the operation failed.'),
    resultUrl: z
      .string()
      .nullable()
      .describe('The path of the result, for an hour after the end.')
      .meta({ examples: ['/operations/op_01KAX3V6Y8Q4ZJ0N5T7W9B2C1D/result'] }),
  })
  .meta({ id: 'Operation' })

export type OperationState = (typeof STATES)[number]
export type OperationView = z.output<typeof operationView>
