import { expect, test } from 'bun:test'

import { codeOf, stepAt } from '../../../src/access/session/mfa/totp.ts'
import { fromBase32 } from '../../access/base32.ts'
import { createDashboard } from '../../api/objects.ts'
import { good } from '../../api/suite.ts'
import { onMainHost } from '../stage.ts'

const VISIT_MAX_MS = 180_000
/** The colours of the button that sends the form of a dialog, after their transitions. */
const COLOURS = `(() => {
  const button = document.querySelector('dialog .btn.primary')
  for (const one of button.getAnimations()) one.finish()
  const { color, backgroundColor } = getComputedStyle(button)
  return [color, backgroundColor].join()
})()`

onMainHost('account', (stage) => {
  test(
    'a personal token is shown once, has its scopes in words, and is revoked',
    () =>
      stage.visit('account', {}, async ({ page, check }) => {
        const tokens = page.getByRole('region', { name: 'Personal tokens' })
        await tokens.getByText('No token yet').waitFor()
        await tokens.getByRole('button', { name: 'New token' }).click()
        const dialog = page.getByRole('dialog')
        const refused = await page.evaluate<string>(COLOURS)
        await dialog.getByRole('button', { name: 'Create' }).hover()
        expect(await page.evaluate<string>(COLOURS)).toBe(refused)
        await dialog.getByLabel('Name').fill('Laptop')
        await dialog.getByLabel('Read', { exact: true }).check()
        await check('new-token')
        await dialog.getByRole('button', { name: 'Create' }).click()
        const shown = dialog.getByRole('region', { name: 'Token' })
        const token = (await shown.textContent())?.trim() ?? ''
        const statusOf = async () => {
          const headers = { authorization: `Bearer ${token}` }
          return (await fetch(`${stage.url}/jobs`, { headers })).status
        }
        expect(await statusOf()).toBe(200)
        await check('token')
        await dialog.getByRole('button', { name: 'Close' }).click()
        await tokens.getByRole('row', { name: /Laptop.*Deliver values and run scripts, Read/ }).waitFor()
        await page.reload()
        await tokens.getByRole('row', { name: /Laptop/ }).waitFor()
        expect(await page.getByText(token).count()).toBe(0)
        await tokens.getByRole('button', { name: 'Revoke Laptop' }).click()
        await tokens.getByText('No token yet').waitFor()
        expect(await statusOf()).toBe(401)
      }),
    VISIT_MAX_MS,
  )

  test(
    'a start dashboard that was deleted shows as none in the account and in the settings',
    async () => {
      const { client } = stage
      const startDashboardId = await createDashboard(client)
      const json = { startDashboardId }
      await good(client.request('PATCH', `/users/${client.userIds.administrator}`, { json }))
      await good(client.request('PATCH', '/settings.json', { json }))
      await good(client.request('DELETE', `/dashboards/${startDashboardId}`))
      await stage.visit('account', {}, async ({ page }) => {
        const shown = page.getByLabel('Start dashboard').locator('option:checked')
        await shown.filter({ hasText: 'the one of the settings' }).waitFor({ state: 'attached' })
        await page.goto(`${stage.url}/ui/settings`)
        await shown.filter({ hasText: 'the first by name' }).waitFor({ state: 'attached' })
      })
    },
    VISIT_MAX_MS,
  )

  test(
    'a second factor is set up with its code, its recovery codes are made anew, and it is removed',
    () =>
      stage.visit('account', { as: 'editor' }, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 422/)
        const factor = page.getByRole('region', { name: 'Second factor' })
        const dialog = page.getByRole('dialog')
        const isActive = async () =>
          (await good<{ isActive: boolean }>(stage.client.request('GET', '/session/mfa', { as: 'editor' })))
            .isActive
        await factor.getByRole('button', { name: 'Set up' }).click()
        const secret = await dialog.getByRole('region', { name: 'Key for the authenticator' }).textContent()
        let step = 0
        const nextCode = () => {
          // Each code is taken once.
          step = Math.max(step + 1, stepAt(Date.now()))
          return codeOf(fromBase32(secret?.trim() ?? ''), step)
        }
        await dialog.getByLabel('Code').fill('000000')
        await dialog.getByRole('button', { name: 'Confirm' }).click()
        await dialog.locator('[aria-invalid=true]').waitFor()
        await check('second-factor')
        await dialog.getByLabel('Code').fill(await nextCode())
        await dialog.getByRole('button', { name: 'Confirm' }).click()
        const codes = dialog.getByRole('region', { name: 'Recovery codes' })
        const first = await codes.textContent()
        await check('recovery-codes')
        await dialog.getByRole('button', { name: 'I have kept them' }).click()
        await factor.getByText('10 recovery codes left').waitFor()
        expect(await isActive()).toBe(true)

        await factor.getByRole('button', { name: 'New recovery codes' }).click()
        await dialog.getByLabel('Code').fill(await nextCode())
        await dialog.getByRole('button', { name: 'New recovery codes' }).click()
        await codes.waitFor()
        const [recoveryCode] = (await codes.textContent())?.trim().split('\n') ?? []
        expect(first).not.toContain(recoveryCode)
        await dialog.getByRole('button', { name: 'Close' }).click()

        await factor.getByRole('button', { name: 'Remove' }).click()
        await dialog.getByLabel('Code').fill(recoveryCode ?? '')
        await dialog.getByRole('button', { name: 'Remove' }).click()
        await factor.getByText('Not set up').waitFor()
        expect(await isActive()).toBe(false)
      }),
    VISIT_MAX_MS,
  )
})
