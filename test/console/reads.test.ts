import { expect, test } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { until } from '../until.ts'
import { onBun } from './stage.ts'

const LIST = /(?<!ui)\/scripts$/
const DEMO = /(?<!settings)\/demo$/
/** More than the interval of the page. */
const PASSED_MS = 2_000
const REFRESH = /\/session\/refresh$/

onBun('reads', (stage) => {
  test('a screen that waits for a login is read after it, also when it was left and opened again meanwhile', () =>
    stage.visit('keys', {}, async ({ page, expectProblem }) => {
      expectProblem(/status of 401/)
      await page.getByRole('heading', { level: 1 }).waitFor()
      for (const route of [LIST, REFRESH])
        await page.route(route, (request) => request.fulfill({ status: 401, json: {} }))
      await page.evaluate(`document.querySelector('a.item[href$="/scripts"]').click()`)
      await page.getByRole('dialog').getByLabel('Password').waitFor()
      await page.goBack()
      await page.getByText('Ctrl', { exact: true }).first().waitFor()
      await page.goForward()
      await page.getByRole('heading', { level: 1, name: 'Scripts' }).waitFor()
      for (const route of [LIST, REFRESH]) await page.unroute(route)
      await page.getByRole('dialog').getByLabel('Password').fill(ADMIN.password)
      await page.keyboard.press('Enter')
      await page.getByText('No scripts yet').waitFor()
    }))

  test('a page in the background reads nothing, also while its figures move', () =>
    stage.visit('keys', {}, async ({ page }) => {
      const putBehind = (isBehind: boolean) =>
        page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isBehind} })`)
      let reads = 0
      await page.route(DEMO, (request) => {
        reads += 1
        return request.fulfill({ json: { state: 'making', progress: reads / 100, groupId: null } })
      })
      await page.clock.install()
      await page.goto(`${stage.url}/ui/settings/demo`)
      await page.getByRole('progressbar', { name: 'Demo plant' }).waitFor()
      await putBehind(true)
      const readsBefore = reads
      await page.clock.runFor(PASSED_MS)
      expect(reads).toBe(readsBefore)
      await putBehind(false)
      await page.clock.runFor(PASSED_MS)
      await until(async () => reads > readsBefore)
    }))
})
