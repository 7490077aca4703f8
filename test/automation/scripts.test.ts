import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import {
  deleteFromTree,
  listTree,
  moveInTree,
  saveTreeFile,
} from '../../src/automation/scripts/files/service.ts'
import { createGroup, listGroups } from '../../src/automation/scripts/groups/service.ts'
import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import { createRunConfiguration } from '../../src/automation/scripts/run-configurations/service.ts'
import { scheduleConfigurationBody } from '../../src/automation/scripts/schedule-configurations/schema.ts'
import {
  createSchedule,
  readSchedule,
  updateSchedule,
} from '../../src/automation/scripts/schedule-configurations/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import {
  createScript,
  deleteScript,
  dependents,
  listScripts,
  readScript,
} from '../../src/automation/scripts/service.ts'
import { runnableOf } from '../../src/automation/scripts/service/runnable.ts'
import { sweepBlobs } from '../../src/content/blobs/service.ts'
import type { Context } from '../../src/context.ts'
import { commit } from '../../src/ports/database.ts'
import type { Ports } from '../../src/ports/index.ts'
import { rejection } from '../contract/rejection.ts'
import { administratorOf, openPorts } from '../hosts/ports.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { Mortal } from '../engine/mortal.ts'
import { must } from '../runs/fake-runner.ts'
import { openRunStage } from '../runs/stage.ts'
import { insertAdministrator } from './people.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

let opened: Awaited<ReturnType<typeof openPorts>>
let context: Context
beforeEach(async () => {
  opened = await openPorts()
  context = administratorOf(opened.ports)
  await insertAdministrator(opened.ports)
})
afterEach(() => opened.close())

const make = (name: string) => createScript(context, scriptBody.parse({ name }))

function put(by: Context, ref: string, path: string, text = path) {
  const bytes = new TextEncoder().encode(text)
  return saveTreeFile(by, ref, { path, bytes, condition: () => undefined })
}

describe('wherever a process dies', () => {
  for (const ends of ['before', 'after'] as const) {
    test(`${ends} a step of a change of a tree, one version is there whole, and nothing is left over an hour later`, async () => {
      let deaths = 0
      for (let diesAt = 1; ; diesAt++) {
        const name = `tree-${ends}-${diesAt}`
        await make(name)
        await put(context, name, 'a/old', 'old')
        const mortal = new Mortal(diesAt, ends)
        const dying = administratorOf(mortalPorts(mortal, opened.ports))
        await put(dying, name, 'a/old', 'new').catch(() => undefined)
        if (!mortal.isDead) await moveInTree(dying, name, { from: 'a', to: 'b' }).catch(() => undefined)
        if (!mortal.isDead)
          await deleteFromTree(dying, name, { path: 'b', condition: () => undefined }).catch(() => undefined)
        const texts = await textsOf(name)
        expect([{ 'a/old': 'old' }, { 'a/old': 'new' }, { 'b/old': 'new' }, {}]).toContainEqual(texts)
        await expectConsistent()
        opened.clock.at += HOUR_MS + 1
        await sweepBlobs(opened.ports)
        expect(await leftOver()).toEqual([])
        expect(await textsOf(name)).toEqual(texts)
        if (!mortal.isDead) break
        deaths++
      }
      // A note, the blob, a commit; a commit for the move, and one for the removal.
      expect(deaths).toBe(5)
    })
  }
})

test('a file that was put 10 minutes before it would be in the tree is refused', async () => {
  const { ports, clock } = opened
  await make('slow')
  const slow = (tookMs: number) => ({
    ...ports,
    blobs: {
      ...ports.blobs,
      async put(key: string, body: Parameters<typeof ports.blobs.put>[1]) {
        await ports.blobs.put(key, body)
        clock.at += tookMs
      },
    },
  })
  await put(administratorOf(slow(10 * MINUTE_MS - 1)), 'slow', 'in-time')
  expect(await rejection(put(administratorOf(slow(10 * MINUTE_MS)), 'slow', 'late'))).toMatchObject({
    code: 'unavailable',
  })
  expect(await textsOf('slow')).toEqual({ 'in-time': 'in-time' })
})

test('what depends on a script keeps it, unless its deletion is forced', async () => {
  const { database } = opened.ports
  const { view: script } = await make('needed')
  const of = (names: readonly string[]) =>
    names.map((name) => ({ scriptId: script.id, part: name, name: `shows ${name}` }))
  const widgets = { kind: 'widget', ownerId: 4 } as const
  await commit(database, dependents(database, widgets, of(['w1', 'w2'])))
  await commit(database, dependents(database, { kind: 'dataSource', ownerId: 9 }, of(['t', 'u'])))
  expect((await readScript(context, 'needed')).view.dependents).toEqual({
    count: 4,
    widgets: [
      { dashboardId: 4, widgetId: 'w1', name: 'shows w1' },
      { dashboardId: 4, widgetId: 'w2', name: 'shows w2' },
    ],
    dataSources: [
      { dataSourceId: 9, table: 't', name: 'shows t' },
      { dataSourceId: 9, table: 'u', name: 'shows u' },
    ],
    alarmRecipients: [],
  })
  const refused = await rejection(deleteScript(context, 'needed', { isForced: false }))
  expect(refused).toMatchObject({
    code: 'has_dependents',
    detail: expect.stringContaining('used by 4 other objects') as string,
  })
  expect(refused).toHaveProperty('errors.length', 4)
  const table = { kind: 'dataSource', ownerId: 9, part: 't' } as const
  await commit(database, dependents(database, table, []))
  expect((await readScript(context, 'needed')).view.dependents.count).toBe(3)
  await commit(database, dependents(database, { kind: 'dataSource', ownerId: 9 }, []))
  await commit(database, dependents(database, widgets, of(['w1'])))
  expect((await readScript(context, 'needed')).view.dependents.count).toBe(1)
  await deleteScript(context, 'needed', { isForced: true })
  expect(await database.all('select * from script_dependents')).toEqual([])
})

test('what comes to depend on a script while it is deleted keeps it as well', async () => {
  const { ports } = opened
  const { view: script } = await make('raced')
  const batch: Ports['database']['batch'] = async (items) => {
    const one = { scriptId: script.id, part: 'w', name: 'late' }
    await commit(ports.database, dependents(ports.database, { kind: 'widget', ownerId: 1 }, [one]))
    return ports.database.batch(items)
  }
  const racing = new Proxy(ports.database, {
    get: (target, name): unknown => {
      if (name === 'batch') return batch
      const found: unknown = Reflect.get(target, name)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
  const by = administratorOf({ ...ports, database: racing })
  expect(await rejection(deleteScript(by, 'raced', { isForced: false }))).toMatchObject({
    code: 'has_dependents',
  })
})

test('a script may be deleted while one runs, and the blobs of its files and runs are swept', async () => {
  const stage = await openRunStage()
  try {
    const script = await stage.script()
    await script.order()
    const held = await (await stage.runner()).next()
    await held.begin()
    await must(held.say('PUT', 'outputs/left.txt', { bytes: new TextEncoder().encode('x') }))
    expect(await stage.ports.blobs.list('')).toHaveLength(2)
    await deleteScript(administratorOf(stage.ports), String(script.id), { isForced: false })
    expect(await stage.ports.database.all('select * from run_files')).toEqual([])
    stage.clock.at += HOUR_MS + 1
    await sweepBlobs(stage.ports)
    expect(await stage.ports.blobs.list('')).toEqual([])
  } finally {
    stage.dispatch.close()
    await stage.close()
  }
})

test('2,000 scripts, 200 groups, and 100 configurations and schedules of a script are taken, and no more', async () => {
  const { database } = opened.ports
  const { view: script } = await make('first')
  await database.run(
    `insert into scripts (name, description, group_id, timeout_s, accepted_files, detection, version, created_at, updated_at)
     with recursive n(i) as (select 2 union all select i + 1 from n where i < 1999)
     select 'script ' || i, '', group_id, 0, '[]', detection, 1, 0, 0 from n, scripts where id = ${script.id}`,
  )
  await make('last')
  expect(await rejection(make('one too many'))).toMatchObject({ code: 'conflict' })
  expect((await listScripts(context, { groupId: undefined, limit: 1_000 })).items).toHaveLength(1_000)

  await listGroups(context)
  for (let count = 1; count < 199; count++)
    await createGroup(context, { name: `group ${count}`, description: '' })
  await createGroup(context, { name: 'last', description: '' })
  expect(await rejection(createGroup(context, { name: 'one too many', description: '' }))).toMatchObject({
    code: 'conflict',
  })

  const addRun = (name: string) =>
    createRunConfiguration(context, 'first', runConfigurationBody.parse({ name }))
  const addSchedule = (name: string) =>
    createSchedule(context, 'first', scheduleConfigurationBody.parse({ name, cron: '@daily' }))
  for (const add of [addRun, addSchedule]) {
    for (let count = 0; count < 100; count++) await add(`n${count}`)
    expect(await rejection(add('one too many'))).toMatchObject({ code: 'conflict' })
  }
})

test('a run has what its configuration says: secrets as they are, and the time of the script where it has none', async () => {
  const { ports } = opened
  await createScript(context, scriptBody.parse({ name: 'run', timeout: 60, acceptedFiles: ['text/csv'] }))
  await put(context, 'run', 'src/main.py')
  const implicit = await runnableOf(ports, 'run', null)
  expect(implicit).toMatchObject({
    script: { name: 'run', timeoutS: 60, acceptedFiles: ['text/csv'] },
    configuration: { id: 0, name: 'default', timeoutS: 60, env: {}, secretNames: [], kind: 'standard' },
    detection: { runner: 'python', runnerFile: 'src/main.py' },
    files: [{ path: 'src/main.py', sizeBytes: 11 }],
    directories: ['src'],
  })
  const envVariables = [
    { key: 'A', value: '1' },
    { key: 'PW', value: 'hidden' },
    { key: 'UNSET', secret: true },
  ]
  const add = async (json: object) =>
    (await createRunConfiguration(context, 'run', runConfigurationBody.parse(json))).view
  const { id } = await add({ name: 'first', timeout: 0, envVariables })
  const second = await add({ name: 'second' })
  const env = { A: '1', PW: 'hidden' }
  expect((await runnableOf(ports, 'run', null)).configuration).toMatchObject({
    id,
    timeoutS: 0,
    env,
    secretNames: ['PW'],
  })
  expect((await runnableOf(ports, 'run', second.id)).configuration).toMatchObject({
    name: 'second',
    timeoutS: 60,
  })
  expect((await runnableOf(ports, 'run', 0)).configuration).toMatchObject({ id: 0, env: {} })
  expect(await rejection(runnableOf(ports, 'run', 999))).toMatchObject({ code: 'not_found' })
  const sealed = await ports.database.all('select secrets, rules from run_configurations')
  expect(JSON.stringify(sealed)).not.toContain('hidden')
})

test('a schedule that is changed comes when it came before, unless its times are others', async () => {
  const { clock } = opened
  await make('scheduled')
  const body = (json: object) => scheduleConfigurationBody.parse({ name: 's', cron: '*/15 * * * *', ...json })
  const { id, nextRuns } = (await createSchedule(context, 'scheduled', body({}))).view
  expect(nextRuns[0]).toBe('2026-03-02T10:15:00+01:00')
  const nextAt = async () => {
    const [row] = await opened.ports.database.all<{ at: number | null }>(
      'select next_at as at from schedule_configurations',
    )
    return row?.at ?? null
  }
  const due = await nextAt()
  expect(due).toBe(clock.at + 15 * MINUTE_MS)
  clock.at += MINUTE_MS
  await updateSchedule(context, { ref: 'scheduled', id }, { body: body({ name: 'renamed' }), ifMatch: null })
  expect(await nextAt()).toBe(due)
  await updateSchedule(
    context,
    { ref: 'scheduled', id },
    { body: body({ cron: '*/10 * * * *' }), ifMatch: null },
  )
  expect(await nextAt()).toBe(clock.at + 9 * MINUTE_MS)
  // A schedule that is due when it is changed stays due.
  clock.at += HOUR_MS
  const late = await updateSchedule(
    context,
    { ref: 'scheduled', id },
    { body: body({ cron: '*/10 * * * *', misfire: 'run_once' }), ifMatch: null },
  )
  expect(late.view.last).toBeNull()
  expect((await readSchedule(context, 'scheduled', id)).view.last).toMatchObject({ result: 'no_runner' })
  await updateSchedule(context, { ref: 'scheduled', id }, { body: body({ enabled: false }), ifMatch: null })
  expect(await nextAt()).toBeNull()
  expect((await readSchedule(context, 'scheduled', id)).view.nextRuns).toEqual([])
})

async function textsOf(ref: string): Promise<Record<string, string>> {
  const entries = (await runnableOf(opened.ports, ref, 0)).files.map(async ({ path, blob }) => {
    const found = await opened.ports.blobs.get(blob)
    return [path, await new Response(found?.body).text()] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

async function keys(sql: string): Promise<string[]> {
  return (await opened.ports.database.all<{ key: string }>(sql)).map(({ key }) => key)
}

const KEPT = 'select blob as key from script_files where blob is not null'
const ORPHANED = 'select key from orphaned_blobs'

/** Every blob is of a file or orphaned, and none is both. */
async function expectConsistent(): Promise<void> {
  const [kept, orphaned, blobs] = [
    await keys(KEPT),
    await keys(ORPHANED),
    await opened.ports.blobs.list('scripts/'),
  ]
  expect(blobs.filter((key) => !kept.includes(key) && !orphaned.includes(key))).toEqual([])
  expect(kept.filter((key) => orphaned.includes(key) || !blobs.includes(key))).toEqual([])
}

async function leftOver(): Promise<string[]> {
  const [kept, blobs] = [await keys(KEPT), await opened.ports.blobs.list('scripts/')]
  return [...blobs.filter((key) => !kept.includes(key)), ...(await keys(ORPHANED))]
}

test('a tree is listed with every directory in it', async () => {
  await make('listed')
  await put(context, 'listed', 'a/b/c')
  expect((await listTree(context, 'listed')).map(({ path, type }) => [path, type])).toEqual([
    ['a', 'directory'],
    ['a/b', 'directory'],
    ['a/b/c', 'file'],
  ])
})
