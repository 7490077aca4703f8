import type { Context } from 'hono'
import type { Env } from '../../../http/policy.ts'
import { requireScript } from '../../scripts/service/changes.ts'

/** A call whose path names a script. */
export type ScriptCall = Context<Env, string, { out: { param: { script: string } } }>

/** @throws {Refusal} not_found */
export async function scriptOf(c: ScriptCall): Promise<number> {
  return (await requireScript(c.get('ports'), c.req.valid('param').script)).id
}

/** @throws {Refusal} not_found */
export async function namedOf(c: ScriptCall, id: string) {
  return { scriptId: await scriptOf(c), id }
}

/** Where a job is read. */
export function pathOf(
  c: ScriptCall,
  { scriptId, id }: { readonly scriptId: number; readonly id: string },
): string {
  return `${c.get('ports').settings.basePath}/scripts/${scriptId}/jobs/${id}`
}
