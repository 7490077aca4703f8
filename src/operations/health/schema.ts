import * as z from 'zod'
import { ISOLATIONS } from '../../automation/runs/protocol.ts'

const checkView = z.object({
  status: z.enum(['ok', 'failed']),
  detail: z.string().optional().describe('Why the check failed and what to do about it.'),
})

const warningView = z
  .object({
    code: z.string().describe('A fixed name of the condition, for monitoring rules.'),
    detail: z.string().describe('The condition in one sentence, and what to do about it.'),
  })
  .meta({ id: 'HealthWarning' })

const deafView = z
  .object({ from: z.iso.datetime({ offset: true }), to: z.iso.datetime({ offset: true }) })
  .describe(
    'When this process last received or took nothing: it stood still, was away, its clock was set ahead, or deliveries were refused because they could not be stored.',
  )

const scriptsView = z
  .object({
    runners: z.int().describe('How many nodes take jobs.'),
    refusing: z.int().describe('How many are there and take none, as `GET /runners` says why.'),
    isolation: z
      .enum(ISOLATIONS)
      .nullable()
      .describe('How jobs are kept apart from everything else where that is done least; best first.'),
    waiting: z.int(),
    waitingSeconds: z.int().describe('How long the oldest job that waits has waited.'),
  })
  .meta({ id: 'ScriptHealth' })

export const readyView = z.object({
  status: z.enum(['ok', 'failed']),
  checks: z.record(z.string(), checkView),
  warnings: z
    .array(warningView)
    .describe('Conditions that an operator should end although the service can do its work.'),
  lastDeaf: deafView.nullable(),
  scripts: scriptsView.nullable().describe('Null while nobody can say.'),
})

export const versionView = z.object({
  interface: z.string().describe('The release of the interface that this service speaks.'),
  tidemark: z.string(),
})

export const frontView = z.object({
  name: z.literal('Tidemark'),
  interface: z.string(),
  tidemark: z.string(),
  links: z
    .object({ openapi: z.string(), readyz: z.string(), version: z.string(), token: z.string() })
    .describe('Paths of this service. `POST` to `token` signs in.'),
})

export type FrontView = z.infer<typeof frontView>
export type Check = z.infer<typeof checkView>
export type ScriptHealth = z.infer<typeof scriptsView>
export type Warning = z.infer<typeof warningView>
export type Readiness = z.infer<typeof readyView>
