import { sql } from 'drizzle-orm'

import type { Context } from '../../src/context.ts'
import type { Database } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import type { State } from '../../src/domain/state.ts'
import { crossing } from './transition.ts'

const CREATED_AT = Date.parse('2025-01-01T00:00:00Z')

type Planted = {
  readonly id: number
  readonly type: 'group' | 'device' | 'job' | 'slo'
  readonly path: string
  readonly parentId?: number
}

/** Puts an object straight into the tree; a job is well. */
export async function plantObject(database: Database, { id, type, path, parentId }: Planted): Promise<void> {
  const above = parentId ?? Number(path.split('/').at(-3))
  await database.run(sql`insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template,
      instance_type, collector_id, version, created_at)
    values (${id}, ${type}, ${type}, ${`my ${type}`}, ${type}, ${above}, ${path}, 0, 'none', 0, 1, ${CREATED_AT})`)
  if (type !== 'job') return
  await database.run(
    sql`insert into states (object_id, seq, state, since_at) values (${id}, 0, 'ok', ${CREATED_AT})`,
  )
}

/** The context of an administrator. */
export function contextOf(ports: Ports): Context {
  const administrator = { userId: 1, username: 'admin', role: 'administrator', sessionHash: null } as const
  return { ports, requestId: 'test', caller: { kind: 'user', ...administrator } }
}

/** Tells a flow what the actors of jobs have seen. */
export class Teller {
  readonly #ports: Ports
  readonly #last = new Map<number, { seq: number; state: State }>()

  constructor(ports: Ports) {
    this.#ports = ports
  }

  async tell(objectId: number, to: State, instant: string, errorCode = 0): Promise<void> {
    const { seq, state: from } = this.#last.get(objectId) ?? { seq: 0, state: 'ok' as const }
    const at = Date.parse(instant)
    await this.#ports.flow.apply([
      crossing(objectId, { seq: seq + 1, at, detectedAt: at + 5, from, to, errorCode }),
    ])
    this.#last.set(objectId, { seq: seq + 1, state: to })
  }
}
