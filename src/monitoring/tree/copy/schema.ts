import * as z from 'zod'
import { flagQuery, idParam } from '../../../http/openapi-answers.ts'
import { storableText } from '../../../http/text-schemas.ts'
import { nameSchema } from '../schema.ts'

/** Specification: Devices, copy. */
export const copyQuery = z.object({
  destinationName: nameSchema,
  destinationAddress: storableText.max(255).optional().describe('The original’s when absent.'),
  parentType: z.literal('group').default('group'),
  parentId: idParam.optional().describe('The original’s parent when absent.'),
  destinationType: z
    .enum(['instance', 'none'])
    .default('instance')
    .describe('`instance` of a template, or `none`: a plain copy.'),
  collectorId: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .meta({ type: 'integer' })
    .optional()
    .describe('Runs the new device and all its jobs; those of the originals when absent.'),
  jobsStopped: flagQuery.default(false).describe('The new jobs do not run until they are started.'),
})

export type CopyQuery = z.infer<typeof copyQuery>
