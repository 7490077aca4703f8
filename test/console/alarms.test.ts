import { expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { onMainHost } from './stage.ts'
import { until } from '../until.ts'

type Made = { readonly id: number }
const LIMIT = 10

onMainHost('alarms', (stage) => {
  test('a crossed limit appears without a reload; the keyboard acknowledges it, takes that back, and acknowledges again', async () => {
    const { client } = stage
    const device = await good<Made>(
      client.request('POST', '/devices?parentId=1', { json: { name: 'gauge' } }),
    )
    const job = await good<Made>(
      client.request('POST', `/jobs?parentId=${device.id}`, {
        json: {
          name: 'Outer level',
          parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
          thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: LIMIT }] } },
        },
      }),
    )
    const deliver = (returnValue1: number) =>
      good(
        client.request('POST', `/webcollector/jobs/${job.id}/values`, {
          json: { returnValue1, errorCode: 0 },
        }),
      )
    const statuses = async () =>
      (await good<{ items: { status: string }[] }>(client.request('GET', '/alarms'))).items.map(
        ({ status }) => status,
      )
    const untilAlarmIs = async (status: string) => {
      await until(async () => (await statuses())[0] === status)
      expect(await statuses()).toEqual([status])
    }
    await deliver(LIMIT - 1)

    await stage.visit('alarms', {}, async ({ page, check }) => {
      await page.getByText('No alarm is open').waitFor()
      await deliver(LIMIT + 1)
      await page.getByRole('row', { name: /Outer level/ }).waitFor()
      await check('breached')

      await page.getByRole('grid').focus()
      await page.keyboard.press('a')
      await page.getByText('Outer level is yours until it is ok').waitFor()
      await untilAlarmIs('assigned')
      await page.keyboard.press('z')
      await untilAlarmIs('open')
      // The page has heard of it too, else the key would act on what it shows still.
      await page
        .getByRole('row', { name: /Outer level/ })
        .getByText('nobody')
        .waitFor()
      await page.keyboard.press('a')
      await untilAlarmIs('assigned')

      await page.keyboard.press('c')
      await page.getByRole('dialog').getByRole('textbox').fill('watching it')
      await page.keyboard.press('Control+Enter')
      await page.getByText('watching it').waitFor()
      await check('commented')

      await page.getByRole('searchbox', { name: 'Filter by name' }).fill('pump')
      await page.getByText('No alarm matches').waitFor()
      expect(page.url()).toContain('filter=pump')
      await page.getByRole('button', { name: 'Clear filter' }).click()
      await page.getByRole('row', { name: /Outer level/ }).waitFor()

      await deliver(LIMIT - 1)
      await page.getByText('No alarm is open').waitFor()
    })
  })
})
