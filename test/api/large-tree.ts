import { sql } from 'drizzle-orm'

import { commit } from '../../src/ports/database.ts'
import type { Database } from '../../src/ports/database.ts'

export type Size = { readonly groups: number; readonly devices: number; readonly jobs: number }

/** Fills an empty tree: groups below the root, devices and jobs spread evenly, with properties, values and states of
 * which some are rare and some are everywhere. */
export async function plantTree(database: Database, { groups, devices, jobs }: Size): Promise<void> {
  const firstDevice = groups + 2
  const firstJob = firstDevice + devices
  const number = (value: number) => sql.raw(String(value))
  const upTo = (count: number) =>
    sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < ${number(count - 1)})`
  const object =
    sql.raw(`insert into objects (id, type, sub_type, name, name_folded, parent_id, path, is_template,
    instance_type, collector_id, version, created_at)`)
  const rest = sql.raw(`0, 'none', 0, 1, 0`)
  const group = sql`(2 + i % ${number(groups)})`
  const device = sql`(${number(firstDevice)} + i % ${number(devices)})`
  const groupOfDevice = sql`(2 + (i % ${number(devices)}) % ${number(groups)})`
  const jobId = sql`(${number(firstJob)} + i)`
  await commit(database, [
    database.run(sql`${object} ${upTo(groups)}
      select 2 + i, 'group', 'group', 'Group ' || i, 'group ' || i, 1, '/1/' || (2 + i) || '/', ${rest} from n`),
    database.run(sql`${object} ${upTo(devices)}
      select ${number(firstDevice)} + i, 'device', case when i % 50 = 0 then 'router' else 'server' end, 'Device ' || i,
        'device ' || i, ${group}, '/1/' || ${group} || '/' || (${number(firstDevice)} + i) || '/', ${rest} from n`),
    database.run(sql`${object} ${upTo(jobs)}
      select ${jobId}, 'job', 'webcollector', 'Job ' || (i / ${number(devices)}) || ' of device ' || (i % ${number(devices)}),
        'job ' || (i / ${number(devices)}) || ' of device ' || (i % ${number(devices)}), ${device},
        '/1/' || ${groupOfDevice} || '/' || ${device} || '/' || ${jobId} || '/', ${rest} from n`),
    database.run(sql`insert into devices (id, address, netmask, device_name, parameter) ${upTo(devices)}
      select ${number(firstDevice)} + i, '10.' || (i / 65536) || '.' || (i / 256 % 256) || '.' || (i % 256),
        case when i % 100 = 0 then '255.0.0.0' else '' end, '', '{}' from n`),
    database.run(sql`insert into jobs (id, interval, interval_ms, stopped, parameters, thresholds) ${upTo(jobs)}
      select ${jobId}, case when i % 100 = 0 then 'PT1H' else 'PT5M' end,
        case when i % 100 = 0 then 3600000 else 300000 end, i % 200 = 0, '{}', '{}' from n`),
    database.run(sql`insert into job_values (job_id, key, name_folded) ${upTo(jobs)}
      select ${jobId}, 'returnValue1', 'round trip' from n`),
    database.run(sql`insert into job_values (job_id, key, name_folded) ${upTo(jobs / 100)}
      select ${number(firstJob)} + i * 100, 'returnValue2', 'loss ' || i from n`),
    database.run(sql`insert into states (object_id, seq, alarmed_seq, state, since_at) ${upTo(jobs)}
      select ${jobId}, 1, 1, case when i % 500 = 0 then 'major' else 'ok' end, 0 from n`),
    database.run(sql`insert into properties (object_id, key, value, number) ${upTo(devices)}
      select ${number(firstDevice)} + i, 'serial', 'SN-' || i, null from n`),
    database.run(sql`insert into properties (object_id, key, value, number) ${upTo(devices)}
      select ${number(firstDevice)} + i, 'rack', i % 100, i % 100 from n`),
    database.run(sql`insert into properties (object_id, key, value, number) ${upTo(groups)}
      select 2 + i, 'owner', 'team ' || i, null from n`),
  ])
}
