import { test } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { onBun } from './stage.ts'

const LIST = /\/scripts\?limit=\d+$/
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
})
