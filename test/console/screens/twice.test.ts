import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { good } from '../../api/suite.ts'
import { readUntil, until } from '../../until.ts'
import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'

const TEST_MAX_MS = 180_000
/** A request that overtakes another one has reached the service by then. */
const OVERTAKEN_MS = 300

type Made = { readonly id: number }

/** Clicks where the pointer is, as the second click of a double click does. */
async function clickAgain(page: Page): Promise<void> {
  await page.mouse.down({ clickCount: 2 })
  await page.mouse.up({ clickCount: 2 })
}

onMainHost('twice', (stage) => {
  const make = (path: string, json: object) =>
    good<Made>(stage.client.request('POST', path, { json: { name: `tank ${crypto.randomUUID()}`, ...json } }))

  test(
    'a button acts once while its action is sent, and once for a double click',
    async () => {
      const { id } = await make('/devices?parentId=1', {})
      await stage.visit(`device/${id}`, {}, async ({ page }) => {
        const plans = await heldAnswers(page, /\/revaluations$/, 'POST')
        let answered = 0
        page.on('response', (response) => void (response.url().endsWith('/revaluations') && ++answered))
        const maintain = page.getByRole('button', { name: 'Maintain 20 min' })
        await maintain.click()
        await until(async () => plans.count() === 1)
        await maintain.locator('.spin').waitFor()
        expect(await maintain.getAttribute('aria-disabled')).toBe('true')
        await maintain.click({ force: true })
        plans.end()
        await page.getByText('in maintenance for 20 minutes').waitFor()
        await clickAgain(page)
        await maintain.click()
        await until(async () => answered === 2)
        expect(plans.count()).toBe(2)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a key acknowledges each alarm once, also while the acknowledgement of another alarm is sent',
    async () => {
      const { client } = stage
      const device = await make('/devices?parentId=1', {})
      for (const name of ['inner gate', 'outer gate']) {
        const { id } = await make(`/jobs?parentId=${device.id}`, { name })
        await good(client.request('POST', `/webcollector/jobs/${id}/values`, { json: { errorCode: 1 } }))
      }
      await stage.visit('alarms', {}, async ({ page }) => {
        const sent = await heldAnswers(page, /\/alarms\/actions$/, 'POST')
        for (const name of [/inner gate/, /inner gate/, /outer gate/]) {
          await page.getByRole('row', { name }).click()
          await page.keyboard.press('a')
        }
        await until(async () => sent.count() === 1)
        sent.end()
        await readUntil(
          () => good<{ items: { status: string }[] }>(client.request('GET', '/alarms')),
          ({ items }) => items.every(({ status }) => status === 'assigned'),
        )
        expect(sent.count()).toBe(2)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'an item of a menu and a link to a file act once while what they ask for is sent',
    async () => {
      const device = await make('/devices?parentId=1', {})
      const { id: jobId } = await make(`/jobs?parentId=${device.id}`, {
        parameters: { returnValue: [{ valueName: 'Level' }] },
      })
      const { id } = await make('/slos?parentId=1', {})
      await stage.visit(`slo/${id}`, {}, async ({ page }) => {
        const plans = await heldAnswers(page, /\/revaluations$/, 'POST')
        const menu = page.getByRole('button', { name: /^More about / })
        await menu.click()
        await page.getByRole('menuitem', { name: 'Maintain 20 min' }).click()
        await until(async () => plans.count() === 1)
        await menu.click({ force: true })
        expect(await page.getByRole('menu').count()).toBe(0)
        plans.end()
        await page.getByText('in maintenance for 20 minutes').waitFor()
        await menu.click()
        await page.getByRole('menuitem', { name: 'Maintain 20 min' }).click()
        await until(async () => plans.count() > 1)
        expect(plans.count()).toBe(2)
      })
      await stage.visit(`job/${jobId}`, {}, async ({ page }) => {
        const answer = Promise.withResolvers<void>()
        let asked = 0
        await page.route(/\/value-history/, async (route) => {
          if (route.request().headers()['accept'] !== 'text/csv') return route.fallback()
          asked += 1
          await answer.promise
          await route.continue()
        })
        const link = page.getByRole('button', { name: 'CSV' })
        await link.press('Enter')
        await until(async () => asked === 1)
        await page.keyboard.press('Enter')
        const saved = page.waitForEvent('download')
        answer.resolve()
        await saved
        expect(asked).toBe(1)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a form that is saved twice is sent once, and keeps what was typed meanwhile',
    async () => {
      const device = await make('/devices?parentId=1', {})
      const { id } = await make(`/jobs?parentId=${device.id}`, { parameters: { timeout: 'PT10M' } })
      const job = () => good<{ name: string; parameters: object }>(stage.client.request('GET', `/jobs/${id}`))
      await stage.visit(`job/${id}?tab=configuration`, {}, async ({ page }) => {
        const saves = await heldAnswers(page, /\/jobs\/\d+$/, 'PATCH')
        await page.getByLabel('Timeout').fill('2 h')
        await page.keyboard.press('Control+Enter')
        await until(async () => saves.count() === 1)
        await page.keyboard.press('Control+Enter')
        const name = page.getByLabel('Name', { exact: true })
        await name.fill('Inner level')
        saves.end()
        await page.getByText('Saved', { exact: true }).waitFor()
        expect(await name.inputValue()).toBe('Inner level')
        expect(await job()).toMatchObject({ parameters: { timeout: 'PT2H' } })
        await page.keyboard.press('Control+Enter')
        await readUntil(job, (stored) => stored.name === 'Inner level')
        expect(saves.count()).toBe(2)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a file that is saved twice is sent once, and a switch that is pressed twice ends where it was',
    async () => {
      const { id } = await make('/scripts', {})
      const { client } = stage
      await good(client.request('PUT', `/scripts/${id}/files/main.py`, { text: 'old\n' }))
      await stage.visit(`scripts/${id}?tab=files&file=main.py`, {}, async ({ page }) => {
        const saves = await heldAnswers(page, /\/files\/main\.py$/, 'PUT')
        await page.getByLabel('Content of main.py').fill('new\n')
        await page.keyboard.press('Control+Enter')
        await until(async () => saves.count() === 1)
        await page.keyboard.press('Control+Enter')
        saves.end()
        await page.getByText('main.py is saved').waitFor()
        expect(saves.count()).toBe(1)
      })
      const at = `/scripts/${id}/scheduleConfigurations`
      await make(at, { name: 'mornings', enabled: true, cron: '0 6 * * *', timeZone: 'UTC', misfire: 'skip' })
      await stage.visit(`scripts/${id}?tab=schedules`, {}, async ({ page }) => {
        const first = Promise.withResolvers<void>()
        let sent = 0
        await page.route(/\/scheduleConfigurations\/\d+$/, async (route) => {
          if (route.request().method() === 'PATCH' && ++sent === 1) await first.promise
          await route.continue()
        })
        const on = page.getByLabel('Switch mornings on')
        await on.uncheck()
        await on.check()
        await Bun.sleep(OVERTAKEN_MS)
        first.resolve()
        await until(async () => sent === 2)
        await readUntil(
          () => good<{ enabled: boolean }[]>(client.request('GET', at)),
          ([schedule]) => schedule?.enabled === true,
        )
        expect(await on.isChecked()).toBe(true)
      })
      expect(await good<object[]>(client.request('GET', at))).toMatchObject([{ enabled: true }])
    },
    TEST_MAX_MS,
  )

  test(
    'a dialog that is closed while it is saved leaves another one open, and its failure has a message',
    async () => {
      const { client } = stage
      const { id } = await make('/dataSources', { type: 'csv' })
      const columns = [{ name: 'level', type: 'number' }]
      for (const name of ['inner', 'outer'])
        await good(client.request('POST', `/dataSources/${id}/tables`, { json: { name, columns } }))
      await stage.visit(`data/${id}`, {}, async ({ page, expectProblem }) => {
        expectProblem(/status of 404/)
        const saves = await heldAnswers(page, /\/comment$/, 'PUT')
        const dialog = page.getByRole('dialog')
        const saveAndCancel = async (text: string): Promise<void> => {
          const before = saves.count()
          await page.getByRole('button', { name: 'Comment on inner' }).click()
          await dialog.getByLabel('Comment').fill(text)
          await dialog.getByRole('button', { name: 'Save' }).click()
          await until(async () => saves.count() > before)
          await dialog.getByRole('button', { name: 'Cancel' }).click()
        }
        await saveAndCancel('In the lock')
        await page.getByRole('button', { name: 'Comment on outer' }).click()
        saves.release()
        await page.getByText('In the lock').waitFor()
        expect(await dialog.count()).toBe(1)
        await page.keyboard.press('Escape')
        await good(client.request('DELETE', `/dataSources/${id}/tables/inner`))
        await saveAndCancel('Out of the lock')
        saves.end()
        await page.locator('.toast.failed').waitFor()
      })
    },
    TEST_MAX_MS,
  )
})
