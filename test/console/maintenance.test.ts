import { expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { onBothHosts } from './stage.ts'
import type { Stage } from './stage.ts'

const TEST_MAX_MS = 90_000
const ZONE = 'Europe/Amsterdam'
const BROWSER = { timezoneId: ZONE }

type Made = { readonly id: number }

const makeDevice = async ({ client }: Stage): Promise<{ readonly id: number; readonly name: string }> => {
  const name = `pump ${crypto.randomUUID().slice(0, 8)}`
  return good(client.request('POST', '/devices?parentId=1', { json: { name } }))
}

const plan = ({ client }: Stage, device: Made, json: object): Promise<Made> =>
  good(client.request('POST', `/devices/${device.id}/revaluations`, { json }))

onBothHosts('maintenance', (stage) => {
  test(
    'a week has the hours that its days have, and says so',
    async () => {
      const device = await makeDevice(stage)
      await plan(stage, device, {
        name: 'Switch firmware',
        begin: '2037-03-28T23:30:00Z',
        end: '2037-03-29T02:00:00Z',
      })
      await stage.visit(
        'maintenance?view=week&at=2037-03-29',
        { browser: BROWSER },
        async ({ page, check }) => {
          await page
            .getByText('On Sunday, March 29 clocks go forward from 02:00 to 03:00: the day has 23 hours.')
            .waitFor()
          const cell = page.getByRole('gridcell', { name: 'Sun, Mar 29, 04:00' })
          await cell.focus()
          await page.keyboard.press('ArrowUp')
          await page.keyboard.press('ArrowUp')
          expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Sun, Mar 29, 01:00')
          await page.keyboard.press('Tab')
          expect(await page.evaluate<string>('document.activeElement.textContent')).toStartWith(
            'Switch firmware',
          )
          await page
            .getByRole('button', { name: /^Switch firmware/ })
            .first()
            .waitFor()
          await check('week')
        },
      )
      await stage.visit('maintenance?view=week&at=2037-10-25', { browser: BROWSER }, async ({ page }) => {
        await page.getByText('clocks go back from 03:00 to 02:00: the day has 25 hours.').waitFor()
        expect(await page.getByRole('rowheader', { name: /^02:00/ }).allTextContents()).toEqual([
          '02:00',
          '02:00 again',
        ])
      })
    },
    TEST_MAX_MS,
  )
})
