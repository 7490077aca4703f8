import { expect, test } from 'bun:test'

import { ADMIN } from '../../hosts/host.ts'
import { good } from '../../api/suite.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'

const PASSPHRASE = 'a passphrase of the test'
const TEST_MAX_MS = 180_000

type Kept = { readonly id: number; readonly url: string }

onMainHost('restore', (stage) => {
  test(
    'a deleted group comes back with its devices from a backup of the service, and nothing else changes',
    async () => {
      const { client } = stage
      const make = async (path: string, name: string) =>
        (await good<{ id: number }>(client.request('POST', path, { json: { name } }))).id
      const group = await make('/groups?parentId=1', 'Pumps')
      const device = await make(`/devices?parentId=${group}`, 'Station')
      const json = { passphrase: PASSPHRASE, histories: false }
      await good(client.request('POST', '/backups', { json }))
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
      const kept = await make('/groups?parentId=1', 'after the backup')
      await stage.visit('settings/backups', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 4\d\d/)
        await page.getByRole('button', { name: 'Restore the backup of' }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
        await lengthen(page, /\/audit\?/)
        await dialog.getByRole('button', { name: 'Deleted objects' }).click()
        await dialog.getByText('Earlier deletions are in the audit log.').waitFor()
        const look = dialog.getByRole('button', { name: 'Check the backup' })
        expect(await look.getAttribute('title')).toBe('Choose at least one object')
        await dialog.getByLabel('Other ids').fill('999999')
        await look.click()
        await dialog
          .getByRole('alert')
          .getByText('#999999 must be the id of an object in the backup')
          .waitFor()
        await dialog.getByLabel('Other ids').fill('')
        await dialog.getByLabel(/^Group Pumps, deleted/).check()
        await check('restore-choice')
        await look.click()
        await dialog.getByText('The backup has no histories').waitFor()
        await dialog.getByLabel('Also from a backup without values and states').check()
        await look.click()
        await dialog.getByText('2 objects come back with ids, links and rights, without values').waitFor()
        await check('restore-objects')
        await dialog.getByRole('button', { name: 'Restore', exact: true }).click()
        await dialog.getByText('2 objects are restored.').waitFor()
        await check('restored-objects')
        await dialog.getByRole('link', { name: 'Station' }).click()
        await page.getByRole('heading', { level: 1, name: 'Station' }).waitFor()
      })
      for (const path of [`/groups/${group}`, `/devices/${device}`, `/groups/${kept}`])
        expect((await client.request('GET', path)).status).toBe(200)
      await good(client.request('DELETE', `/groups/${group}?recursive=true`))
      await good(client.request('DELETE', `/groups/${kept}`))
    },
    TEST_MAX_MS,
  )

  test(
    'a backup is restored from a file: checked first, confirmed by typing, and the page leads to the login',
    async () => {
      const { client } = stage
      const before = await good<{ id: number }>(
        client.request('POST', '/groups?parentId=1', { json: { name: 'of the backup' } }),
      )
      const json = { passphrase: PASSPHRASE, histories: false }
      const { url } = await good<Kept>(client.request('POST', '/backups', { json }))
      const { bytes } = await client.request('GET', url)
      const after = await good<{ id: number }>(
        client.request('POST', '/groups?parentId=1', { json: { name: 'after the backup' } }),
      )
      await stage.visit('settings/backups', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 4\d\d/)
        await page.getByRole('button', { name: 'Restore from a file' }).first().click()
        const dialog = page.getByRole('dialog')
        await dialog
          .getByLabel('Choose a backup')
          .setInputFiles({ name: 'kept.gz', mimeType: 'application/gzip', buffer: Buffer.from(bytes) })
        await dialog.getByLabel('Passphrase').fill('not this passphrase')
        await dialog.getByRole('button', { name: 'Check the backup' }).click()
        await dialog.locator('.err').waitFor()
        await dialog.getByLabel('Passphrase').fill(PASSPHRASE)
        await dialog.getByRole('button', { name: 'Check the backup' }).click()
        await dialog.getByText('The installation is not empty').waitFor()
        await dialog.getByRole('row', { name: /^Objects 3 2$/ }).waitFor()
        await check('restore')
        const go = dialog.getByRole('button', { name: 'Restore', exact: true })
        expect(await go.getAttribute('aria-disabled')).toBe('true')
        // A dry run changes nothing.
        expect((await client.request('GET', `/groups/${after.id}`)).status).toBe(200)
        await dialog.getByLabel(/^Type .* to confirm$/).fill('Tidemark')
        await go.click()
        await page.getByText('The backup is restored. All sessions have ended').waitFor()
        await check('restored')
        await page.getByLabel('User name').fill(ADMIN.username)
        await page.getByLabel('Password').fill(ADMIN.password)
        await page.getByRole('button', { name: 'Sign in', exact: true }).click()
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await page.goto(`${stage.url}/ui/settings/health`)
        await page.getByText('Notifications are paused since a restore.').waitFor()
        await page.goto(`${stage.url}/ui/notifications`)
        await page.getByText(/^Notifications are paused since .* None waits\.$/).waitFor()
        await page.getByRole('button', { name: 'Resume notifications' }).click()
        await page.getByText('Notifications are sent again').waitFor()
        await page.getByRole('button', { name: 'Resume notifications' }).waitFor({ state: 'detached' })
      })
      const basic = { authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}` }
      const statusOf = async (id: number) =>
        (await client.request('GET', `/groups/${id}`, { as: null, headers: basic })).status
      expect([await statusOf(before.id), await statusOf(after.id)]).toEqual([200, 404])
    },
    TEST_MAX_MS,
  )
})
