import { beforeAll, expect, test } from 'bun:test'

import { createGroup, groupIdOf } from '../../src/automation/scripts/groups/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript } from '../../src/automation/scripts/service.ts'
import { importScript } from '../../src/automation/scripts/service/import.ts'
import { grant } from '../../src/access/rights/service.ts'
import { MEMBERS_MAX } from '../../src/access/user-groups/schema.ts'
import { updateGroupsOf, updateMembers } from '../../src/access/user-groups/service.ts'
import { registerRunner } from '../../src/automation/runs/runners/service.ts'
import { saveFile } from '../../src/content/files/service.ts'
import { createStyle, replaceStyle } from '../../src/content/styles/service.ts'
import type { Context } from '../../src/context.ts'
import { changeTexts } from '../../src/content/translations/service.ts'
import { commentOnAlarm } from '../../src/monitoring/alarm-inbox/service.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { insertAlarm } from '../flow/insert-alarm.ts'
import { ABOUT, RUNNER_TOKEN } from '../runs/fake-runner.ts'
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
    async add(context, name) {
      const group = await groupIdOf(context.ports, undefined)
      return importScript(context, { name, group, entries: [], settings: null }, { overwrite: false })
    },
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
    of: 'groups of imported scripts',
    max: 200,
    fill: `insert into script_groups (name, description, created_at, updated_at)
      ${upTo(`199 - (select count(*) ${SCRIPT_GROUPS})`)} select 'filled ' || i, '', 0, 0 from n`,
    count: SCRIPT_GROUPS,
    add: (context, name) =>
      importScript(context, { name, group: name, entries: [], settings: null }, { overwrite: false }),
  },
  {
    of: 'styles',
    max: 100,
    fill: `insert into styles (name, text, digest, updated_at)
      ${upTo('99 - (select count(*) from styles)')} select 'filled ' || i, '', '', 0 from n`,
    count: 'from styles',
    add: (context, name) => replaceStyle(context, name, new Uint8Array()),
  },
  {
    of: 'new styles',
    max: 100,
    fill: `insert into styles (name, text, digest, updated_at)
      ${upTo('99 - (select count(*) from styles)')} select 'filled ' || i, '', '', 0 from n`,
    count: 'from styles',
    add: (context, name) => createStyle(context, name, new Uint8Array()),
  },
  {
    of: 'texts of a language',
    max: 5_000,
    fill: `insert into translations (language, key, text, updated_at)
      ${upTo("4999 - (select count(*) from translations where language = 'de')")} select 'de', 'filled ' || i, '', 0 from n`,
    count: "from translations where language = 'de'",
    add: (context, name) => addText(context, 'de', name),
  },
  {
    of: 'languages',
    max: 200,
    fill: `insert into translations (language, key, text, updated_at)
      ${upTo('199 - (select count(distinct language) from translations)')} select 'x-' || i, 'filled', '', 0 from n`,
    count: 'from translations',
    add: (context, name) => addText(context, name, name),
  },
  {
    of: 'files',
    max: 10_000,
    fill: `insert into files (name, mime_type, size_bytes, blob, updated_at)
      ${upTo('9999 - (select count(*) from files)')} select 'filled ' || i, '', 0, 'filled ' || i, 0 from n`,
    count: 'from files',
    add: (context, name) =>
      saveFile(context, { name: `${name}.txt`, type: 'text/plain', chunks: oneChunk() }),
  },
  {
    of: 'runners',
    max: 1_000,
    fill: `insert into runners (name, token_hash, about, registered_at, seen_at)
      ${upTo('999 - (select count(*) from runners)')} select 'filled ' || i, 'filled ' || i, '{}', 0, 0 from n`,
    count: 'from runners',
    async add(context, name) {
      const settings = { ...context.ports.settings, runnerToken: RUNNER_TOKEN }
      const headers = { authorization: `Bearer ${RUNNER_TOKEN}` }
      const request = new Request('http://host.example/runners', { headers })
      const ports = { ...context.ports, settings }
      return registerRunner({ ...context, request, ports }, { ...ABOUT, name })
    },
  },
  {
    of: 'users of a user group',
    max: MEMBERS_MAX,
    fill: `insert into memberships (user_id, group_id) select id, 1 from users where id > 3 and id < ${MEMBERS_MAX + 2}`,
    count: 'from memberships',
    add: (context, name) => updateMembers(context, 1, { userIds: [userNamed(name)], mode: 'merge' }),
  },
  {
    of: 'users of a user group, by the groups of a user',
    max: MEMBERS_MAX,
    fill: `insert into memberships (user_id, group_id) select id, 1 from users where id > 3 and id < ${MEMBERS_MAX + 2}`,
    count: 'from memberships',
    add: (context, name) => updateGroupsOf(context, userNamed(name), { groupIds: [1], mode: 'merge' }),
  },
  {
    of: 'grantees of an object',
    max: 200,
    fill: `insert into grants (object_id, user_id, write, execute, maintain)
      select 2, id, 0, 0, 0 from users where id > 3 and id < 202`,
    count: 'from grants where object_id = 2',
    add: (context, name) => grant(context, 2, { ...VIEW, subjectId: userNamed(name) }),
  },
  {
    of: 'objects with grants of a user',
    max: 1_000,
    fill: `insert into grants (object_id, user_id, write, execute, maintain)
      select id, 1, 0, 0, 0 from objects where id > 3 and id < 1002`,
    count: 'from grants where user_id = 1',
    add: (context, name) => grant(context, userNamed(name), { ...VIEW, subjectId: 1 }),
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

/** The users of three callers; further users have higher ids. */
const userNamed = (name: string) => ['first', 'other', 'one'].indexOf(name.split(' ', 1)[0] ?? '') + 1
const VIEW = { subjectType: 'user', write: false, execute: false, maintain: false } as const

const addText = (context: Context, language: string, key: string) =>
  changeTexts(context, { kind: 'merge', language, texts: [{ key, text: 'text' }] })

async function* oneChunk() {
  yield await Promise.resolve(new TextEncoder().encode('text'))
}

onEachDatabase((callers) => {
  beforeAll(async () => {
    const { database } = callers().context.ports
    await database.run(`insert into users (username, role, type, fullname, email, phone, language, time_zone, password_hash, version,
        created_at)
      ${upTo(MEMBERS_MAX + 3)} select 'user ' || i, 'editor', '', '', '', '', 'en', 'UTC', '', 1, 0 from n`)
    await database.run(`insert into objects (type, sub_type, name, name_folded, parent_id, path, is_template, instance_type,
        collector_id, version, created_at)
      ${upTo(1_003)} select 'group', 'group', 'g', 'g', 1, '/1/' || (i + 1) || '/', 0, 'none', 0, 1, 0 from n`)
    await database.run(`insert into user_groups (name, version, created_at) values ('group', 1, 0)`)
  })

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
      // Scripts keep their groups.
      for (const rows of [SCRIPTS, count]) await database.run(`delete ${rows}`)
    })
  }
})
