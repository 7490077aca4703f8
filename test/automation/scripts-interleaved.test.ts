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
import { createScript, deleteScript } from '../../src/automation/scripts/service.ts'
import { settingsBody } from '../../src/automation/scripts/settings/schema.ts'
import { updateSettings } from '../../src/automation/scripts/settings/service.ts'
import type { Context } from '../../src/context.ts'
import { onEachDatabase } from '../hosts/each-database.ts'
import { insertAdministrator } from './people.ts'

onEachDatabase((callers) => {
  test('the answer to new settings of a script is what their commit wrote', async () => {
    const { context, before } = callers()
    await insertAdministrator(context.ports)
    const { script } = await createScript(context, scriptBody.parse({ name: 'set' }))
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
      settings: {
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
    expect(last).toMatchObject({ version: 4, settings: { description: 'last' } })
  })

  test('the answer to a new script or configuration is this one, although it is deleted at once', async () => {
    const { context, before } = callers()
    const body = scriptBody.parse({ name: 'gone', description: 'ours' })
    const replaced = async () => {
      await deleteScript(context, 'gone', { isForced: true })
      await createScript(context, { ...body, description: 'of another' })
    }
    const { script } = await createScript(before(replaced), body)
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
})
