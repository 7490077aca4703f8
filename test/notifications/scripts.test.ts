import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'

import { readyOf } from '../../src/automation/runs/service/assign.ts'
import { findRun } from '../../src/automation/runs/store.ts'
import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import {
  createRunConfiguration,
  updateRunConfiguration,
} from '../../src/automation/scripts/run-configurations/service.ts'
import { moveInTree, saveTreeFile } from '../../src/automation/scripts/files/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript, deleteScript } from '../../src/automation/scripts/service.ts'
import type { Context } from '../../src/context.ts'
import { openNotifier } from '../../src/monitoring/notifications/outbox/service.ts'
import { recipientBody } from '../../src/monitoring/notifications/recipients/schema.ts'
import { testRecipient, updateRecipient } from '../../src/monitoring/notifications/recipients/service.ts'
import { mortalPorts } from '../hosts/mortal-ports.ts'
import { Mortal } from '../engine/mortal.ts'
import { openStage } from './stage.ts'
import type { Stage } from './stage.ts'

const MINUTE_MS = 60_000
const GROUPING_MS = 10_000
const STEPS_MAX = 50

let stage: Stage
beforeAll(async () => {
  stage = await openStage()
})
beforeEach(async () => {
  await stage.reset()
  for (const table of ['scripts', 'runs', 'run_repeats', 'attempts'])
    await stage.ports.database.run(`delete from ${table}`)
  await stage.ports.database.run(`update users set role = 'administrator'`)
})
afterAll(() => stage.close())

async function makeScript(name = 's'): Promise<number> {
  const { view: script } = await createScript(stage.context, scriptBody.parse({ name }))
  const bytes = new TextEncoder().encode('true')
  await saveTreeFile(stage.context, name, { path: 'run.sh', bytes, condition: () => undefined })
  return script.id
}

const configure = async (name: string) =>
  (await createRunConfiguration(stage.context, 's', runConfigurationBody.parse({ name }))).view

/** A post carries out what is due, on a database that dies on the way. */
async function settleOnce(mortal: Mortal): Promise<void> {
  const post = openNotifier(mortalPorts(mortal, stage.ports))
  await post.runDue().catch(() => undefined)
  await post.sent()
}

const tellScript = (target: object) => stage.recipient({ type: 'script', target })

type Run = {
  readonly id: string
  readonly script: number
  readonly configuration: number
  readonly user: number
  readonly trigger: string
  readonly parameters: string
}

const runs = () =>
  stage.rows<Run>(`select id, script_id as script, run_configuration_id as configuration, user_id as user, trigger,
    "order" ->> 'parameters' as parameters from runs order by id`)

type Message = { readonly status: string; readonly attempts: number; readonly detail: string }

const messages = () => stage.rows<Message>('select status, attempts, detail from notifications order by id')

/** An alarm opens, and its message is carried out. */
async function openAlarm(): Promise<void> {
  await stage.happen({ kind: 'opened' })
  await stage.pass(MINUTE_MS)
}

test('an opening alarm runs a script with the rights of the user who set it and the payload of a webhook', async () => {
  const scriptId = await makeScript()
  await configure('default')
  const { id: configuration } = await configure('other')
  await tellScript({ scriptId, runConfigurationId: configuration })
  await openAlarm()
  const [run, ...more] = await runs()
  expect(more).toEqual([])
  expect(run).toMatchObject({ script: scriptId, configuration, user: 1, trigger: 'alarm' })
  expect(JSON.parse(run?.parameters ?? '')).toMatchObject({
    type: 'alarm.opened',
    data: {
      recipient: 'ops',
      alarms: [{ event: 'opened', alarmId: 100, object: { id: 11 }, state: 'major', message: 'too hot' }],
      leftOut: 0,
    },
  })
  expect(await messages()).toEqual([
    { status: 'sent', attempts: 1, detail: `The run ${run?.id} was ordered.` },
  ])
})

for (const ends of ['before', 'after'] as const) {
  test(`an opening alarm runs a script once, also if the process dies ${ends} a step`, async () => {
    const scriptId = await makeScript()
    const repeated: number[] = []
    let diesAt = 0
    for (let isOver = false; !isOver;) {
      expect(++diesAt).toBeLessThan(STEPS_MAX)
      await stage.reset()
      await stage.rows('delete from runs')
      await tellScript({ scriptId })
      await stage.happen({ kind: 'opened' })
      stage.clock.at += GROUPING_MS
      const mortal = new Mortal(diesAt, ends)
      await settleOnce(mortal)
      isOver = !mortal.isDead
      const before = (await runs()).map(({ id }) => id)
      await stage.pass(2 * MINUTE_MS)
      const after = await runs()
      expect({ diesAt, runs: after.map(({ trigger }) => trigger) }).toEqual({ diesAt, runs: ['alarm'] })
      const [message, ...others] = await messages()
      expect(others).toEqual([])
      expect(message).toMatchObject({ status: 'sent', detail: `The run ${after[0]?.id} was ordered.` })
      if (before.length > 0 && message?.attempts === 2) repeated.push(diesAt)
    }
    expect(diesAt).toBeGreaterThan(4)
    // Who dies between the order and its record tries it again, under the same key.
    expect(repeated).toHaveLength(1)
  })
}

const GONE: readonly (readonly [
  what: string,
  take: (scriptId: number, configurationId: number) => unknown,
  detail: string,
])[] = [
  [
    'a script that is gone',
    () => deleteScript(stage.context, 's', { isForced: true }),
    'There is no such script.',
  ],
  [
    'a configuration that is gone',
    async (_, id) => {
      await configure('other')
      // Deleting it is refused while a recipient names it; a restored installation may be without it all the same.
      await stage.rows(`delete from run_configurations where id = ${id}`)
    },
    'There is no such run configuration.',
  ],
  [
    'a script without anything that runs',
    () => moveInTree(stage.context, 's', { from: 'run.sh', to: 'start.sh' }),
    'The script has no entry point. Rename start.sh to run.sh (found: start.sh).',
  ],
  [
    'a user who may not run scripts any more',
    () => stage.rows(`update users set role = 'collector'`),
    'The user who set this target was deleted, or may not run scripts any more.',
  ],
]

test.each(GONE)('%s is final, and is reported', async (_, take, detail) => {
  const scriptId = await makeScript()
  const { id: runConfigurationId } = await configure('only')
  const recipient = await tellScript({ scriptId, runConfigurationId })
  await take(scriptId, runConfigurationId)
  await openAlarm()
  expect(await messages()).toEqual([{ status: 'dead', attempts: 1, detail }])
  expect(await testRecipient(stage.context, recipient)).toEqual({ status: 'failed', detail })
  expect(await runs()).toEqual([])
})

test('a run that the queue has no room for is retried', async () => {
  const scriptId = await makeScript()
  await fillQueue(await tellScript({ scriptId }))
  await stage.happen({ kind: 'opened' })
  await stage.pass(GROUPING_MS)
  expect(await messages()).toEqual([
    {
      status: 'waiting',
      attempts: 1,
      detail: 'This run configuration already has 1000 waiting runs. Try again later.',
    },
  ])
  await stage.rows('delete from runs')
  await stage.pass(2 * MINUTE_MS)
  expect(await messages()).toMatchObject([{ status: 'sent', attempts: 2 }])
  expect(await runs()).toHaveLength(1)
})

/** As many runs of a recipient's script wait as may. */
async function fillQueue(recipient: number): Promise<void> {
  await testRecipient(stage.context, recipient)
  const named = await stage.rows<{ name: string }>(`select name from pragma_table_info('runs')`)
  const columns = named.map(({ name }) => `"${name}"`)
  const values = columns.map((name) => (name === '"id"' ? `id || '_' || value` : name))
  await stage.rows(
    `insert into runs (${columns.join()}) select ${values.join()} from runs, generate_series(1, 999)`,
  )
}

test('a recipient that is changed after its message had a run starts no other run', async () => {
  const scriptId = await makeScript()
  const recipient = await tellScript({ scriptId })
  await stage.happen({ kind: 'opened' })
  stage.clock.at += GROUPING_MS
  // The commits of forming, of the attempt and of the order, behind that of tidying.
  await settleOnce(new Mortal(4, 'after'))
  expect(await runs()).toHaveLength(1)
  const body = recipientBody.parse({ name: 'renamed', type: 'script' })
  await updateRecipient(stage.context, recipient, { body, ifMatch: null })
  await stage.pass(2 * MINUTE_MS)
  expect(await messages()).toEqual([
    { status: 'sent', attempts: 2, detail: 'A run was ordered for this notification before.' },
  ])
  expect(await runs()).toHaveLength(1)
})

test('a script runs with the rights of the user who set it, until another user sets it', async () => {
  const scriptId = await makeScript()
  const recipient = await tellScript({ scriptId })
  await stage.rows(`insert or ignore into users (id, username, password_hash, role, type, fullname, email, phone, language,
    time_zone, version, created_at) select 2, 'second', '', role, type, '', '', '', language, time_zone, 1, 0 from users`)
  const second = { ...stage.context, caller: { ...stage.context.caller, userId: 2 } } as Context
  const update = async (change: object) => {
    const body = recipientBody.parse({ name: 'ops', type: 'script', ...change })
    const { recipient: seen } = await updateRecipient(second, recipient, { body, ifMatch: null })
    await testRecipient(second, recipient)
    stage.clock.at += MINUTE_MS
    return [seen.target, (await runs()).at(-1)?.user] as const
  }
  const first = [`script ${scriptId}, as user 1`, 1] as const
  expect(await update({})).toEqual(first)
  expect(await update({ target: first[0] })).toEqual(first)
  expect(await update({ target: { scriptId } })).toEqual([`script ${scriptId}, as user 2`, 2])
})

test('a script of an alarm has no rights that the last editor of its configuration does not have', async () => {
  const scriptId = await makeScript()
  const { id } = await configure('default')
  await tellScript({ scriptId })
  await stage.rows(`insert or ignore into users (id, username, password_hash, role, type, fullname, email, phone, language,
    time_zone, version, created_at) select 3, 'data', '', role, type, '', '', '', language, time_zone, 1, 0 from users`)
  await stage.rows(`update users set role = 'Data_Editor' where id = 3`)
  const caller = {
    kind: 'user',
    userId: 3,
    username: 'data',
    role: 'Data_Editor',
    sessionHash: null,
  } as const
  const body = runConfigurationBody.parse({ name: 'default', isDefault: true, arguments: ['theirs'] })
  await updateRunConfiguration({ ...stage.context, caller }, { ref: 's', id }, { body, ifMatch: null })
  await openAlarm()
  const [run] = await runs()
  expect(run).toMatchObject({ user: 1, trigger: 'alarm' })
  const row = await findRun(stage.ports.database, run?.id ?? '')
  const ready = row && (await readyOf(stage.ports, row))
  expect(ready?.holders).toMatchObject({ user: { userId: 3, role: 'Data_Editor' }, others: [] })
})
