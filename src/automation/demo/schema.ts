import * as z from 'zod'
import { storableText } from '../../http/text-schemas.ts'

export const DEFAULT_SEED = 'wadden'

export const demoBody = z
  .strictObject({
    seed: storableText
      .min(1)
      .max(64)
      .describe('The same seed makes the same plant and the same values, relative to the present.'),
  })
  .meta({ examples: [{ seed: DEFAULT_SEED }] })

export const demoView = z
  .object({
    state: z
      .enum(['absent', 'making', 'running', 'removing'])
      .describe('`running`: the plant is complete, and a value of each job arrives every five minutes.'),
    seed: z.string().nullable(),
    progress: z.number().min(0).max(1).describe('The finished part of the making.'),
    groupId: z.int().nullable().describe('The group that holds the plant; null until it is made.'),
  })
  .meta({
    id: 'Demo',
    examples: [{ state: 'running', seed: DEFAULT_SEED, progress: 1, groupId: 4 }],
  })

export type DemoView = z.infer<typeof demoView>
