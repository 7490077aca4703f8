import * as z from 'zod'
import { timestamp } from '../../../http/instants.ts'
import { ISOLATIONS } from '../../../domain/isolation.ts'
import { RUN_KINDS } from '../protocol.ts'

export const runnerView = z
  .object({
    id: z.int(),
    name: z.string(),
    labels: z.array(z.string()),
    capabilities: z.array(z.enum(RUN_KINDS)),
    forecastKinds: z
      .array(z.string())
      .optional()
      .describe('The kinds of forecasts that files of the operator define.'),
    forecastRefusal: z
      .string()
      .nullable()
      .optional()
      .describe('Why the runner leaves files of forecasts out; null if it does not.'),
    isolation: z.enum(ISOLATIONS).describe('How strongly the runner isolates runs, best first.'),
    refusal: z.string().nullable().describe('Why the runner accepts no runs; null if it accepts them.'),
    slots: z.int().describe('How many runs the runner executes at once.'),
    running: z.int().describe('How many runs the runner executes now.'),
    os: z.string(),
    version: z.string(),
    present: z.boolean().describe('Whether the runner has called the service recently.'),
    registered: timestamp,
    seen: timestamp,
  })
  .meta({ id: 'Runner' })

export type RunnerView = z.infer<typeof runnerView>
