import { beforeAll, expect, test } from 'bun:test'

import type { Locator, Page } from 'playwright-core'

import { until } from '../../until.ts'
import { LOOKS } from '../browser.ts'
import { onBothHosts } from '../stage.ts'

const SETUP_MAX_MS = 300_000
const VISIT_MAX_MS = 300_000
/** How the names of controls begin that change something. Every role can have the right to plan maintenance of some object. */
const CHANGES =
  /^(Acknowledge|Add|Assign|Comment|Copy…|Create|Delete|Edit|End|Grant|Import|Maintain|Make|Move|New|Order|Publish|Revoke|Save|Send|Start\b|Stop\b|Take)/
/** How long an open page may take to follow a change of rights. */
const FOLLOWS_MAX_MS = 10_000
const EVERYONE = '/group/1/permissions/everyone/0'

onBothHosts('rights', (stage) => {
  const ids = { locks: 0, lock: 0, job: 0 }
  const ask = (method: string, path: string, json?: object) =>
    stage.client.request(method, path, json ? { json } : {})
  const grantOf = (as: 'dashboard_viewer' | 'editor') =>
    `/group/${ids.locks}/permissions/user/${stage.client.userIds[as]}`
  const allow = async (as: 'dashboard_viewer' | 'editor', write: boolean) =>
    expect((await ask('PUT', grantOf(as), { write, execute: false, maintain: write })).status).toBeLessThan(
      300,
    )

  beforeAll(async () => {
    ids.locks = Number((await ask('POST', '/groups?parentId=1', { name: 'Locks' })).body['id'])
    ids.lock = Number((await ask('POST', `/devices?parentId=${ids.locks}`, { name: 'Lock 1' })).body['id'])
    ids.job = Number((await ask('POST', `/jobs?parentId=${ids.lock}`, { name: 'gate' })).body['id'])
    expect((await ask('DELETE', EVERYONE)).status).toBe(204)
    await allow('dashboard_viewer', false)
  }, SETUP_MAX_MS)

  for (const [width, theme] of LOOKS) {
    const look = { width, theme }
    const title = `${width}, ${theme}`
    test(
      `a viewer sees no control that works and changes something, and the explainer names the grant: ${title}`,
      async () => {
        const as = 'dashboard_viewer'
        await stage.visit(`group/${ids.locks}`, { ...look, as }, async ({ page, check }) => {
          await page.getByRole('heading', { level: 1, name: 'Locks' }).waitFor()
          await expectRefused(page, /^(Add device|Maintain)/, 2)
          await check('viewer-group')
        })
        await stage.visit('objects', { ...look, as }, async ({ page, check }) => {
          await page.getByRole('treeitem', { name: 'Locks' }).waitFor()
          if (width === 'wide') await page.getByRole('heading', { level: 1, name: 'All objects' }).waitFor()
          await check('viewer-root')
        })
        await stage.visit(`job/${ids.job}`, { ...look, as }, async ({ page }) => {
          await page.getByRole('heading', { level: 1, name: 'gate' }).waitFor()
          await expectRefused(page, /^(Stop job|Maintain.*)$/, 2)
        })
        const query = `type=device&id=${ids.lock}`
        await stage.visit(`users/explain?${query}`, { ...look, as }, async ({ page, check }) => {
          const step = page.getByRole('listitem').filter({ hasText: 'dashboard_viewer, on Locks' })
          await step.getByText('decides: See').waitFor()
          await expectRefused(page, /^Revoke/, 1)
          await check('viewer-explain')
        })
      },
      VISIT_MAX_MS,
    )

    test(
      `a right that is taken away leaves an open page within 10 s: ${title}`,
      async () => {
        await allow('editor', true)
        await stage.visit(
          `group/${ids.locks}`,
          { ...look, as: 'editor' },
          async ({ page, check, expectProblem }) => {
            expectProblem(/404/)
            const add = page.getByRole('button', { name: 'Add device' })
            await add.waitFor()
            expect(await add.getAttribute('aria-disabled')).toBeNull()
            // The stream of events has to be open before the right goes.
            await page.getByText(/^Live/).first().waitFor({ state: 'attached' })
            await expectFollowed(
              () => allow('editor', false),
              page.locator('button[aria-disabled="true"]', { hasText: 'Add device' }),
            )
            await expectFollowed(
              async () => expect((await ask('DELETE', grantOf('editor'))).status).toBe(204),
              page.getByText('It was deleted, or you may not see it.'),
            )
            await page.getByRole('alert').first().waitFor()
            await add.waitFor({ state: 'detached' })
            await check('grant-gone')
            await page.goto(`${stage.url}/ui/objects`)
            await page.getByText('No object is open to you yet').first().waitFor()
            await check('nothing-open')
          },
        )
      },
      VISIT_MAX_MS,
    )
  }

  test(
    'a viewer finds no button and no item of a menu on any screen that works and changes something',
    async () => {
      const level = await ask('POST', '/slos?parentId=1', { name: 'Passage' })
      const service = `/slo/${Number(level.body['id'])}/permissions/user/${stage.client.userIds.dashboard_viewer}`
      const read = { write: false, execute: false, maintain: false }
      expect((await ask('PUT', service, read)).status).toBeLessThan(300)
      const screens = [
        '',
        'alarms',
        `group/${ids.locks}`,
        `device/${ids.lock}`,
        `job/${ids.job}`,
        ...['deliveries', 'send', 'configuration', 'outages'].map((tab) => `job/${ids.job}?tab=${tab}`),
        'slos',
        `slo/${Number(level.body['id'])}`,
        `slo/${Number(level.body['id'])}?tab=configuration`,
        'maintenance',
        'dashboards',
      ]
      await stage.visit('keys', { as: 'dashboard_viewer' }, async ({ page }) => {
        const found: string[] = []
        for (const screen of screens) {
          await page.goto(`${stage.url}/ui/${screen}`)
          await page.getByRole('main').getByRole('heading').first().waitFor()
          await until(async () => (await page.locator('main .skeleton').count()) === 0)
          const main = page.getByRole('main')
          for (const menu of await main.locator('button[aria-haspopup="menu"]').all()) {
            await menu.click()
            found.push(...(await workingOf(page, 'menuitem')).map((name) => `${screen}: item ${name}`))
            await page.keyboard.press('Escape')
          }
          found.push(...(await workingOf(page, 'button')).map((name) => `${screen}: ${name}`))
        }
        expect(found).toEqual([])
      })
    },
    VISIT_MAX_MS,
  )

  test(
    'the map asks for no data of which the role may not read any',
    async () => {
      for (const as of ['dashboard_viewer', 'editor'] as const)
        await stage.visit('keys', { as }, async ({ page, check }) => {
          const asked: string[] = []
          page.on('request', (request) => asked.push(new URL(request.url()).pathname))
          await page.goto(`${stage.url}/ui/map?source=1&table=levels&lat=lat&lon=lon`)
          await page.getByText('Maps of tables and data queries are for administrators').waitFor()
          expect(asked.filter((path) => /\/(dataSources|dataQueries|gis)\b/.test(path))).toEqual([])
          await check(`map-${as}`)
        })
    },
    VISIT_MAX_MS,
  )

  test(
    'a missing right links to the explainer of the own rights',
    async () => {
      const everything = { write: true, execute: true, maintain: true }
      expect((await ask('PUT', EVERYONE, everything)).status).toBeLessThan(300)
      await stage.visit('audit', { as: 'editor' }, async ({ page, expectProblem }) => {
        expectProblem(/403/)
        await page.getByRole('link', { name: 'Why?' }).click()
        await page.getByText('Role: Editor').waitFor()
      })
    },
    VISIT_MAX_MS,
  )

  test('signing out everywhere ends the session of another browser, whose cookies are refused from then on', () =>
    stage.visit('keys', {}, async ({ page: other, expectProblem: expectOther }) => {
      expectOther(/status of 401/)
      await other.getByRole('heading', { level: 1 }).waitFor()
      const kept = await other.context().cookies()
      const renew = (cookie: string) =>
        fetch(`${stage.url}/session/refresh`, {
          method: 'POST',
          headers: { cookie, 'content-type': 'application/json' },
          body: '{}',
        })
      const cookie = kept.map(({ name, value }) => `${name}=${value}`).join('; ')
      await stage.visit('account', {}, async ({ page, expectProblem }) => {
        expectProblem(/status of 401/)
        await page.getByRole('button', { name: 'Sign out everywhere' }).click()
        await page.getByLabel('User name').waitFor()
      })
      // The other browser has not been touched: its stream ends, or its next read is refused.
      await other.getByRole('dialog').getByLabel('Password').waitFor()
      await other.goto(`${stage.url}/ui/alarms`)
      await other.getByLabel('User name').waitFor()
      expect((await renew(cookie)).status).toBe(401)
    }))
})

/** Fails unless the page of another user has the effect of a change in time after its begin. */
async function expectFollowed(change: () => Promise<void>, effect: Locator): Promise<void> {
  const beganAt = performance.now()
  await change()
  await effect.waitFor()
  expect(performance.now() - beganAt).toBeLessThan(FOLLOWS_MAX_MS)
}

/** Fails unless all buttons of this name are refused, and there are so many. */
async function expectRefused(page: Page, name: RegExp, count: number): Promise<void> {
  const buttons = page.getByRole('main').getByRole('button', { name })
  await buttons.first().waitFor()
  expect(await buttons.count()).toBeGreaterThanOrEqual(count)
  for (const button of await buttons.all()) expect(await button.getAttribute('aria-disabled')).toBe('true')
}

/** The names of buttons or items of menus that change something, and are not refused. */
async function workingOf(page: Page, role: 'button' | 'menuitem'): Promise<readonly string[]> {
  const names: string[] = []
  for (const one of await page.getByRole('main').getByRole(role, { name: CHANGES }).all())
    if ((await one.isVisible()) && (await one.isEnabled())) names.push((await one.textContent()) ?? '')
  return names
}
