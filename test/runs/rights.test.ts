import { afterEach, beforeEach, describe, expect, test } from 'bun:test'

import { createUser } from '../../src/access/users/service.ts'
import type { Assignment } from '../../src/automation/runs/protocol.ts'
import type { JobView } from '../../src/automation/runs/schema.ts'
import { orderRun, rerunJob } from '../../src/automation/runs/service.ts'
import { schedules } from '../../src/automation/schedules/service.ts'
import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import {
  createRunConfiguration,
  deleteRunConfiguration,
  updateRunConfiguration,
} from '../../src/automation/scripts/run-configurations/service.ts'
import { webhookBody } from '../../src/automation/webhooks/schema.ts'
import { createWebhook } from '../../src/automation/webhooks/service.ts'
import type { Context, Role } from '../../src/context.ts'
import { rejection } from '../contract/rejection.ts'
import type { FakeRunner } from './fake-runner.ts'
import { openRunStage } from './stage.ts'

let stage: Awaited<ReturnType<typeof openRunStage>>
let runner: FakeRunner
beforeEach(async () => {
  stage = await openRunStage(schedules)
  runner = await stage.runner()
})
afterEach(async () => {
  stage.dispatch.close()
  await stage.close()
})

type Script = Awaited<ReturnType<typeof stage.script>>

/** A user of this role, as the caller of verbs. */
async function userOf(username: string, role: Role): Promise<Context & { readonly id: number }> {
  const context = administratorContext()
  const user = await createUser(context, { username, role, type: 'LDAP_MANAGED' })
  return {
    ...context,
    caller: { kind: 'user', userId: user.id, username, role, sessionHash: null },
    id: user.id,
  }
}

function administratorContext(): Context {
  const caller = {
    kind: 'user',
    userId: 1,
    username: 'admin',
    role: 'administrator',
    sessionHash: null,
  } as const
  return { ports: stage.ports, caller, requestId: 'test' }
}

const order = (context: Context, { id: scriptId }: Script, runConfigurationId: number | null = null) =>
  orderRun(context, {
    scriptId,
    runConfigurationId,
    arguments: null,
    parameters: {},
    trigger: 'manual',
    uploads: [],
    key: null,
  })

/** Saves the configuration of a script again, as another user. */
const save = (context: Context, { id, configurationId }: Script, change: object = {}) => {
  const body = runConfigurationBody.parse({ name: 'only', isDefault: true, ...change })
  return updateRunConfiguration(context, { ref: String(id), id: configurationId }, { body, ifMatch: null })
}

/** Calls the service as the script of a run does. @returns the status */
async function callAs({ env }: Assignment, method: string, path: string, json?: object): Promise<number> {
  const headers = { 'x-session-id': env['SVC_SESSION_ID'] ?? '', 'content-type': 'application/json' }
  const { status } = await stage.wire(path, { method, headers, ...(json && { body: JSON.stringify(json) }) })
  return status
}

/** What only administrators may do. */
const isAdministrators = async (assignment: Assignment) =>
  (await callAs(assignment, 'GET', '/runners')) === 200

/** Lets the run that waits end, and says whose rights its script had. */
async function nextOf(): Promise<{ readonly assignment: Assignment; readonly isAdministrators: boolean }> {
  const held = await runner.next()
  const { assignment } = held
  await held.begin()
  const found = { assignment, isAdministrators: await isAdministrators(assignment) }
  await held.finish()
  return found
}

const jobsOf = ({ id }: Script) => stage.ask<JobView[]>('GET', `/scripts/${id}/jobs`)

describe('a run that an administrator orders', () => {
  test('has the rights of an administrator where administrators last changed what runs', async () => {
    const script = await stage.script()
    await order(administratorContext(), script)
    expect((await nextOf()).isAdministrators).toBe(true)
  })

  test('has the rights of the Data_Editor who last changed the run configuration, until an administrator saves it', async () => {
    const script = await stage.script()
    const editor = await userOf('data', 'Data_Editor')
    await save(editor, script, { arguments: ['x'] })
    await order(administratorContext(), script)
    const { assignment, isAdministrators: reaches } = await nextOf()
    expect(reaches).toBe(false)
    expect((await jobsOf(script))[0]).toMatchObject({ userId: 1, rightsOf: [editor.id] })
    // The script acts in that user's name, so that nothing that it changes counts as an administrator's.
    expect(await stage.ports.database.all('select user_id as id from runs')).toEqual([{ id: 1 }])
    expect(await callAs(assignment, 'PUT', `/scripts/${script.id}/files/run.sh`)).toBe(401)
    await save(administratorContext(), script, { arguments: ['x'] })
    await order(administratorContext(), script)
    expect((await nextOf()).isAdministrators).toBe(true)
  })

  test('is bounded as well by a webhook, a schedule and a repetition', async () => {
    const script = await stage.script()
    const body = webhookBody.parse({ name: 't' })
    const { token } = await createWebhook(administratorContext(), String(script.id), body)
    await stage.ask('POST', `/scripts/${script.id}/scheduleConfigurations`, {
      name: 's',
      cron: '*/15 * * * *',
    })
    const runs: Readonly<Record<string, () => Promise<unknown>>> = {
      webhook: () => stage.wire(`/scripts/webhook/${token}`, { method: 'POST', headers: {} }),
      schedule: async () => {
        stage.clock.at += 15 * 60_000
        await stage.dispatch.runDue()
      },
    }
    const asOrdered = async () => {
      const found: Record<string, boolean> = {}
      for (const [name, start] of Object.entries(runs)) {
        await start()
        found[name] = (await nextOf()).isAdministrators
      }
      return found
    }
    expect(await asOrdered()).toEqual({ webhook: true, schedule: true })
    await save(await userOf('data', 'Data_Editor'), script)
    expect(await asOrdered()).toEqual({ webhook: false, schedule: false })
  })

  test('has the rights of the user whose order it repeats', async () => {
    const script = await stage.script()
    const { job } = await order(await userOf('edit', 'editor'), script)
    await nextOf()
    const again = await rerunJob(administratorContext(), { scriptId: script.id, id: job.id }, null)
    expect((await nextOf()).isAdministrators).toBe(false)
    await rerunJob(administratorContext(), { scriptId: script.id, id: again.job.id }, null)
    expect((await nextOf()).isAdministrators).toBe(false)
  })

  test('is refused as a repetition where a user who chose its arguments is gone', async () => {
    const script = await stage.script()
    const editor = await userOf('edit', 'editor')
    const { job } = await order(editor, script)
    await nextOf()
    const repeat = (id: string) => rerunJob(administratorContext(), { scriptId: script.id, id }, null)
    const again = await repeat(job.id)
    await nextOf()
    await stage.ports.database.run(`delete from users where id = ${editor.id}`)
    const refused = {
      code: 'forbidden',
      detail: 'A user who chose what is run again was deleted, or may not run scripts any more.',
    }
    for (const id of [job.id, again.job.id]) expect(await rejection(repeat(id))).toMatchObject(refused)
    expect(await jobsOf(script)).toHaveLength(2)
  })

  test('has the rights of whoever made another configuration the default one by deleting one', async () => {
    const script = await stage.script()
    await createRunConfiguration(
      administratorContext(),
      String(script.id),
      runConfigurationBody.parse({ name: 'other', arguments: ['--really'] }),
    )
    const editor = await userOf('data', 'Data_Editor')
    await deleteRunConfiguration(editor, String(script.id), script.configurationId)
    await order(administratorContext(), script)
    const { assignment, isAdministrators: reaches } = await nextOf()
    expect({ reaches, arguments: assignment.arguments }).toEqual({ reaches: false, arguments: ['--really'] })
  })

  test('has the rights of whoever took its last configuration away', async () => {
    const script = await stage.script()
    await deleteRunConfiguration(
      await userOf('data', 'Data_Editor'),
      String(script.id),
      script.configurationId,
    )
    await order(administratorContext(), script)
    expect((await nextOf()).isAdministrators).toBe(false)
  })
})

describe('where a user who last changed what runs is gone', () => {
  test('nothing runs that this user may not have decided, and the job says why', async () => {
    const script = await stage.script()
    const editor = await userOf('data', 'Data_Editor')
    await save(editor, script)
    await stage.ports.database.run(`delete from users where id = ${editor.id}`)
    await order(administratorContext(), script)
    await runner.poll(1, [], AbortSignal.timeout(200)).catch(() => [])
    const [job] = await jobsOf(script)
    expect(job?.state).toBe('failed')
    expect(job?.error).toBe(
      'The user who last changed the run configuration was deleted, or may not run scripts any more. Ask an administrator to save it again.',
    )
  })

  test('what an administrator left goes on', async () => {
    const script = await stage.script()
    const other = await userOf('other', 'administrator')
    await save(other, script)
    await stage.ports.database.run(`delete from users where id = ${other.id}`)
    await order(administratorContext(), script)
    expect((await nextOf()).isAdministrators).toBe(true)
  })
})

test('a run that two users bound reads what both may read, delivers what both may deliver, and changes nothing', async () => {
  const { id: mine } = await stage.ask<{ id: number }>('POST', '/groups?parentId=1', { name: 'mine' })
  const { id: ours } = await stage.ask<{ id: number }>('POST', `/groups?parentId=${mine}`, { name: 'ours' })
  const { id: apart } = await stage.ask<{ id: number }>('POST', `/groups?parentId=${mine}`, { name: 'apart' })
  const editor = await userOf('edit', 'editor')
  const data = await userOf('data', 'Data_Editor')
  const script = await stage.script()
  await save(data, script)
  // The right of everyone to read everything.
  await stage.ports.database.run('delete from grants')
  for (const [group, user] of [
    [mine, editor.id],
    [ours, data.id],
  ] as const)
    await stage.ports.database.run(
      `insert into grants (object_id, user_id, write, execute, maintain) values (${group}, ${user}, 1, 1, 1)`,
    )
  await order(editor, script)
  const held = await runner.next()
  expect((await jobsOf(script))[0]?.rightsOf).toEqual([editor.id, data.id])
  const { assignment } = held
  const read = (group: number) => callAs(assignment, 'GET', `/groups/${group}`)
  expect([await read(ours), await read(apart)]).toEqual([200, 404])
  expect(await callAs(assignment, 'POST', `/groups?parentId=${ours}`, { name: 'new' })).toBe(403)
  await stage.ports.database.run(`update users set disabled_at = 1 where id = ${data.id}`)
  stage.clock.at += 2_000
  expect(await read(ours)).toBe(401)
})
