import { expect, test } from 'bun:test'

import { createGroup, groupIdOf } from '../../src/automation/scripts/groups/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import { importScript } from '../../src/automation/scripts/service/import.ts'
import type { Context } from '../../src/context.ts'
import { commentOnAlarm } from '../../src/monitoring/alarm-inbox/service.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { insertAlarm } from '../flow/insert-alarm.ts'
import { rejection } from './rejection.ts'

type Bound = {
  readonly of: string
  readonly max: number
  /** A statement that adds rows up to one below the bound. */
  readonly fill: string
  readonly count: string
  readonly add: (context: Context, name: string) => Promise<unknown>
}

/** The numbers from 1 to a last one, as the table `n`. */
const upTo = (last: number | string) =>
  `with recursive n (i) as (select 1 union all select i + 1 from n where i < ${last})`

const SCRIPTS = 'from scripts where id > 0'
const SCRIPT_GROUPS = 'from script_groups where id > 0'
const fillScripts = `
  insert into scripts (name, description, group_id, timeout_s, accepted_files, detection, version, created_at, updated_at)
  ${upTo(`1999 - (select count(*) ${SCRIPTS})`)}
  select 'filled ' || i, '', group_id, 0, '[]', detection, 1, 0, 0
  from n cross join (select * ${SCRIPTS} limit 1)`

const BOUNDS: readonly Bound[] = [
  {
    of: 'scripts',
    max: 2_000,
    fill: fillScripts,
    count: SCRIPTS,
    add: (context, name) => createScript(context, scriptBody.parse({ name })),
  },
  {
    of: 'imported scripts',
    max: 2_000,
    fill: fillScripts,
    count: SCRIPTS,
    add: (context, name) =>
      importScript(
        context,
        { name, groupId: () => groupIdOf(context.ports, undefined), entries: [], settings: null },
        { overwrite: false },
      ),
  },
  {
    of: 'groups of scripts',
    max: 200,
    fill: `insert into script_groups (name, description, created_at, updated_at)
      ${upTo(`199 - (select count(*) ${SCRIPT_GROUPS})`)} select 'filled ' || i, '', 0, 0 from n`,
    count: SCRIPT_GROUPS,
    add: (context, name) => createGroup(context, { name, description: '' }),
  },
  {
    of: 'comments on an alarm',
    max: 1_000,
    fill: `insert into alarm_comments (alarm_id, user_id, text, created_at)
      ${upTo('999 - (select count(*) from alarm_comments)')} select 1, 1, 'filled', 0 from n`,
    count: 'from alarm_comments',
    async add(context, name) {
      await insertAlarm(context.ports.database)
      return commentOnAlarm(context, 1, name)
    },
  },
]

onEachDatabase((callers) => {
  for (const { of, max, fill, count, add } of BOUNDS) {
    test(`there are ${max} ${of}, and no more when two are added at the same time`, async () => {
      const { context, after } = callers()
      const { database } = context.ports
      await add(context, `first of ${of}`)
      await database.run(fill)
      const racing = after(() => add(context, `other of ${of}`))
      expect(await rejection(add(racing, `one too many of ${of}`))).toMatchObject({ code: 'conflict' })
      const [row] = await database.all<{ total: number }>(`select count(*) as total ${count}`)
      expect(row?.total).toBe(max)
      await database.run(`delete ${count}`)
    })
  }
})
