import { expect, test } from 'bun:test'

import { runConfigurationBody } from '../../src/automation/scripts/run-configurations/schema.ts'
import {
  createRunConfiguration,
  deleteRunConfiguration,
  listRunConfigurations,
} from '../../src/automation/scripts/run-configurations/service.ts'
import { scheduleConfigurationBody } from '../../src/automation/scripts/schedule-configurations/schema.ts'
import {
  createSchedule,
  deleteSchedule,
  listSchedules,
} from '../../src/automation/scripts/schedule-configurations/service.ts'
import { scriptBody } from '../../src/automation/scripts/schema.ts'
import { createScript, deleteScript, updateScript } from '../../src/automation/scripts/service.ts'
import { settingsBody } from '../../src/automation/scripts/settings/schema.ts'
import { updateSettings } from '../../src/automation/scripts/settings/service.ts'
import { cancelJob } from '../../src/automation/runs/service.ts'
import type { ListedRun } from '../../src/automation/runs/service.ts'
import { listForecastRuns, orderForecastRun } from '../../src/automation/runs/service/forecast-runs.ts'
import { takeOutput } from '../../src/automation/runs/service/files.ts'
import { orderRun } from '../../src/automation/runs/service/order-run.ts'
import { listTree, makeDirectory, putFile, saveTreeFile } from '../../src/automation/scripts/files/service.ts'
import { groupIdOf } from '../../src/automation/scripts/groups/service.ts'
import { importScript } from '../../src/automation/scripts/service/import.ts'
import type { Context } from '../../src/context.ts'
import { rejection } from '../contract/rejection.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { insertAdministrator } from './people.ts'

onEachDatabase((callers) => {
  test('the answer to new settings of a script is what their commit wrote', async () => {
    const { context, before } = callers()
    await insertAdministrator(context.ports)
    const { view: script } = await createScript(context, scriptBody.parse({ name: 'set' }))
    const put = (as: Context, description: string) => {
      const runConfigurations = [{ name: `run ${description}` }]
      const scheduleConfigurations = [{ name: `schedule ${description}`, cron: '@daily' }]
      const body = { name: 'set', description, runConfigurations, scheduleConfigurations }
      return updateSettings(as, 'set', { body: settingsBody.parse(body), ifMatch: null })
    }
    const ours = await put(
      before(() => put(context, 'of another')),
      'ours',
    )
    expect(ours).toMatchObject({
      version: 2,
      view: {
        description: 'ours',
        groupId: script.groupId,
        runConfigurations: [{ name: 'run ours', isDefault: true }],
        scheduleConfigurations: [{ name: 'schedule ours' }],
      },
    })
    const last = await put(
      before(() => deleteScript(context, 'set', { isForced: true })),
      'last',
    )
    expect(last).toMatchObject({ version: 4, view: { description: 'last' } })
  })

  test('a file goes to the script that had the name, also where it is renamed and another gets the name', async () => {
    const { context, after } = callers()
    await createScript(context, scriptBody.parse({ name: 'named' }))
    const renamed = async () => {
      await updateScript(context, 'named', { body: scriptBody.parse({ name: 'renamed' }), ifMatch: null })
      await createScript(context, scriptBody.parse({ name: 'named' }))
    }
    const pathsOf = async (name: string) => (await listTree(context, name)).map(({ path }) => path)
    const file = { path: 'run.sh', bytes: new Uint8Array(1), condition: () => undefined }
    const changes: readonly ((as: Context) => Promise<unknown>)[] = [
      // The bytes are noted in a commit before that of the tree.
      (as) => saveTreeFile(as, 'named', file),
      (as) => makeDirectory(as, 'named', 'run.sh'),
    ]
    for (const change of changes) {
      await change(after(renamed))
      expect([await pathsOf('renamed'), await pathsOf('named')]).toEqual([['run.sh'], []])
      await deleteScript(context, 'renamed', { isForced: true })
    }
    await deleteScript(context, 'named', { isForced: true })
  })

  test('the answer to a new script or configuration is this one, although it is deleted at once', async () => {
    const { context, before } = callers()
    const body = scriptBody.parse({ name: 'gone', description: 'ours' })
    const replaced = async () => {
      await deleteScript(context, 'gone', { isForced: true })
      await createScript(context, { ...body, description: 'of another' })
    }
    const { view: script } = await createScript(before(replaced), body)
    expect(script.description).toBe('ours')

    const removeRun = async () => {
      for (const { id } of await listRunConfigurations(context, 'gone'))
        await deleteRunConfiguration(context, 'gone', id)
    }
    const run = await createRunConfiguration(
      before(removeRun),
      'gone',
      runConfigurationBody.parse({ name: 'run' }),
    )
    expect(run).toMatchObject({ version: 2, view: { name: 'run', isDefault: true } })

    const removeSchedule = async () => {
      for (const { id } of await listSchedules(context, 'gone')) await deleteSchedule(context, 'gone', id)
    }
    const schedule = await createSchedule(
      before(removeSchedule),
      'gone',
      scheduleConfigurationBody.parse({ name: 'daily', cron: '@daily' }),
    )
    expect(schedule).toMatchObject({ version: 4, view: { name: 'daily', cron: '@daily' } })
  })

  test('the answer to an ordered or cancelled run is what the commit stored, although the run is deleted at once', async () => {
    const { context, before } = callers()
    const { ports } = context
    const group = await groupIdOf(ports, undefined)
    const add = async () => {
      const entries = [await putFile(ports, null, 'run.sh', new TextEncoder().encode('exit'))]
      return importScript(context, { name: 'run', group, entries, settings: null }, { overwrite: false })
    }
    const order = {
      runConfigurationId: null,
      arguments: null,
      parameters: {},
      trigger: 'manual',
      uploads: [],
      key: null,
    } as const
    const remove = () => deleteScript(context, 'run', { isForced: true })
    const { id } = await add()
    const ordered = await orderRun(before(remove), { ...order, scriptId: id })
    expect(ordered.job).toMatchObject({ scriptId: id, state: 'queued' })

    const { id: scriptId } = await add()
    const { job } = await orderRun(context, { ...order, scriptId })
    const cancelled = await cancelJob(before(remove), { scriptId, id: job.id })
    const ended = {
      state: 'cancelled',
      cancelRequested: true,
      waitingFor: null,
      finishedAt: job.queuedAt,
    } as const
    expect(cancelled).toEqual({ ...job, ...ended })
  })

  test('of two runs or outputs that come at once for the last place one is refused', async () => {
    const { context, after } = callers()
    const { database } = context.ports
    const group = await groupIdOf(context.ports, undefined)
    const entries = [await putFile(context.ports, null, 'run.sh', new TextEncoder().encode('exit'))]
    const script = { name: 'busy', group, entries, settings: null }
    const { id: scriptId } = await importScript(context, script, { overwrite: false })
    const order = (as: Context) =>
      orderRun(as, {
        scriptId,
        runConfigurationId: null,
        arguments: null,
        parameters: {},
        trigger: 'manual',
        uploads: [],
        key: null,
      })
    const { id } = (await order(context)).job
    await database.run(
      `update runs set attempt_hash = 'h', runner_id = 1, lease_until = 0 where id = '${id}'`,
    )
    const output = async (as: Context, named: string) => {
      const chunks = async function* () {
        yield new Uint8Array(1)
      }
      await takeOutput(as.ports, { id, runnerId: 1, attemptHash: 'h' }, { named, chunks: chunks() })
    }
    await database.run(`insert into run_files
      select '${id}', 'output', value, value, 1, '', 'text/plain' from (${numbersTo(19)})`)
    const late = output(
      after(() => output(context, 'last')),
      'late',
    )
    expect(await rejection(late)).toMatchObject({
      code: 'conflict',
      detail: 'A run can produce at most 20 files.',
    })
    await output(context, 'last')
    expect(await database.all(`select name from run_files where run_id = '${id}' and name > 'a'`)).toEqual([
      { name: 'last' },
    ])

    const named = await database.all<{ name: string }>(`select name from pragma_table_info('runs')`)
    const columns = named.map(({ name }) => `"${name}"`)
    const changed: Readonly<Record<string, string>> = { '"id"': 'id || value', '"lease_until"': 'null' }
    const values = columns.map((name) => changed[name] ?? name)
    await database.run(`insert into runs (${columns.join()})
      select ${values.join()} from runs, (${numbersTo(998)}) where id = '${id}'`)
    const second = order(after(() => order(context)))
    expect(await rejection(second)).toMatchObject({
      code: 'overloaded',
      detail: 'This run configuration already has 1000 waiting runs. Try again later.',
    })
    expect(
      await database.all(
        `select count(*) as waiting from runs where script_id = ${scriptId} and state = 'queued'`,
      ),
    ).toEqual([{ waiting: 1_000 }])
  })

  test('of two runs of a forecast that are ordered at once one is refused, or the same by its key', async () => {
    const { context, after } = callers()
    const order = (as: Context, forecastId: number, key: string | null) =>
      orderForecastRun(as.ports, {
        forecastId,
        forecast: { kind: 'prophet', name: 'load', timeoutS: 0, retries: 0, runnerLabels: [] },
        input: new Uint8Array(1),
        trigger: 'manual',
        userId: 1,
        key,
        also: [],
      })
    const second = order(
      after(() => order(context, 7, null)),
      7,
      null,
    )
    expect(await rejection(second)).toMatchObject({
      code: 'conflict',
      detail: 'Another run of this forecast has not ended.',
    })
    expect(await listForecastRuns(context.ports, { forecastId: 7 }, 10)).toHaveLength(1)

    const first: ListedRun[] = []
    const again = await order(
      after(async () => first.push(await order(context, 8, 'key'))),
      8,
      'key',
    )
    expect(first.map(({ id }) => id)).toEqual([again.id])
  })
})

/** The statement that selects the numbers from 1 on. */
function numbersTo(max: number): string {
  return `with recursive n (value) as (select 1 union all select value + 1 from n where value < ${max}) select value from n`
}
