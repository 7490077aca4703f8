import { sql } from 'drizzle-orm'
import { eachOf } from '../../../../db/lists.ts'
import type { Database } from '../../../ports/database.ts'
import type { State } from '../../../domain/state.ts'
import { shownState } from '../propagation.ts'
import type { Link, Push } from '../propagation.ts'
import { BAD_STATES } from '../reasons.ts'
import type { CountedChild } from '../reasons.ts'

type Row = Omit<CountedChild, 'isReason' | 'shown'> & {
  readonly isReason: number
  readonly push: Push
  readonly overrides: string
}

/** The children of these objects that are bad or count as bad, worst first, at most `limit`. */
export async function readBadChildren(
  database: Database,
  parents: readonly number[],
  limit: number,
): Promise<readonly CountedChild[]> {
  const given = sql`${eachOf(parents)} parent`
  const shown = sql`o.type as type, o.id as id, o.name as name, coalesce(s.state, 'undefined') as state,
    coalesce(slo.is_reason, 0) as "isReason", coalesce(slo.push_state, 'any') as push`
  const joins = sql`left join states s on s.object_id = o.id left join slos slo on slo.id = o.id`
  const bad = sql.raw(`s.state in (${BAD_STATES.map((state) => `'${state}'`).join(', ')})`)
  const rank = sql.raw(BAD_STATES.map((state, index) => `when '${state}' then ${index}`).join(' '))
  const rows = await database.all<Row>(sql`
    select * from (
      select parent.value as "parentId", ${shown}, '{}' as overrides
      from ${given} cross join objects o on o.parent_id = parent.value ${joins} where ${bad}
      union all
      select parent.value as "parentId", ${shown}, l.overrides as overrides
      from ${given} cross join links l on l.parent_id = parent.value and not l.is_left_out
        join objects o on o.id = l.child_id ${joins} where ${bad} or l.overrides <> '{}')
    order by case state ${rank} else ${BAD_STATES.length} end, id limit ${limit}`)
  return rows.map(({ isReason, push, overrides, ...row }) => ({
    ...row,
    isReason: isReason === 1,
    shown: shownOf(row.state, push, overrides),
  }))
}

function shownOf(state: State, push: Push, overrides: string): State {
  return shownState(state, push, JSON.parse(overrides) as Link['overrides'])
}
