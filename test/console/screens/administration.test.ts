import { afterAll, expect, test } from 'bun:test'

import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'
import { until } from '../../until.ts'

/** The sections of the administration that the navigation does not name. */
const SECTIONS = [
  'users/groups',
  'users/explain',
  'users/user/1',
  'settings/backups',
  'settings/runners',
  'settings/health',
  'settings/demo',
  'notifications/links',
  'notifications/messages',
] as const
const VISIT_MAX_MS = 300_000
const SESSIONS_IN_PAGE = 20

/** The receiver of a webhook. */
const received: string[] = []
let answer = 200
const receiver = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  fetch({ url }) {
    received.push(new URL(url).pathname)
    return new Response('', { status: answer })
  },
})
afterAll(() => receiver.stop(true))

const declareAdministration = (stage: Stage): void => {
  for (const path of stage.name === 'bun' ? SECTIONS : [])
    test(
      `${path} has no fault of accessibility`,
      () =>
        stage.visit(path, {}, async ({ page, check }) => {
          await page.locator('main .card').first().waitFor()
          await until(async () => (await page.locator('.skeleton').count()) === 0)
          await check(path.replace('/', '-'))
        }),
      VISIT_MAX_MS,
    )

  test(
    'an administrator creates a user, grants a right, and revokes it',
    () =>
      stage.visit('users', {}, async ({ page }) => {
        await page.getByRole('button', { name: 'New user' }).click()
        const form = page.getByRole('dialog')
        await form.getByLabel('User name').fill('jonas')
        await form.getByLabel('Password').fill('correct horse battery')
        await form.getByRole('button', { name: 'Create' }).click()
        const row = page.getByRole('row', { name: /jonas/ })
        await row.getByRole('link', { name: 'Explain' }).click()
        await page.getByText('Role: Editor').waitFor()

        await page.getByRole('button', { name: 'Grant rights' }).click()
        const grant = page.getByRole('dialog')
        await grant.getByLabel('Change').check()
        await grant.getByRole('button', { name: 'Grant rights' }).click()
        const step = page.getByRole('listitem').filter({ hasText: 'jonas, on All objects' })
        await step.getByText(/decides: .*Change/).waitFor()

        await step.getByRole('button', { name: /Revoke/ }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
        await step.waitFor({ state: 'detached' })
        await page.getByRole('button', { name: 'Undo' }).click()
        await step.waitFor()
      }),
    VISIT_MAX_MS,
  )

  test(
    'an administrator disables a user, who is signed out, enables the user, and requires a second factor',
    () =>
      stage.visit('users', {}, async ({ page }) => {
        const request = (...sent: Parameters<typeof stage.client.request>) => stage.client.request(...sent)
        const password = 'correct horse battery'
        const user = { username: 'leaver', password, role: 'editor' }
        const { id } = (await request('POST', '/users', { json: user })).body
        const credentials = { username: 'leaver', password }
        const logIn = () => request('POST', '/session/login', { json: credentials, as: null })
        for (let session = 0; session <= SESSIONS_IN_PAGE; session++) expect((await logIn()).status).toBe(200)
        await page.reload()
        await page.getByRole('link', { name: 'leaver', exact: true }).click()
        const sessions = page.getByRole('region', { name: 'Sessions' })
        const ends = sessions.getByRole('button', { name: 'End', exact: true })
        await ends.first().waitFor()
        expect(await ends.count()).toBe(SESSIONS_IN_PAGE)
        const more = sessions.getByRole('button', { name: 'Show more' })
        await more.click()
        await ends.nth(SESSIONS_IN_PAGE).waitFor()
        expect(await more.count()).toBe(0)
        await page.reload()
        await more.waitFor()
        // Also those of the next page end.
        await sessions.getByRole('button', { name: 'End all' }).click()
        await sessions.getByText('No open session').waitFor()
        expect((await logIn()).status).toBe(200)
        await page.reload()
        await ends.waitFor()

        await page.getByRole('button', { name: 'Disable' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Disable' }).click()
        await page.getByText('No open session').waitFor()
        await page.getByRole('button', { name: 'Enable' }).waitFor()
        expect((await logIn()).status).toBe(401)

        await page.getByRole('button', { name: 'Enable' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Enable' }).click()
        await page.getByText('Can sign in').waitFor()
        // The service has the last word: the box changes after its answer.
        await page.getByLabel('Required of this user').click()
        await page.getByText('sets up a second factor').waitFor()
        expect((await request('GET', `/users/${String(id)}/mfa`)).body).toMatchObject({ isEnforced: true })
        expect((await logIn()).body).toMatchObject({ owed: 'mfa' })
        await page.getByRole('link', { name: 'Users and rights' }).first().click()
        await page
          .getByRole('row', { name: /leaver/ })
          .getByText('required, not set up')
          .waitFor()
      }),
    VISIT_MAX_MS,
  )

  test(
    'an administrator sets the shortest pace of dashboards, and keeps what is typed during the save',
    () =>
      stage.visit('settings', {}, async ({ page }) => {
        const saves = await heldAnswers(page, /\/settings\.json$/, 'PATCH')
        await page.getByLabel('Dashboards read their data at most each').selectOption('PT15S')
        await page.getByRole('button', { name: 'Save' }).click()
        await until(async () => saves.count() === 1)
        const name = page.getByLabel('Name of the installation')
        await name.fill('Harbour')
        saves.end()
        await page.getByText('Saved', { exact: true }).waitFor()
        await page.getByRole('button', { name: 'Save', disabled: false }).waitFor()
        expect(await name.inputValue()).toBe('Harbour')
        const { body } = await stage.client.request('GET', '/settings.json')
        expect(body).toMatchObject({ dashboardRefresh: 'PT15S' })
      }),
    VISIT_MAX_MS,
  )

  test(
    'an administrator creates a recipient, changes a rule of it, and edits, removes and creates its alarm link',
    () =>
      stage.visit('notifications', {}, async ({ page, check }) => {
        await page.getByRole('button', { name: 'New recipient' }).first().click()
        const form = page.getByRole('dialog')
        await form.getByLabel('Name', { exact: true }).fill('Duty')
        await form.getByLabel('Sent by').selectOption({ label: 'ntfy' })
        await form.getByLabel('Topic').fill('duty-of-the-test')
        for (const part of await form.locator('summary').all()) await part.click()
        await check('recipient-form')
        await form.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('button', { name: 'Edit Duty' }).click()
        await form.getByLabel('Messages per hour at most').fill('7')
        await form.getByRole('button', { name: 'Save' }).click()
        await form.waitFor({ state: 'detached' })
        const { items } = (await stage.client.request('GET', '/alarmrecipients')).body
        expect(items).toMatchObject([{ name: 'Duty', type: 'ntfy', messagesPerHour: 7 }])

        await page.getByRole('link', { name: 'Alarm links' }).click()
        const links = page.getByRole('region', { name: 'Alarm links' })
        await links.getByText('All objects').waitFor()
        // The first recipient is linked to the root by the service.
        await page.getByRole('button', { name: 'Edit the link to Duty' }).click()
        await form.getByLabel('After', { exact: true }).fill('5')
        await check('link-form')
        await form.getByRole('button', { name: 'Save' }).click()
        await form.waitFor({ state: 'detached' })
        const linksOf = async () => (await stage.client.request('GET', '/group/1/alarmLinks')).body['links']
        expect(await linksOf()).toMatchObject([{ delay: 'PT5M' }])
        await page.getByRole('button', { name: 'Remove the link to Duty' }).click()
        await form.getByRole('button', { name: 'Delete' }).click()
        await page.getByText('No alarm link yet').waitFor()
        expect(await linksOf()).toEqual([])

        await page.getByRole('button', { name: 'New link' }).first().click()
        const silent = form.getByText('and no one gets a message')
        await silent.waitFor()
        await form.getByLabel('Recipient').selectOption({ label: 'Duty' })
        expect(await silent.count()).toBe(0)
        await form.getByRole('button', { name: 'Save' }).click()
        await page.getByRole('button', { name: 'Edit the link to Duty' }).waitFor()
        expect(await linksOf()).toMatchObject([{ delay: 'PT0S', covers: 'below' }])
      }),
    VISIT_MAX_MS,
  )

  test(
    'a test is sent to a recipient, and the answer of its receiver is shown',
    async () => {
      const target = { url: `http://127.0.0.1:${receiver.port}/duty` }
      const json = { name: 'Receiver', type: 'webhook', target }
      const { id } = (await stage.client.request('POST', '/alarmrecipients', { json })).body
      await stage.visit('notifications', {}, async ({ page }) => {
        const row = page.getByRole('row', { name: /Receiver/ })
        const send = row.getByRole('button', { name: 'Send a test to Receiver' })
        await send.click()
        await row.getByText('Delivered').waitFor()
        expect(received).toEqual(['/duty'])
        answer = 503
        await send.click()
        await row.getByText('Failed', { exact: true }).waitFor()
        await row.getByText(/503/).waitFor()
        await page.reload()
        await row.getByText('Failed', { exact: true }).waitFor()
      })
      answer = 200
      received.length = 0
      await stage.client.request('DELETE', `/alarmrecipients/${String(id)}`)
    },
    VISIT_MAX_MS,
  )

  test(
    'without a directory the sync says so',
    () =>
      stage.visit('users/directory', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/40[49]/)
        await page.getByText('No sync yet').waitFor()
        await check('users-directory')
        await page.getByRole('button', { name: 'Sync now' }).click()
        await page.getByText('The sync failed').waitFor()
      }),
    VISIT_MAX_MS,
  )

  test.each([
    ['users', 'New user', 'Only administrators can change users and rights'],
    ['settings/backups', 'Make a backup', 'Only administrators can change this'],
    ['settings/backups', 'Restore from a file', 'Only administrators can change this'],
  ])(
    'in %s a viewer reads why "%s" is disabled',
    (path, name, why) =>
      stage.visit(path, { as: 'dashboard_viewer' }, async ({ page, expectProblem }) => {
        expectProblem(/status of 403/)
        const button = page.getByRole('button', { name, exact: true })
        await button.and(page.locator('[aria-disabled=true]')).waitFor()
        expect(await button.getAttribute('title')).toBe(why)
      }),
    VISIT_MAX_MS,
  )

  test(
    'refusals and the names of keys are in the language of the page',
    async () => {
      const path = `/users/${stage.client.userIds.collector}`
      expect((await stage.client.request('PATCH', path, { json: { language: 'de' } })).status).toBe(200)
      await stage.visit('settings/backups', { as: 'collector' }, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 403/)
        await page.getByText('Ihre Rechte erlauben das nicht.').waitFor()
        await page.locator('[lang=en]', { hasText: 'Your role does not allow this request.' }).waitFor()
        await check('refused-in-german')
        await page.keyboard.press('?')
        await page
          .locator('dt', { hasText: /^StrgEingabe$/ })
          .first()
          .waitFor()
      })
    },
    VISIT_MAX_MS,
  )
}
onMainHost('administration', declareAdministration, {
  variables: { TIDEMARK_OUTBOUND_ALLOW: `127.0.0.1:${receiver.port}` },
})
