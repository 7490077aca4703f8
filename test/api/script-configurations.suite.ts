import { expect } from 'bun:test'

import { PASSWORD } from './client.ts'
import type { Client } from './client.ts'

import { anyText, expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Named = { readonly id: number; readonly name: string }
type RunConfiguration = Named & { readonly isDefault: boolean; readonly envVariables: readonly object[] }
type Schedule = Named & { readonly nextRuns: readonly string[]; readonly runConfigurationId: number | null }

const CANARY = 'a-secret-that-nobody-sees'

const stage = once(async (client) => {
  const { id } = await good<Named>(client.request('POST', '/scripts', { json: { name: 'configured stage' } }))
  const other = await good<Named>(client.request('POST', '/scripts', { json: { name: 'another stage' } }))
  const at = `/scripts/${id}`
  const run = await good<Named>(
    client.request('POST', `${at}/runConfigurations`, { json: { name: 'staged' } }),
  )
  const foreign = await good<Named>(
    client.request('POST', `/scripts/${other.id}/runConfigurations`, { json: { name: 'staged' } }),
  )
  const json = { name: 'staged', cron: '0 0 * * *' }
  const schedule = await good<Named>(client.request('POST', `${at}/scheduleConfigurations`, { json }))
  return { script: id, other: other.id, run: run.id, foreign: foreign.id, schedule: schedule.id }
})

async function fresh(client: Client, name: string) {
  const { id } = await good<Named>(client.request('POST', '/scripts', { json: { name } }))
  const at = `/scripts/${id}`
  const add =
    <Made>(list: string) =>
    (json: object) =>
      good<Made>(client.request('POST', `${at}/${list}`, { json }))
  return {
    at,
    addRun: add<RunConfiguration>('runConfigurations'),
    addSchedule: add<Schedule>('scheduleConfigurations'),
    runs: () => good<RunConfiguration[]>(client.request('GET', `${at}/runConfigurations`)),
    schedules: () => good<Schedule[]>(client.request('GET', `${at}/scheduleConfigurations`)),
    settings: () => client.request('GET', `${at}/settings`),
    end: () => good(client.request('DELETE', at)),
  }
}

const RUN = { name: 'x' }
const DAILY = { name: 'x', cron: '0 0 * * *' }

const LISTS: readonly (readonly [list: string, id: string, json: object])[] = [
  ['runConfigurations', '{run}', RUN],
  ['scheduleConfigurations', '{schedule}', DAILY],
]
const NEXT = 'GET /scripts/{script}/scheduleConfigurations/next'
const READS = [
  ...LISTS.flatMap(([list, id]) => [`GET /scripts/{script}/${list}`, `GET /scripts/{script}/${list}/${id}`]),
  `${NEXT}?cron=@daily`,
]
const WRITES = LISTS.flatMap(([list, id, json]): [string, object][] => [
  [`POST /scripts/{script}/${list}`, json],
  [`PUT /scripts/{script}/${list}/${id}`, json],
  [`DELETE /scripts/{script}/${list}/${id}`, json],
])

const long = (length: number) => 'x'.repeat(length)
const many = <Item>(count: number, make: (index: number) => Item) =>
  Array.from({ length: count }, (_, index) => make(index))

/** Bodies that are no run configurations, each with where it is wrong. */
const WRONG_RUNS: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { name: '' }, '/name'],
  ['an unknown kind', { ...RUN, kind: 'remote' }, '/kind'],
  ['a timeout of more than 30 days', { ...RUN, timeout: 30 * 86_400 + 1 }, '/timeout'],
  ['a negative timeout', { ...RUN, timeout: -1 }, '/timeout'],
  ['101 arguments', { ...RUN, arguments: many(101, String) }, '/arguments'],
  ['a long argument', { ...RUN, arguments: [long(4_097)] }, '/arguments/0'],
  ['an argument with NUL', { ...RUN, arguments: ['a\0b'] }, '/arguments/0'],
  ['an unknown concurrency', { ...RUN, concurrency: 'parallel' }, '/concurrency'],
  ['11 retries', { ...RUN, retries: 11 }, '/retries'],
  ['17 labels', { ...RUN, runnerLabels: many(17, String) }, '/runnerLabels'],
  ['a label with a space', { ...RUN, runnerLabels: ['a b'] }, '/runnerLabels/0'],
  [
    '101 variables',
    { ...RUN, envVariables: many(101, (index) => ({ key: `V${index}`, value: '' })) },
    '/envVariables',
  ],
  [
    'a variable twice',
    {
      ...RUN,
      envVariables: [
        { key: 'A', value: '' },
        { key: 'A', value: '' },
      ],
    },
    '/envVariables/1/key',
  ],
  [
    'a variable that begins with a digit',
    { ...RUN, envVariables: [{ key: '1A', value: '' }] },
    '/envVariables/0/key',
  ],
  ['a variable with =', { ...RUN, envVariables: [{ key: 'A=B', value: '' }] }, '/envVariables/0/key'],
  [
    'a variable of the service',
    { ...RUN, envVariables: [{ key: 'SVC_SESSION_ID', value: '' }] },
    '/envVariables/0/key',
  ],
  [
    'a variable that is no name',
    { ...RUN, envVariables: [{ key: '__proto__', value: '' }] },
    '/envVariables/0/key',
  ],
  ['a variable without a value', { ...RUN, envVariables: [{ key: 'A' }] }, '/envVariables/0/value'],
  ['a long value', { ...RUN, envVariables: [{ key: 'A', value: long(16_385) }] }, '/envVariables/0/value'],
  ['51 targets', { ...RUN, network: many(51, (index) => `h${index}:1`) }, '/network'],
  ...[
    'example.org',
    'example.org:0',
    'example.org:65536',
    'http://example.org:80',
    '::1:80',
    'a b:80',
    '-a:80',
    '*:80',
  ].map((target) => [`the target ${target}`, { ...RUN, network: [target] }, '/network/0'] as const),
  ['a database without a data source', { ...RUN, kind: 'database' }, '/database'],
  [
    'a data source that is not there',
    { ...RUN, kind: 'database', database: { dataSourceId: 999_999 } },
    '/database/dataSourceId',
  ],
  ['a data source of what is none', { ...RUN, database: { dataSourceId: 4 } }, '/database'],
  ['files without paths', { ...RUN, kind: 'filesystem' }, '/filesystem'],
  ['no path of files', { ...RUN, kind: 'filesystem', filesystem: { paths: [] } }, '/filesystem/paths'],
  [
    '21 paths of files',
    { ...RUN, kind: 'filesystem', filesystem: { paths: many(21, String) } },
    '/filesystem/paths',
  ],
  [
    'a path that leads up',
    { ...RUN, kind: 'filesystem', filesystem: { paths: ['in/../../x'] } },
    '/filesystem/paths/0',
  ],
  ['an unknown field', { ...RUN, secrets: {} }, '/secrets'],
]

const WRONG_SCHEDULES: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', { ...DAILY, name: '' }, '/name'],
  ['no times', { name: 'x' }, '/cron'],
  ...['', 'never', '* * * * * *', '0 0 30 2 *', '@reboot', '? * * * *'].map(
    (cron) => [`the times ${cron}`, { name: 'x', cron }, '/cron'] as const,
  ),
  ['long times', { name: 'x', cron: `${long(250)} * * * *` }, '/cron'],
  ['an unknown zone', { ...DAILY, timeZone: 'Europe/Atlantis' }, '/timeZone'],
  ['an unknown misfire', { ...DAILY, misfire: 'all' }, '/misfire'],
  ['a configuration that is not there', { ...DAILY, runConfigurationId: 999_999 }, '/runConfigurationId'],
]

const rows: readonly Row[] = [
  ...READS.flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    ...(['collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      as,
      answers: 'forbidden',
    })),
    ...(['editor', 'Data_Editor'] as const).map((as): Row => ({ title: as, call, as, answers: 200 })),
  ]),
  ...WRITES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['editor', 'collector', 'dashboard_viewer'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...WRONG_RUNS.flatMap(([title, json, ...pointers]): Row[] => [
    { title, call: 'POST /scripts/{script}/runConfigurations', json, answers: 'invalid', pointers },
    {
      title,
      call: 'PUT /scripts/{script}/runConfigurations/{run}',
      json: { isDefault: true, ...json },
      answers: 'invalid',
      pointers,
    },
    {
      title,
      call: 'PUT /scripts/{script}/settings',
      json: { name: 'configured stage', runConfigurations: [json] },
      answers: 'invalid',
      pointers: pointers.map((pointer) => `/runConfigurations/0${pointer}`),
    },
  ]),
  ...WRONG_SCHEDULES.flatMap(([title, json, ...pointers]): Row[] => [
    { title, call: 'POST /scripts/{script}/scheduleConfigurations', json, answers: 'invalid', pointers },
    {
      title,
      call: 'PUT /scripts/{script}/scheduleConfigurations/{schedule}',
      json,
      answers: 'invalid',
      pointers,
    },
    {
      title,
      call: 'PUT /scripts/{script}/settings',
      json: { name: 'configured stage', scheduleConfigurations: [json] },
      answers: 'invalid',
      pointers: pointers.map((pointer) => `/scheduleConfigurations/0${pointer}`),
    },
  ]),
  ...LISTS.flatMap(([list, id, json]): Row[] => [
    {
      title: 'a name that is taken',
      call: `POST /scripts/{script}/${list}`,
      json: { ...json, name: 'STAGED' },
      answers: 'name_taken',
    },
    { title: 'what is not there', call: `GET /scripts/{script}/${list}/999999`, answers: 'not_found' },
    { title: 'what is not there', call: `PUT /scripts/{script}/${list}/999999`, json, answers: 'not_found' },
    { title: 'what is not there', call: `DELETE /scripts/{script}/${list}/999999`, answers: 'not_found' },
    { title: 'what is of another script', call: `GET /scripts/{other}/${list}/${id}`, answers: 'not_found' },
    {
      title: 'what is of another script',
      call: `PUT /scripts/{other}/${list}/${id}`,
      json,
      answers: 'not_found',
    },
    {
      title: 'what is of another script',
      call: `DELETE /scripts/{other}/${list}/${id}`,
      answers: 'not_found',
    },
  ]),
  ...WRONG_SCHEDULES.flatMap(([title, json, pointer]): Row[] => {
    if (pointer !== '/cron' && pointer !== '/timeZone') return []
    const query = new URLSearchParams({ ...(json as Record<string, string>) })
    query.delete('name')
    return [
      { title, call: `${NEXT}?${String(query)}`, answers: 'invalid', pointers: [pointer.replace('/', '?')] },
    ]
  }),
  {
    title: 'a script that is not there',
    call: 'GET /scripts/999999/scheduleConfigurations/next?cron=@daily',
    answers: 'not_found',
  },
  {
    title: 'a script that is not there',
    call: 'GET /scripts/999999/runConfigurations',
    answers: 'not_found',
  },
  {
    title: 'no default',
    call: 'PUT /scripts/{script}/runConfigurations/{run}',
    json: RUN,
    answers: 'invalid',
    pointers: ['/isDefault'],
  },
  ...(['{foreign}', 999_999] as const).map((id): Row => ({
    title: 'a configuration of another script',
    call: 'POST /scripts/{script}/scheduleConfigurations',
    json: { ...DAILY, runConfigurationId: id === '{foreign}' ? 999_998 : id },
    answers: 'invalid',
    pointers: ['/runConfigurationId'],
  })),
  {
    title: 'two defaults',
    call: 'PUT /scripts/{script}/settings',
    json: {
      name: 'configured stage',
      runConfigurations: [
        { name: 'a', isDefault: true },
        { name: 'b', isDefault: true },
      ],
    },
    answers: 'invalid',
    pointers: ['/runConfigurations/1/isDefault'],
  },
  {
    title: 'an id that is not there',
    call: 'PUT /scripts/{script}/settings',
    json: { name: 'configured stage', scheduleConfigurations: [{ ...DAILY, id: 999_999 }] },
    answers: 'invalid',
    pointers: ['/scheduleConfigurations/0/id'],
  },
  {
    title: 'the same name twice',
    call: 'PUT /scripts/{script}/settings',
    json: { name: 'configured stage', runConfigurations: [{ name: 'a' }, { name: 'A' }] },
    answers: 'name_taken',
  },
  {
    title: '101 configurations',
    call: 'PUT /scripts/{script}/settings',
    json: { name: 'configured stage', runConfigurations: many(101, (index) => ({ name: `c${index}` })) },
    answers: 'invalid',
    pointers: ['/runConfigurations'],
  },
  {
    title: '101 schedules',
    call: 'PUT /scripts/{script}/settings',
    json: {
      name: 'configured stage',
      scheduleConfigurations: many(101, (index) => ({ ...DAILY, name: `c${index}` })),
    },
    answers: 'invalid',
    pointers: ['/scheduleConfigurations'],
  },
]

const FULL = {
  name: 'nightly',
  isDefault: true,
  timeout: 600,
  kind: 'filesystem',
  arguments: ['--full', ''],
  concurrency: 'skip',
  retries: 10,
  runnerLabels: ['linux'],
  envVariables: [{ key: 'REGION', value: 'eu' }],
  network: ['db.example.org:5432', '[2001:db8::1]:443', '192.0.2.7:65535'],
  filesystem: { paths: ['in/*.csv'] },
}

const scenarios: Scenario[] = [
  {
    title: 'what is added to a script by its name has a place, whatever the name',
    decidedAbovePorts: 'configurations of scripts',
    async run(client) {
      const name = 'caf\u00e9 %25/\u{1f30a}'
      const { id } = await good<Named>(client.request('POST', '/scripts', { json: { name } }))
      const at = `/scripts/${encodeURIComponent(name)}`
      for (const [list, , json] of LISTS) {
        const made = await client.request('POST', `${at}/${list}`, { json })
        expectAnswer(made, { answers: 201 })
        const location = made.headers.get('location') ?? ''
        expect(await good<Named>(client.request('GET', location))).toMatchObject({ name: 'x' })
      }
      await good(client.request('DELETE', `/scripts/${id}`))
    },
  },
  {
    title: 'a run configuration is kept as it was sent, and may be sent back as it was read',
    async run(client) {
      const { at, addRun, runs, end } = await fresh(client, 'run configurations')
      const made = await addRun(FULL)
      expect(made).toEqual({
        ...FULL,
        id: made.id,
        database: null,
        reportTo: null,
        changedBy: client.userIds.administrator,
        createdAt: anyText,
        updatedAt: anyText,
      } as never)
      const path = `${at}/runConfigurations/${made.id}`
      expect(
        await good<object>(client.request('PUT', path, { json: made, as: 'Data_Editor' })),
      ).toMatchObject({ ...FULL, changedBy: client.userIds.Data_Editor })
      expect(await good<object>(client.request('GET', path, { as: 'editor' }))).toMatchObject({ ...FULL })
      expect(await runs()).toHaveLength(1)
      await end()
    },
  },
  {
    title:
      'variables that decide what runs are set by administrators alone, and stay when others edit the rest',
    async run(client) {
      const { addRun, at, end } = await fresh(client, 'starting variables')
      const made = await addRun({
        name: 'x',
        envVariables: [
          { key: 'REGION', value: 'eu' },
          { key: 'PATH', value: '/opt/bin' },
          { key: 'GIT_ASKPASS', value: 'sealed', secret: true },
        ],
      })
      const path = `${at}/runConfigurations/${made.id}`
      const put = (envVariables: object[], as: 'administrator' | 'Data_Editor' = 'Data_Editor') =>
        client.request('PUT', path, { json: { name: 'x', isDefault: true, envVariables }, as })
      const told = async () =>
        (await good<{ envVariables: { key: string }[] }>(client.request('GET', path))).envVariables
      for (const key of ['BASH_ENV', 'LD_PRELOAD', 'PYTHONPATH', 'https_proxy']) {
        const json = {
          name: 'y',
          envVariables: [
            { key: 'A', value: '1' },
            { key, value: '2' },
          ],
        }
        const expected = { answers: 'forbidden', pointers: ['/envVariables/1/key'] } as const
        expectAnswer(await put(json.envVariables), expected)
        expectAnswer(
          await client.request('POST', `${at}/runConfigurations`, { json, as: 'Data_Editor' }),
          expected,
        )
      }
      const kept = [
        { key: 'PATH', value: '/opt/bin' },
        { key: 'GIT_ASKPASS', secret: true, valueSet: true },
      ]
      for (const changed of [
        { key: 'PATH', value: '/tmp' },
        { key: 'GIT_ASKPASS', value: 'sealed' },
      ])
        expectAnswer(await put([changed]), { answers: 'forbidden', pointers: ['/envVariables/0/key'] })
      expect(await told()).toEqual([{ key: 'REGION', value: 'eu' }, ...kept] as never)
      await good(put([{ key: 'REGION', value: 'us' }, ...kept]))
      expect(await told()).toEqual([...kept, { key: 'REGION', value: 'us' }] as never)
      await good(put([]))
      expect(await told()).toEqual(kept as never)
      await good(put([{ key: 'PATH', value: '/bin' }], 'administrator'))
      expect(await told()).toEqual([{ key: 'PATH', value: '/bin' }] as never)
      await end()
    },
  },
  {
    title:
      'secrets, and what is called like one, are never shown, stay when they are not named, and go when they are left out',
    async run(client) {
      const { at, addRun, settings, end } = await fresh(client, 'secrets')
      const made = await addRun({
        name: 'x',
        envVariables: [
          { key: 'A', value: 'plain' },
          { key: 'B', value: CANARY, secret: true },
          { key: 'DB_PASSWORD', value: CANARY },
          { key: 'MAIL_PW', value: CANARY, secret: false },
          { key: 'UNSET', secret: true },
        ],
      })
      const secret = (key: string, valueSet = true) => ({ key, secret: true, valueSet })
      const shown = [
        { key: 'A', value: 'plain' },
        secret('B'),
        secret('DB_PASSWORD'),
        secret('MAIL_PW'),
        secret('UNSET', false),
      ]
      expect(made.envVariables).toEqual(shown)
      const path = `${at}/runConfigurations/${made.id}`
      const kept = await good<RunConfiguration>(client.request('PUT', path, { json: made }))
      expect(kept.envVariables).toEqual(shown)
      const changed = await good<RunConfiguration>(
        client.request('PUT', path, {
          json: { ...made, envVariables: [secret('UNSET'), { key: 'DB_PASSWORD' }] },
        }),
      )
      expect(changed.envVariables).toEqual([secret('UNSET', false), secret('DB_PASSWORD')])
      const hidden = await good<RunConfiguration>(
        client.request(
          'PUT',
          `${at}/runConfigurations/${(await addRun({ name: 'y', envVariables: [{ key: 'A', value: 'plain as yet' }] })).id}`,
          {
            json: { name: 'y', envVariables: [{ key: 'A', secret: true }] },
          },
        ),
      )
      expect(hidden.envVariables).toEqual([secret('A')])
      const open = await client.request('PUT', path, {
        json: { ...made, envVariables: [{ key: 'B', secret: false }] },
      })
      expectAnswer(open, { answers: 'invalid', pointers: ['/envVariables/0/value'] })
      const audit = await client.request('GET', '/audit?limit=1000')
      for (const { text } of [await settings(), audit, await client.request('GET', path)])
        expect(text).not.toContain(CANARY)
      await end()
    },
  },
  {
    title:
      'one configuration is the default: the first, then the one that says so, then the oldest that is left',
    async run(client) {
      const { at, addRun, runs, end } = await fresh(client, 'defaults')
      const names = async () => (await runs()).flatMap(({ name, isDefault }) => (isDefault ? [name] : []))
      const ids: Record<string, number> = {}
      for (const name of ['a', 'b', 'c']) ids[name] = (await addRun({ name })).id
      expect(await names()).toEqual(['a'])
      await good(
        client.request('PUT', `${at}/runConfigurations/${ids['c']}`, {
          json: { name: 'c', isDefault: true },
        }),
      )
      expect(await names()).toEqual(['c'])
      ids['d'] = (await addRun({ name: 'd', isDefault: true })).id
      expect(await names()).toEqual(['d'])
      await good(client.request('DELETE', `${at}/runConfigurations/${ids['b']}`))
      expect(await names()).toEqual(['d'])
      await good(client.request('DELETE', `${at}/runConfigurations/${ids['d']}`))
      expect(await names()).toEqual(['a'])
      await end()
    },
  },
  {
    title: 'bounds of a run configuration hold on the good side',
    decidedAbovePorts: 'configurations of scripts',
    async run(client) {
      const { addRun, end } = await fresh(client, 'bounds')
      const json = {
        name: long(255),
        timeout: 30 * 86_400,
        arguments: many(100, () => long(4_096)),
        retries: 10,
        runnerLabels: many(16, (index) => `l${index}`),
        envVariables: many(100, (index) => ({
          key: `V${index}${long(120)}`,
          value: index === 0 ? long(16_384) : '',
        })),
        network: many(50, (index) => `h${index}:65535`),
        kind: 'filesystem',
        filesystem: { paths: many(20, () => long(1_024)) },
      }
      expect(await addRun(json)).toMatchObject(json)
      await end()
    },
  },
  {
    title:
      'a script without run configurations is scheduled, and told when it runs next, in its own time zone',
    async run(client) {
      const { at, addSchedule, end } = await fresh(client, 'scheduled')
      const made = await addSchedule({
        name: 'nightly',
        cron: '30 2 * * *',
        timeZone: 'America/New_York',
        misfire: 'run_once',
      })
      expect(made).toMatchObject({
        enabled: true,
        cron: '30 2 * * *',
        timeZone: 'America/New_York',
        runConfigurationId: null,
        misfire: 'run_once',
        userId: client.userIds.administrator,
      })
      expect(made.nextRuns).toHaveLength(5)
      const asked = `${at}/scheduleConfigurations/next?cron=30%202%20*%20*%20*`
      const preview = await good(client.request('GET', `${asked}&timeZone=America/New_York`))
      expect(preview).toEqual({ nextRuns: made.nextRuns })
      expect(await good(client.request('GET', asked))).not.toEqual(preview)
      const hours = made.nextRuns.map((text) =>
        new Intl.DateTimeFormat('en-GB', { timeZone: 'America/New_York', timeStyle: 'short' }).format(
          new Date(text),
        ),
      )
      // Where the clock goes on at night, it is 3 o'clock.
      for (const hour of hours) expect(['02:30', '03:00']).toContain(hour)
      const path = `${at}/scheduleConfigurations/${made.id}`
      const off = await good<Schedule>(
        client.request('PUT', path, { json: { ...made, enabled: false }, as: 'Data_Editor' }),
      )
      expect(off).toMatchObject({ nextRuns: [], userId: client.userIds.Data_Editor })
      expect((await client.request('DELETE', path, { as: 'Data_Editor' })).status).toBe(204)
      await end()
    },
  },
  {
    title:
      'a schedule whose user is gone, or may not run scripts any more, is not enabled and says so until it is saved anew',
    async run(client) {
      const { at, end } = await fresh(client, 'of nobody')
      const warnings = async () => {
        const ready = await client.request('GET', '/readyz', { as: null })
        return (ready.body['warnings'] as { code: string; detail: string }[])
          .filter(({ code }) => code === 'scripts_without_user')
          .map(({ detail }) => detail)
      }
      const before = await warnings()
      const user = { username: 'scheduler', password: PASSWORD }
      const { id: userId } = await good<{ id: number }>(
        client.request('POST', '/users', { json: { ...user, role: 'Data_Editor' } }),
      )
      const authorization = `Basic ${btoa(`scheduler:${PASSWORD}`)}`
      const { id } = await good<Schedule>(
        client.request('POST', `${at}/scheduleConfigurations`, {
          json: { name: 'nightly', cron: '30 2 * * *' },
          as: null,
          headers: { authorization },
        }),
      )
      const path = `${at}/scheduleConfigurations/${id}`
      const read = () => good<Schedule>(client.request('GET', path))
      expect(await read()).toMatchObject({ enabled: true, problem: null, userId })
      const stopped = {
        enabled: false,
        nextRuns: [],
        problem: expect.stringContaining('may not run scripts') as string,
      }
      await good(
        client.request('PUT', `/users/${userId}`, {
          json: { username: 'scheduler', role: 'dashboard_viewer' },
        }),
      )
      expect(await read()).toMatchObject({ ...stopped, userId })
      expect((await warnings()).length).toBe(1)
      expect((await client.request('DELETE', `/users/${userId}`)).status).toBe(204)
      const left = await read()
      expect(left).toMatchObject({ ...stopped, userId: null })
      expect((await warnings()).length).toBe(1)
      const taken = await good<Schedule>(client.request('PUT', path, { json: { ...left, enabled: true } }))
      expect(taken).toMatchObject({ enabled: true, problem: null, userId: client.userIds.administrator })
      expect(taken.nextRuns).toHaveLength(5)
      expect(await warnings()).toEqual(before)
      await end()
    },
  },
  {
    title: 'a schedule whose run configuration is gone takes the default one',
    decidedAbovePorts: 'configurations of scripts',
    async run(client) {
      const { at, addRun, addSchedule, schedules, end } = await fresh(client, 'orphaned')
      await addRun({ name: 'first' })
      const { id } = await addRun({ name: 'second' })
      expect(await addSchedule({ ...DAILY, runConfigurationId: id })).toMatchObject({
        runConfigurationId: id,
      })
      await good(client.request('DELETE', `${at}/runConfigurations/${id}`))
      expect((await schedules())[0]?.runConfigurationId).toBeNull()
      await end()
    },
  },
  {
    title: 'all of the settings are replaced at once, by what was read and changed, or nothing is',
    async run(client) {
      const { at, addRun, addSchedule, settings, runs, schedules, end } = await fresh(client, 'whole')
      const [a, b] = [
        await addRun({ name: 'a', envVariables: [{ key: 'PASSWORD', value: CANARY }] }),
        await addRun({ name: 'b' }),
      ]
      await addSchedule({ ...DAILY, name: 'old', runConfigurationId: b.id })
      const read = await settings()
      const same = await client.request('PUT', `${at}/settings`, {
        json: read.body,
        headers: { 'if-match': read.headers.get('etag') ?? '' },
      })
      expectAnswer(same, { answers: 200 })
      const strip = (text: string) => text.replaceAll(/"(?:updatedAt|nextRuns)":(?:"[^"]*"|\[[^\]]*\])/g, '')
      expect(strip(same.text)).toBe(strip(read.text))
      const refused = await client.request('PUT', `${at}/settings`, {
        json: {
          ...read.body,
          runConfigurations: [{ ...a, name: 'renamed' }],
          scheduleConfigurations: [{ ...DAILY, cron: 'never' }],
        },
      })
      expectAnswer(refused, { answers: 'invalid', pointers: ['/scheduleConfigurations/0/cron'] })
      expect((await runs()).map(({ name }) => name)).toEqual(['a', 'b'])
      const gone = { ...DAILY, name: 'new', runConfigurationId: b.id }
      const toGone = await client.request('PUT', `${at}/settings`, {
        json: { ...read.body, runConfigurations: [a], scheduleConfigurations: [gone] },
      })
      expectAnswer(toGone, { answers: 'invalid', pointers: ['/scheduleConfigurations/0/runConfigurationId'] })
      const json = {
        name: 'whole',
        runConfigurations: [{ name: 'c' }, { ...a, name: 'renamed' }],
        scheduleConfigurations: [{ ...gone, runConfigurationId: a.id }],
      }
      const changed = await good<{ runConfigurations: RunConfiguration[] }>(
        client.request('PUT', `${at}/settings`, { json }),
      )
      expect(
        changed.runConfigurations.map(({ id, name, isDefault, envVariables }) => ({
          id,
          name,
          isDefault,
          envVariables,
        })),
      ).toEqual([
        {
          id: a.id,
          name: 'renamed',
          isDefault: true,
          envVariables: [{ key: 'PASSWORD', secret: true, valueSet: true }],
        },
        { id: expect.any(Number) as number, name: 'c', isDefault: false, envVariables: [] },
      ])
      expect((await schedules()).map(({ name }) => name)).toEqual(['new'])
      await good(
        client.request('PUT', `${at}/settings`, {
          json: { name: 'whole', runConfigurations: [], scheduleConfigurations: [] },
        }),
      )
      expect(await runs()).toEqual([])
      await end()
    },
  },
]

export const scriptConfigurationsSuite: Suite = {
  name: 'configurations of scripts',
  scenarios: [...table(stage, rows), ...scenarios],
}
