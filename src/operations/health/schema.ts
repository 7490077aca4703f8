import * as z from 'zod'
import { timestamp } from '../../http/instants.ts'
import { ISOLATIONS } from '../../domain/isolation.ts'

const checkView = z.object({
  status: z.enum(['ok', 'failed']),
  detail: z.string().optional().describe('Why the check failed, and what to do about it.'),
})

const warningView = z
  .object({
    code: z.string().describe('A fixed name of the condition, for monitoring rules.'),
    detail: z.string().describe('The condition in one sentence, and what to do about it.'),
  })
  .meta({ id: 'HealthWarning' })

const ingestGapView = z
  .object({ from: timestamp, to: timestamp })
  .describe(
    'The latest time during which this process could not receive or store deliveries: it was paused or down, its clock was set ahead, or storage was unavailable. Timeouts of jobs were extended by that time.',
  )

const scriptsView = z
  .object({
    runners: z.int().describe('Number of runners that accept jobs.'),
    refusing: z
      .int()
      .describe('Number of registered runners that accept no jobs; `GET /runners` gives the reasons.'),
    isolation: z
      .enum(ISOLATIONS)
      .nullable()
      .describe('The weakest isolation level among the runners; levels are listed best first.'),
    waiting: z.int().describe('Number of runs that wait for a runner.'),
    waitingSeconds: z.int().describe('How long the oldest waiting run has waited.'),
  })
  .meta({ id: 'ScriptHealth' })

export const readyView = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.record(z.string(), checkView),
  warnings: z.array(warningView).describe('Conditions that need an operator although the service is ready.'),
  lastIngestGap: ingestGapView.nullable(),
  scripts: scriptsView.nullable().describe('The status of the script runners; null while it is unknown.'),
})

export const versionView = z.object({
  interface: z.string().describe('The implemented release of the interface.'),
  tidemark: z.string(),
})

export const frontView = z.object({
  name: z.literal('Tidemark'),
  interface: z.string(),
  tidemark: z.string(),
  links: z
    .object({
      openapi: z.string(),
      docs: z.string(),
      readyz: z.string(),
      version: z.string(),
      token: z.string(),
    })
    .describe('Paths of this service; `POST` to `token` logs in.'),
})

export type FrontView = z.infer<typeof frontView>
export type Check = z.infer<typeof checkView>
export type ScriptHealth = z.infer<typeof scriptsView>
export type Warning = z.infer<typeof warningView>
export type Readiness = z.infer<typeof readyView>
