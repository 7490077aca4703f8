import type { D1Database, DurableObjectNamespace, R2Bucket } from '@cloudflare/workers-types'
import * as z from 'zod'

import { parseEnvironment, settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Settings } from '../../src/ports/settings.ts'
import type { FlowObject } from './flow-object.ts'
import type { JobObject } from './job-object.ts'

/** The bindings and variables of `wrangler.toml`, and the secret TIDEMARK_SECRET. */
export type Environment = {
  readonly DB: D1Database
  readonly FILES: R2Bucket
  readonly JOB: DurableObjectNamespace<JobObject>
  readonly FLOW: DurableObjectNamespace<FlowObject>
}

const edgeSchema = settingsSchema.extend({
  TIDEMARK_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe(
      'The key of this installation: `openssl rand -base64 32 | npx wrangler secret put TIDEMARK_SECRET`.',
    ),
})

/** @throws {RangeError} naming every variable that is wrong */
export function readEdgeSettings(environment: Environment): {
  settings: Settings
  key: Uint8Array<ArrayBuffer>
} {
  const variables = environment as unknown as Readonly<Record<string, unknown>>
  const values = parseEnvironment(edgeSchema, variables)
  return {
    settings: settingsOf(values),
    key: new Uint8Array(new TextEncoder().encode(values.TIDEMARK_SECRET)),
  }
}
