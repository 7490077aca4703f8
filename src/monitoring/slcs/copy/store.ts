import { sql } from 'drizzle-orm'
import { idOfPath } from '../../../../db/paths.ts'
import type { Database, Write } from '../../../ports/database.ts'

/** The terms of a copied container. A deleted original leaves `duration` empty, which fails the batch.
 * @param key the temporary path of the copy */
export function copyTerms(
  database: Database,
  key: string,
  { originalId, createdAt }: { readonly originalId: number; readonly createdAt: number },
): Write {
  return database.run(sql`
    insert into slcs (id, duration, reset_interval, time_zone, limit_percent, target_percent, warn_at_percent, active_time,
      next_at, frozen_until_at)
    select ${idOfPath(key)}, c.duration, c.reset_interval, c.time_zone, c.limit_percent,
      c.target_percent, c.warn_at_percent, c.active_time, ${createdAt}, ${createdAt}
    from (select 1) left join slcs c on c.id = ${originalId}`)
}
