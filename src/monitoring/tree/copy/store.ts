import { sql } from 'drizzle-orm'
import type { SQL } from 'drizzle-orm'
import { idOfPath, isBelow } from '../../../../db/paths.ts'
import type { Database, Write } from '../../../ports/database.ts'

export type Copy = {
  /** The temporary path of the new device; a job has this path, a slash and its original's id. */
  readonly key: string
  readonly originalId: number
  readonly isInstance: boolean
  /** Null for the original's address. */
  readonly address: string | null
  /** Whether the new jobs have no collector of their own. */
  readonly inheritsCollector: boolean
  readonly stopped: boolean
  readonly createdAt: number
}

/** The number of jobs of a device, counted up to `max`. */
export async function countJobs(database: Database, deviceId: number, max: number): Promise<number> {
  const [row] = await database.all<{ total: number }>(
    sql`select count(*) as total
      from (select 1 from objects where parent_id = ${deviceId} and type = 'job' limit ${max})`,
  )
  return row?.total ?? 0
}

/** The rows of a copied device except the one in `objects`, and all rows of its jobs. Until `settleJobs`, the
 * `template_id` of a job is its original. */
export function copyRows(database: Database, copy: Copy): Write[] {
  const { originalId, createdAt, stopped } = copy
  const device = idOfPath(copy.key)
  return [
    database.run(sql`insert into devices (id, address, netmask, device_name, parameter)
      select ${device}, coalesce(${copy.address}, address), netmask, device_name, parameter
      from devices where id = ${originalId}`),
    database.run(sql`insert into properties (object_id, key, value, number)
      select ${device}, key, value, number from properties where object_id = ${originalId}`),
    database.run(sql`insert into objects (type, sub_type, name, name_folded, parent_id, path, is_template,
        instance_type, template_id, collector_id, version, created_at)
      select type, sub_type, name, name_folded, ${device}, ${copy.key} || '/' || id,
        case when ${flag(copy.isInstance)} then 0 else is_template end, ${copy.isInstance ? 'sub' : 'none'}, id,
        case when ${flag(copy.inheritsCollector)} then 0 else collector_id end, 1, ${createdAt}
      from objects where parent_id = ${originalId} and type = 'job'`),
    database.run(sql`insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds, forced_state,
        flapping)
      select n.id, j.interval, j.interval_ms, case when ${flag(stopped)} then 1 else j.stopped end, j.parameters,
        j.thresholds, j.forced_state, j.flapping
      from objects n join jobs j on j.id = n.template_id where ${isNewJob(copy)}`),
    database.run(sql`insert into job_values (job_id, key, name_folded)
      select n.id, v.key, v.name_folded
      from objects n join job_values v on v.job_id = n.template_id where ${isNewJob(copy)}`),
    database.run(sql`insert into properties (object_id, key, value, number)
      select n.id, p.key, p.value, p.number
      from objects n join properties p on p.object_id = n.template_id where ${isNewJob(copy)}`),
    database.run(sql`insert into states (object_id, seq, state, since_at)
      select n.id, 0, coalesce(j.forced_state, case when j.stopped then 'undefined' else 'ok' end), ${createdAt}
      from objects n join jobs j on j.id = n.id where ${isNewJob(copy)}`),
  ]
}

/** Copies dependencies: copies depend on the same objects as their originals, or on their copies if these were copied
 * too. Must come before `settleJobs`. */
export function copyDependencies(
  database: Database,
  { key, originalId }: Pick<Copy, 'key' | 'originalId'>,
): Write {
  return database.run(sql`
    with copied (old_id, new_id) as (
      select ${originalId}, id from objects where path = ${key}
      union all
      select template_id, id from objects where ${isBelow('path', key)})
    insert into dependencies (object_id, depends_on_id)
    select c.new_id, coalesce(target.new_id, d.depends_on_id)
    from copied c join dependencies d on d.object_id = c.old_id
      left join copied target on target.old_id = d.depends_on_id`)
}

/** Gives the new jobs their final paths, below the new device. */
export function settleJobs(database: Database, copy: Copy): Write[] {
  return [
    database.run(sql`update objects set
        template_id = case when ${flag(copy.isInstance)} then template_id end,
        path = (select g.path || d.id || '/' from objects d join objects g on g.id = d.parent_id
          where d.path = ${copy.key}) || id || '/'
      where ${isBelow('path', copy.key)}`),
  ]
}

function isNewJob({ key }: Copy): SQL {
  return isBelow('n.path', key)
}

function flag(value: boolean): SQL {
  return sql.raw(value ? '1' : '0')
}
