import { refuseStale } from '../../../http/preconditions.ts'
import { Refusal, noSuch } from '../../../lib/errors.ts'
import { retryOnConflict } from '../../../lib/retry.ts'
import { isNotNullViolation, isUniqueViolation } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import * as store from '../store.ts'
import type { ScriptChange, ScriptRow } from '../store.ts'

/** The writes of a change of a script, and the function that makes its answer of their results. */
export type ScriptWrite<Result> = {
  readonly change?: ScriptChange
  readonly writes: readonly Write[]
  readonly resultOf: (returned: readonly unknown[]) => Result
}

/** A script by its id, or by its name in any case. @throws {Refusal} not_found */
export async function requireScript(ports: Ports, ref: number | string): Promise<ScriptRow> {
  const row = await findScript(ports, typeof ref === 'string' && /^\d+$/.test(ref) ? Number(ref) : ref)
  if (!row) throw noSuch('script')
  return row
}

/** A script by its id, or by its name in any case; null for an unknown one. */
export function findScript({ database }: Ports, key: number | string): Promise<ScriptRow | null> {
  return store.findScript(database, typeof key === 'string' ? key.normalize('NFC') : key)
}

/** Changes a script: its settings, its tree, its configurations. `make` makes the writes from the current script, and again
 * when a concurrent request changes the script before the commit. A name is resolved once: a script that gets the name
 * meanwhile stays as it is.
 * @throws {Refusal} not_found; overloaded after 50 such conflicts; any error of `make` */
export async function changeScript<Result>(
  ports: Ports,
  ref: number | string,
  make: (script: ScriptRow) => Promise<ScriptWrite<Result>>,
): Promise<Result> {
  const { database, clock } = ports
  let key = ref
  return retryOnConflict(isChanged, async () => {
    const script = await requireScript(ports, key)
    key = script.id
    const { change, writes, resultOf } = await make(script)
    const updated = store.updateScript(database, script, { ...change, updatedAt: clock.now() })
    const [, ...returned] = await database.batch([updated, ...writes])
    return resultOf(returned)
  })
}

function isChanged(error: unknown): boolean {
  return isNotNullViolation(error, 'scripts.version')
}

/** @throws {Refusal} precondition_failed when `If-Match` names another version */
export function requireVersion({ version }: Pick<ScriptRow, 'version'>, ifMatch: number | null): void {
  refuseStale(ifMatch, version, 'script')
}

/** Tables in which names are unique. */
const NAMED = [
  'scripts',
  'script_groups',
  'run_configurations',
  'schedule_configurations',
  'webhook_tokens',
] as const

/** Does something that names something. @throws {Refusal} name_taken where something else of its kind has the name */
export async function refuseTakenName<Result>(write: () => Promise<Result>): Promise<Result> {
  try {
    return await write()
  } catch (error) {
    if (!NAMED.some((table) => isUniqueViolation(error, `${table}.name`))) throw error
    const fault = [{ pointer: '/name', message: 'is already used' }]
    throw new Refusal('name_taken', 'The name is already used.', fault)
  }
}
