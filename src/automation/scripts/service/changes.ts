import { Refusal, stale } from '../../../lib/errors.ts'
import { commit, isNotNullViolation, isUniqueViolation } from '../../../ports/database.ts'
import type { Write } from '../../../ports/database.ts'
import type { Ports } from '../../../ports/index.ts'
import * as store from '../store.ts'
import type { ScriptChange, ScriptRow } from '../store.ts'

/** Each time that one has to begin anew somebody else has changed the script. */
const TRIES_MAX = 50

/** What a change of a script writes, and what is answered once that is kept. */
export type ScriptWrite<Result> = {
  readonly change?: ScriptChange
  readonly writes: readonly Write[]
  readonly result: Result
}

/** A script by its id, or by its name in whatever case. @throws {Refusal} not_found */
export async function requireScript(ports: Ports, ref: number | string): Promise<ScriptRow> {
  const row = await findScript(ports, typeof ref === 'string' && /^\d+$/.test(ref) ? Number(ref) : ref)
  if (!row) throw new Refusal('not_found', 'There is no such script.')
  return row
}

/** A script by its id, or by its name in whatever case; null where there is none. */
export function findScript({ database }: Ports, key: number | string): Promise<ScriptRow | null> {
  return store.findScript(database, typeof key === 'string' ? key.normalize('NFC') : key)
}

/** Changes something of a script: its settings, its tree, its configurations. `make` looks at what is there and says what to
 * write; when somebody else changes the script meanwhile, it looks anew. So what it saw holds in the commit.
 * @throws {Refusal} not_found, what `make` throws, overloaded when others are faster 50 times */
export async function changeScript<Result>(
  ports: Ports,
  ref: number | string,
  make: (script: ScriptRow) => Promise<ScriptWrite<Result>>,
): Promise<Result> {
  const { database, clock } = ports
  for (let tries = 0; tries < TRIES_MAX; tries++) {
    const script = await requireScript(ports, ref)
    const { change, writes, result } = await make(script)
    const noted = store.updateScript(database, script, { ...change, updatedAt: clock.now() })
    try {
      await commit(database, [noted, ...writes])
      return result
    } catch (error) {
      if (!isNotNullViolation(error, 'scripts.version')) throw error
    }
  }
  throw new Refusal(
    'overloaded',
    'The script is being changed by too many concurrent requests. Try again shortly.',
  )
}

/** @throws {Refusal} precondition_failed when `If-Match` names another version */
export function requireVersion({ version }: Pick<ScriptRow, 'version'>, ifMatch: number | null): void {
  if (ifMatch !== null && ifMatch !== version) throw stale('script')
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
