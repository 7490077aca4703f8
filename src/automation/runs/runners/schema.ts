import * as z from 'zod'
import { idParam } from '../../../http/openapi-answers.ts'
import { RUNNER_KINDS } from '../../scripts/detection.ts'
import { ISOLATIONS } from '../../../domain/isolation.ts'

export const runnerPath = z.object({ id: idParam })

export const runnerView = z
  .object({
    id: z.int(),
    name: z.string(),
    labels: z.array(z.string()),
    capabilities: z.array(z.enum(RUNNER_KINDS)),
    isolation: z.enum(ISOLATIONS).describe('How strongly the runner isolates runs, best first.'),
    refusal: z.string().nullable().describe('Why the runner accepts no runs; null if it accepts them.'),
    slots: z.int().describe('How many runs the runner executes at once.'),
    running: z.int().describe('How many runs the runner executes now.'),
    os: z.string(),
    version: z.string(),
    present: z.boolean().describe('Whether the runner has called the service recently.'),
    registered: z.iso.datetime({ offset: true }),
    seen: z.iso.datetime({ offset: true }),
  })
  .meta({ id: 'Runner' })

export type RunnerView = z.infer<typeof runnerView>
