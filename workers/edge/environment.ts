import type { D1Database, DurableObjectNamespace, Fetcher, R2Bucket } from '@cloudflare/workers-types'
import * as z from 'zod'

import { parseEnvironment, strangeVariables, unusable } from '../../src/ports/environment.ts'
import { settingsOf, settingsSchema } from '../../src/ports/settings.ts'
import type { Settings } from '../../src/ports/settings.ts'
import type { DispatchObject } from './dispatch-object.ts'
import type { EventsObject } from './events-object.ts'
import type { FlowObject } from './flow-object.ts'
import type { PermitsObject } from './permits-object.ts'
import type { JobObject } from './job-object.ts'
import type { TablesObject } from './tables-object.ts'
import type { Ai } from './workers-ai.ts'

/** The bindings and variables of `wrangler.toml`, and the secret TIDEMARK_SECRET. */
export type Environment = {
  readonly DB: D1Database
  readonly FILES: R2Bucket
  /** The built web console. */
  readonly ASSETS: Fetcher
  readonly JOB: DurableObjectNamespace<JobObject>
  readonly FLOW: DurableObjectNamespace<FlowObject>
  readonly EVENTS: DurableObjectNamespace<EventsObject>
  readonly DISPATCH: DurableObjectNamespace<DispatchObject>
  readonly PERMITS: DurableObjectNamespace<PermitsObject>
  readonly TABLES: DurableObjectNamespace<TablesObject>
  /** Workers AI; without it machine translation needs TIDEMARK_TRANSLATION_URL. */
  readonly AI?: Ai
}

const edgeSchema = settingsSchema.extend({
  TIDEMARK_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe(
      'The key of this installation: `openssl rand -base64 32 | npx wrangler secret put TIDEMARK_SECRET`.',
    ),
  TIDEMARK_SECRET_FORMER: z
    .string()
    .default('')
    .transform((text) => text.split(',').filter((secret) => secret !== ''))
    .refine(
      (secrets) => secrets.every(({ length }) => length >= 32),
      'must have at least 32 characters in each entry',
    )
    .describe(
      'Comma-separated former keys, the latest first: data that was encrypted with them stays readable.',
    ),
})

/** @throws {RangeError} naming every variable that is wrong */
export function readEdgeSettings(environment: Environment): {
  settings: Settings
  key: Uint8Array<ArrayBuffer>
  formerKeys: readonly Uint8Array<ArrayBuffer>[]
} {
  const variables = environment as unknown as Readonly<Record<string, unknown>>
  const values = parseEnvironment(edgeSchema, variables)
  const settings = settingsOf(values)
  refuseUnreachable(settings)
  return {
    settings,
    key: bytesOf(values.TIDEMARK_SECRET),
    formerKeys: values.TIDEMARK_SECRET_FORMER.map(bytesOf),
  }
}

/** The variables that have no effect, each in a sentence for the operator. */
export function settingWarnings(environment: Environment): readonly string[] {
  return strangeVariables(edgeSchema, environment)
}

/** workerd's `node:tls` accepts only certificates of publicly trusted authorities, and cannot upgrade a connection to TLS
 * after reading from it. */
function refuseUnreachable({ ldap }: Settings): void {
  if (!ldap) return
  const problems = [
    ...(ldap.startTls
      ? ['TIDEMARK_LDAP_URL must be an ldaps: URL on Workers, which do not support StartTLS.']
      : []),
    ...(ldap.ca === null
      ? []
      : ['TIDEMARK_LDAP_CA has no effect on Workers, which trust public authorities only. Remove it.']),
    ...(ldap.verifies ? [] : ['TIDEMARK_LDAP_TLS_VERIFY cannot be off on Workers.']),
  ]
  if (problems.length > 0) throw unusable(problems)
}

function bytesOf(secret: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new TextEncoder().encode(secret))
}
