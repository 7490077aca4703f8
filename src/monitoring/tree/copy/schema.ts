import * as z from 'zod'
import { flagQuery, idParam } from '../../../http/openapi-answers.ts'
import { nameSchema, storableText } from '../../../http/text-schemas.ts'

/** Specification: Devices, copy. */
export const copyQuery = z.object({
  destinationName: nameSchema,
  destinationAddress: storableText
    .max(255)
    .optional()
    .describe('The address of the new device; if absent, the address of the original.'),
  parentType: z.literal('group').default('group'),
  parentId: idParam.optional().describe('The group of the copy; if absent, the group of the original.'),
  destinationType: z
    .enum(['instance', 'none'])
    .default('instance')
    .describe('`instance`: the copy is an instance of the template; `none`: a plain copy.'),
  collectorId: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .meta({ type: 'integer' })
    .optional()
    .describe(
      'The collector of the new device and of all its jobs; if absent, the collectors of the originals.',
    ),
  jobsStopped: flagQuery
    .default(false)
    .describe('Whether the new jobs are stopped until a user starts them.'),
})

export type CopyQuery = z.infer<typeof copyQuery>
