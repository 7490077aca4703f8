import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { problemSchema } from '../../../http/problem.ts'

export const refusalView = z
  .object({
    at: timestamp.describe('When the delivery was refused.'),
    code: problemSchema.shape.code.describe('The code of the problem document.'),
    detail: z.string(),
    errors: problemSchema.shape.errors.describe('The first ten faults, with pointers into the body.'),
    sender: z
      .object({
        userId: z.int().nullable(),
        username: z.string().nullable(),
        tokenName: z.string().nullable().describe('The name of the personal token or of the ping token.'),
        address: z
          .string()
          .nullable()
          .describe('The network address; null for callers without the right to write.'),
        agent: z.string().nullable().describe('The user agent; null for callers without the right to write.'),
      })
      .describe('The sender; null for each part that is not known.'),
    excerpt: z
      .string()
      .nullable()
      .describe(
        'The start of the body as JSON, in which the values of unknown fields are `…`; null for a body that is not JSON or was not read.',
      ),
  })
  .meta({
    id: 'RefusedDelivery',
    examples: [
      {
        at: '2026-03-02T08:30:00.000+01:00',
        code: 'value_not_defined',
        detail: 'The job does not define these values.',
        errors: [{ pointer: '/returnValue2', message: 'is not defined in the parameters of the job' }],
        sender: {
          userId: 4,
          username: 'sensor',
          tokenName: 'cold store',
          address: '192.0.2.10',
          agent: 'curl/8.5.0',
        },
        excerpt: '{"returnValue2":21.5}',
      },
    ],
  })

export type RefusalView = z.infer<typeof refusalView>
