import { expect, test } from 'bun:test'

import { ADMIN } from '../hosts/host.ts'
import { onBothHosts } from './stage.ts'

const REFUSED = /status of (?:401|403)/

onBothHosts('entrance', (stage) => {
  test('a visitor signs in and gets the screen of the address, and signs out', () =>
    stage.visit('alarms?status=open', { as: null }, async ({ page, check, expectProblem }) => {
      expectProblem(REFUSED)
      await page.getByLabel('User name').fill(ADMIN.username)
      await page.getByLabel('Password').fill('a wrong password')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      expect(await page.getByLabel('User name').inputValue()).toBe(ADMIN.username)
      await check('refused')
      await page.getByLabel('Password').fill(ADMIN.password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
      expect(page.url()).toBe(`${stage.url}/ui/alarms?status=open`)

      await page.reload()
      await page.getByRole('heading', { level: 1, name: 'Alarms' }).waitFor()
      await page.getByRole('button', { name: 'Account and appearance of admin' }).click()
      await page.getByRole('menuitem', { name: 'Sign out' }).click()
      await page.getByLabel('User name').waitFor()
      await page.goto(`${stage.url}/ui/alarms`)
      await page.getByLabel('User name').waitFor()
    }))

  test('no script of the page can read the credentials that outlive it', () =>
    stage.visit('', {}, async ({ page }) => {
      await page.getByRole('main').waitFor()
      expect(await page.evaluate<string>('document.cookie')).toBe('')
      const stored = await page.evaluate<string>('JSON.stringify({ ...localStorage, ...sessionStorage })')
      expect(stored).not.toMatch(/[\w-]{20,}/)
    }))
})

onBothHosts(
  'setup',
  (stage) => {
    test('the set-up link creates the administrator, and works once', async () => {
      const link = new URL((await stage.setupLink()) ?? 'no link')
      const path = `..${link.pathname.slice(new URL(stage.url).pathname.length - 1)}${link.search}`
      await stage.visit(path, { as: null, browser: { locale: 'de-DE' } }, async ({ page, check }) => {
        await page.getByLabel('Passwort').fill(ADMIN.password)
        expect(await page.getByLabel('Zeitzone').inputValue()).toBe('Europe/Zurich')
        await page.getByRole('radio').nth(1).check()
        await check('form')
        await page.getByRole('button', { name: 'Tidemark einrichten' }).click()
        await page.waitForURL(`${stage.url}/ui/first-value`)
        await page.getByRole('main').waitFor()
      })
      expect(await (await fetch(`${stage.url}/session/options`)).json()).toMatchObject({ isSetUp: true })
      await stage.visit(path, { as: null }, async ({ page, check, expectProblem }) => {
        expectProblem(REFUSED)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Set up Tidemark' }).click()
        await page.getByRole('heading', { name: 'This link is over' }).waitFor()
        await check('over')
      })
    })
  },
  { isNew: true },
)
