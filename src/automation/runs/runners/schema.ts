import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { RUNNER_KINDS } from '../../scripts/detection.ts'
import { ISOLATIONS } from '../protocol.ts'

export const runnerPath = z.object({ id: idParam })

export const runnerView = z
  .object({
    id: z.int(),
    name: z.string(),
    labels: z.array(z.string()),
    capabilities: z.array(z.enum(RUNNER_KINDS)),
    isolation: z.enum(ISOLATIONS).describe('How it keeps jobs apart from everything else, best first.'),
    refusal: z.string().nullable().describe('Why it takes no jobs; null where it does.'),
    slots: z.int().describe('How many jobs it does at once.'),
    running: z.int().describe('How many it has.'),
    os: z.string(),
    version: z.string(),
    present: z.boolean().describe('Whether it was heard of lately.'),
    registered: z.iso.datetime({ offset: true }),
    seen: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Runner' })

export type RunnerView = z.infer<typeof runnerView>
