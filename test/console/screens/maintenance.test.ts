import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { good } from '../../api/suite.ts'
import { readUntil, until } from '../../until.ts'
import { heldAnswers } from '../held-answers.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'

const TEST_MAX_MS = 180_000
/** A Sunday without maintenance of other tests, in winter. */
const DAY = '2037-01-11'
const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000

type Device = { readonly id: number; readonly name: string }
type Rule = { readonly type: string; readonly exception: boolean; readonly times: readonly object[] }
type Made = {
  readonly id: number
  readonly name: string
  readonly begin: string
  readonly end: string
  readonly status: string
  readonly active: readonly Rule[]
}
const FOCUSED = 'document.activeElement.textContent'

function helpersOf({ client }: Stage) {
  const makeDevice = (): Promise<Device> =>
    good(
      client.request('POST', '/devices?parentId=1', {
        json: { name: `pump ${crypto.randomUUID().slice(0, 8)}` },
      }),
    )
  const plan = ({ id }: Device, json: object): Promise<Made> =>
    good(client.request('POST', `/devices/${id}/revaluations`, { json }))
  const read = ({ id }: Device, of: Made): Promise<Made> =>
    good(client.request('GET', `/devices/${id}/revaluations/${of.id}`))
  const list = ({ id }: Device): Promise<readonly Made[]> =>
    good(client.request('GET', `/devices/${id}/revaluations?edit=true`))
  /** Waits until a revaluation has a time. */
  const untilAt = async (device: Device, of: Made, times: readonly string[]): Promise<void> => {
    const timesOf = async () => {
      const { begin, end } = await read(device, of)
      return [begin, end].map((at) => new Date(at).toISOString().slice(0, 16))
    }
    await readUntil(timesOf, (found) => String(found) === String(times))
  }
  return { makeDevice, plan, read, list, untilAt }
}

/** Drags from the middle of the first hour of an element by hours and days of the week. */
async function drag(
  page: Page,
  of: ReturnType<Page['locator']>,
  by: { readonly days?: number; readonly hours?: number; readonly fromEnd?: boolean },
): Promise<void> {
  const cells = await Promise.all(
    ['12:00', '13:00'].map((hour) =>
      page.getByRole('gridcell', { name: `Sun, Jan 11, ${hour}` }).boundingBox(),
    ),
  )
  const box = await of.boundingBox()
  const [first, second] = cells
  if (!box || !first || !second) throw new Error('The calendar has no boxes.')
  const [x, y] = [box.x + box.width / 2, by.fromEnd ? box.y + box.height - 2 : box.y + 12]
  const hourPx = second.y - first.y
  await page.mouse.move(x, y)
  await page.mouse.down()
  await page.mouse.move(x + (by.days ?? 0) * first.width, y + (by.hours ?? 0) * hourPx, { steps: 6 })
  await page.mouse.up()
}

onMainHost('maintenance', (stage) => {
  test(
    'a week has the hours that its days have, and says so',
    async () => {
      const { makeDevice, plan } = helpersOf(stage)
      const times = { begin: '2037-03-28T23:30:00Z', end: '2037-03-29T02:00:00Z' }
      await plan(await makeDevice(), { name: 'Switch firmware', ...times })
      await stage.visit('maintenance?view=week&at=2037-03-29', {}, async ({ page, check }) => {
        await page
          .getByText('On Sunday, March 29 clocks go forward from 02:00 to 03:00: the day has 23 hours.')
          .waitFor()
        const cell = page.getByRole('gridcell', { name: 'Sun, Mar 29, 04:00' })
        await cell.focus()
        await page.keyboard.press('ArrowUp')
        await page.keyboard.press('ArrowUp')
        expect(await page.evaluate<string>(FOCUSED)).toBe('Sun, Mar 29, 01:00')
        await page.keyboard.press('Tab')
        expect(await page.evaluate<string>(FOCUSED)).toStartWith('Switch firmware')
        await check('week')
      })
      await stage.visit('maintenance?view=week&at=2037-10-25', {}, async ({ page }) => {
        await page.getByText('clocks go back from 03:00 to 02:00: the day has 25 hours.').waitFor()
        expect(await page.getByRole('rowheader', { name: /^02:00/ }).allTextContents()).toEqual([
          '02:00',
          '02:00 again',
        ])
      })
    },
    TEST_MAX_MS,
  )

  test(
    'an entry is dragged, resized and moved by keys, each with its way back; a refusal leaves it in its place',
    async () => {
      const { makeDevice, plan, untilAt } = helpersOf(stage)
      const device = await makeDevice()
      const made = await plan(device, {
        name: 'Oil change',
        begin: `${DAY}T08:00:00Z`,
        end: `${DAY}T10:00:00Z`,
      })
      await stage.visit(`maintenance?view=week&at=${DAY}`, {}, async ({ page, check }) => {
        const entry = page.getByRole('button', { name: /^Oil change/ })
        await entry.scrollIntoViewIfNeeded()
        await drag(page, entry, { days: -2, hours: 1 })
        await untilAt(device, made, ['2037-01-09T09:00', '2037-01-09T11:00'])
        await page.getByRole('button', { name: 'Undo' }).click()
        await untilAt(device, made, [`${DAY}T08:00`, `${DAY}T10:00`])
        await page.getByRole('button', { name: /^Oil change.*09:00/ }).waitFor()
        await drag(page, entry, { hours: 1, fromEnd: true })
        await untilAt(device, made, [`${DAY}T08:00`, `${DAY}T11:00`])

        // A key that follows while the page reads the calendar moves the entry on, although the answer has the time before.
        const told = (text: RegExp) => page.locator('.toast').getByText(text).waitFor()
        const calendar = await heldAnswers(page, /revaluation-calendar\?begin=2037/, 'GET')
        await entry.focus()
        await page.keyboard.press('Alt+ArrowUp')
        await untilAt(device, made, [`${DAY}T07:45`, `${DAY}T10:45`])
        await readUntil(
          async () => calendar.count(),
          (count) => count === 1,
        )
        await page.keyboard.press('Alt+Shift+ArrowDown')
        await untilAt(device, made, [`${DAY}T07:45`, `${DAY}T11:00`])
        await told(/11 08:45–12:00/)
        calendar.release()
        await readUntil(
          async () => calendar.count(),
          (count) => count === 2,
        )
        expect(await page.evaluate<string>(FOCUSED)).toMatch(/^Oil change.*08:45–12:00/)
        await page.keyboard.press('Alt+ArrowLeft')
        await untilAt(device, made, ['2037-01-10T07:45', '2037-01-10T11:00'])
        calendar.end()

        // So does a key that follows before the service has answered the first.
        const saves = await heldAnswers(page, /revaluations/, 'PUT')
        await page.keyboard.press('Alt+ArrowRight')
        await until(async () => saves.count() === 1)
        await page.keyboard.press('Alt+Shift+ArrowUp')
        saves.end()
        await untilAt(device, made, [`${DAY}T07:45`, `${DAY}T10:45`])
        await page.keyboard.press('Alt+ArrowLeft')
        await untilAt(device, made, ['2037-01-10T07:45', '2037-01-10T10:45'])
        await told(/10 08:45–11:45/)

        // Undone before the service has it, a move is taken back, and not the move before.
        const held = Promise.withResolvers<void>()
        await page.route('**/revaluations/*', async (route) => {
          if (route.request().method() === 'PUT') await held.promise
          await route.continue()
        })
        let answers = 0
        page.on('response', (response) => void (response.request().method() === 'PUT' && ++answers))
        const begun = page.waitForRequest((request) => request.method() === 'PUT')
        await page.keyboard.press('Alt+ArrowLeft')
        await begun
        await page.keyboard.press('z')
        held.resolve()
        await until(async () => answers === 2)
        await untilAt(device, made, ['2037-01-10T07:45', '2037-01-10T10:45'])
        await check('moved')
      })
      await stage.visit(`maintenance?at=2037-01`, {}, async ({ page, check }) => {
        const entry = page.getByRole('button', { name: /Oil change/ })
        await entry.dragTo(page.locator('td[data-day="2037-01-13"]'))
        await untilAt(device, made, ['2037-01-13T07:45', '2037-01-13T10:45'])
        await check('month')
      })
      const look = { as: 'dashboard_viewer' } as const
      await stage.visit(`maintenance?at=2037-01`, look, async ({ page, expectProblem }) => {
        expectProblem(/status of 403/)
        const entry = page.getByRole('button', { name: /Oil change/ })
        await entry.dragTo(page.locator('td[data-day="2037-01-14"]'))
        await page.getByText('Oil change stays where it was').waitFor()
        await page.locator('td[data-day="2037-01-13"]').getByText('Oil change').waitFor()
        await entry.click()
        const edit = page.getByRole('button', { name: 'Edit' })
        await page.getByRole('button', { name: 'Edit', disabled: true }).waitFor()
        expect(await edit.getAttribute('title')).toBe(`You need the right to maintain ${device.name}`)
      })
      await untilAt(device, made, ['2037-01-13T07:45', '2037-01-13T10:45'])
    },
    TEST_MAX_MS,
  )

  test(
    'a series is moved once, edited in its form, and repaired where lists leave it out',
    async () => {
      const { makeDevice, plan, read, list } = helpersOf(stage)
      const device = await makeDevice()
      const weekly = { begin: '14:00', duration: 'PT2H', weekday: 7 }
      const made = await plan(device, {
        name: 'Gate oil',
        begin: '2037-02-01T12:30:00Z',
        end: '2037-12-01T00:00:00Z',
        active: [{ type: 'weekly', timezone: 'Europe/Zurich', times: [weekly] }],
      })
      await stage.visit('maintenance?view=week&at=2037-02-08', {}, async ({ page, check }) => {
        const entry = page.getByRole('button', { name: /^Gate oil/ })
        await entry.focus()
        await page.keyboard.press('Alt+ArrowLeft')
        const dialog = page.getByRole('dialog', { name: 'Move a recurring entry' })
        await dialog.getByRole('radio', { name: 'only this time' }).check()
        await check('series')
        await dialog.getByRole('button', { name: 'Move' }).click()
        await page.getByRole('button', { name: 'Undo' }).waitFor()
        expect((await read(device, made)).active.map(({ type, exception }) => [type, exception])).toEqual([
          ['weekly', false],
          ['one_time', true],
          ['one_time', false],
        ])
        await page.keyboard.press('z')
        await page.locator('.ev[title*="Sun"]', { hasText: 'Gate oil' }).waitFor()
        expect((await read(device, made)).active).toHaveLength(1)

        await entry.click()
        await page.getByText('It begins at 13:30, but its times at 14:00.').waitFor()
        await page.getByText('From then on 14:00 in Zurich is 12:00 UTC, not 13:00.').waitFor()
        await check('details')
        await page.getByRole('button', { name: 'Make them equal' }).click()
        await page.getByText('Gate oil is saved').waitFor()
        expect(await read(device, made)).toMatchObject({ editOnly: false })

        await entry.click()
        await page.getByRole('button', { name: 'Edit' }).click()
        await page.getByLabel('Title').fill('Gate grease')
        await page.getByLabel('Ticket or incident').fill('WO-7')
        await page.getByLabel('Comment').fill('Bring a lamp')
        await page.getByLabel('Recurs', { exact: true }).selectOption('rules')
        await page.getByLabel('Duration').fill('90 min')
        await page.getByRole('button', { name: 'Add times or an exception' }).click()
        const second = page.getByRole('group', { name: 'Times 2' })
        await second.getByLabel('Recurs').selectOption('one_time')
        await second.getByLabel('Date').fill('2037-02-15')
        await second.getByLabel('At', { exact: true }).fill('14:00')
        await second.getByLabel('Duration').fill('90 min')
        await second.getByLabel('An exception').check()
        await check('form')
        await page.keyboard.press('Control+Enter')
        await page.getByRole('button', { name: /^Gate grease/ }).waitFor()
        expect(await read(device, made)).toMatchObject({
          name: 'Gate grease',
          incident: 'WO-7',
          comment: 'Bring a lamp',
          active: [
            { type: 'weekly', times: [{ begin: '14:00', duration: 'PT1H30M', weekday: 7 }] },
            { type: 'one_time', exception: true, times: [{ begin: '14:00', date: '2037-02-15' }] },
          ],
        })
        await page.getByRole('button', { name: 'Week after' }).click()
        await page.getByRole('button', { name: /^Gate grease/ }).waitFor({ state: 'detached' })
      })
      expect(await list(device)).toHaveLength(1)
    },
    TEST_MAX_MS,
  )

  test(
    'free hours are planned by a drag and by a key, as a correction or a comment too',
    async () => {
      const { makeDevice, list } = helpersOf(stage)
      const device = await makeDevice()
      await stage.visit(`maintenance?view=week&at=${DAY}`, {}, async ({ page }) => {
        const cell = page.getByRole('gridcell', { name: 'Thu, Jan 8, 12:00' })
        await cell.scrollIntoViewIfNeeded()
        const box = await cell.boundingBox()
        if (!box) throw new Error('The hour has no box.')
        await page.mouse.move(box.x + 20, box.y + 1)
        await page.mouse.down()
        await page.mouse.move(box.x + 20, box.y + 1 + 2 * box.height, { steps: 5 })
        await page.mouse.up()
        const dialog = page.getByRole('dialog', { name: /^(?:Plan maintenance|Enter a comment)$/ })
        expect(await dialog.getByLabel('Begins').inputValue()).toBe('2037-01-08T12:00')
        expect(await dialog.getByLabel('Ends').inputValue()).toBe('2037-01-08T14:00')
        await page.keyboard.press('Escape')
        await cell.focus()
        await page.keyboard.press('n')
        await dialog.getByLabel('Object').fill(device.name)
        await dialog.getByRole('button', { name: device.name }).click()
        await dialog.getByLabel('Kind').selectOption('comment')
        await dialog.getByLabel('Title').fill('Storm')
        await dialog.getByRole('button', { name: 'Enter' }).click()
        await page.getByRole('button', { name: /^Storm/ }).waitFor()
        expect(await list(device)).toMatchObject([{ type: 'comment', name: 'Storm' }])
        await page.keyboard.press('z')
        await page.getByRole('button', { name: /^Storm/ }).waitFor({ state: 'detached' })
        expect(await list(device)).toEqual([])
      })
    },
    TEST_MAX_MS,
  )

  test(
    'maintenance over a change of clocks holds alarms, is seen in the zone of each viewer, and ends early',
    async () => {
      const { makeDevice, list } = helpersOf(stage)
      const { client } = stage
      const device = await makeDevice()
      const job = await good<Device>(
        client.request('POST', `/jobs?parentId=${device.id}`, {
          json: {
            name: `Level of ${device.name}`,
            parameters: { returnValue: [{ valueName: 'level' }] },
            thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 10 }] } },
          },
        }),
      )
      const deliver = (returnValue1: number) =>
        good<{ state: string }>(
          client.request('POST', `/webcollector/jobs/${job.id}/values`, {
            json: { returnValue1, errorCode: 0 },
          }),
        )
      const alarms = async () => {
        const { items } = await good<{ items: { object: { id: number } }[] }>(
          client.request('GET', '/alarms?limit=200'),
        )
        return items.filter(({ object }) => object.id === job.id)
      }
      const stateOf = async () =>
        (await good<{ currentState: string }>(client.request('GET', `/jobs/${job.id}`))).currentState
      await deliver(1)
      await client.request('PATCH', `/users/${client.userIds.dashboard_viewer}`, {
        json: { timeZone: 'America/New_York' },
      })
      const now = Date.now()
      const change = nextChange(now)
      const local = (at: number) => localText(at, 'Europe/Zurich')
      for (const width of ['wide', 'narrow'] as const)
        for (const theme of ['light', 'dark'] as const) {
          // A browser far away: the page has the zone of the account.
          const look = { width, theme, browser: { timezoneId: 'Pacific/Auckland' } }
          await deliver(1)
          // On Bun a check goes through all widths and themes.
          const isChecked = stage.name === 'edge' || (width === 'wide' && theme === 'light')
          await stage.visit('maintenance', look, async ({ page, check, picture }) => {
            await page.getByRole('button', { name: 'Plan maintenance' }).first().click()
            const dialog = page.getByRole('dialog', { name: 'Plan maintenance' })
            await dialog.getByLabel('Object').fill(device.name)
            await dialog.getByRole('button', { name: device.name }).first().click()
            await dialog.getByLabel('Title').fill('Rebuild the quay')
            await dialog.getByLabel('Begins').fill(local(now - MINUTE_MS))
            await dialog.getByLabel('Ends').fill(local(change + 4 * HOUR_MS))
            await dialog.getByText(/clocks go (?:forward|back) by 60 minutes during this time/).waitFor()
            await (isChecked ? check : picture)('plan')
            await page.keyboard.press('Control+Enter')
            await page.getByText(`Maintenance of ${device.name} is planned`).waitFor()
          })
          const made = (await list(device)).find(({ status }) => status === 'running')
          expect(Date.parse(made?.end ?? '')).toBe(change + 4 * HOUR_MS)

          await deliver(11)
          await until(async () => (await stateOf()) === 'maintenance_major')
          expect(await alarms()).toEqual([])

          const viewer = {
            ...look,
            as: 'dashboard_viewer',
            browser: { timezoneId: 'America/New_York' },
          } as const
          await stage.visit(`maintenance?view=agenda`, viewer, async ({ page, check, picture }) => {
            await page
              .getByRole('button', { name: /Rebuild the quay/ })
              .last()
              .click()
            const utc = localText(change + 4 * HOUR_MS, 'UTC').slice(11)
            const seen = localText(change + 4 * HOUR_MS, 'America/New_York').slice(11)
            await page.getByRole('dialog').getByText(`–${utc} UTC`).waitFor()
            await page
              .getByRole('dialog')
              .getByText(new RegExp(`${seen}, running`))
              .waitFor()
            await (isChecked ? check : picture)('viewer')
            const end = page.getByRole('button', { name: 'End now' })
            await page.getByRole('button', { name: 'End now', disabled: true }).waitFor()
            expect(await end.getAttribute('title')).toBe(`You need the right to maintain ${device.name}`)
          })

          await stage.visit(`maintenance?view=agenda`, look, async ({ page }) => {
            await page
              .getByRole('button', { name: /Rebuild the quay/ })
              .last()
              .click()
            await page.getByRole('button', { name: 'End now' }).click()
            const confirm = page.getByRole('dialog', { name: 'End now' })
            await confirm.getByText('Alarms that it held back open at once.').waitFor()
            await confirm.getByRole('button', { name: 'End now' }).click()
            await page.getByText(`The maintenance of ${device.name} has ended`).waitFor()
          })
          await until(async () => (await alarms()).length === 1)
          expect(await stateOf()).toBe('major')
        }
    },
    2 * TEST_MAX_MS,
  )
})

/** A local time for a field: `2026-11-25T14:30`. */
function localText(at: number, timeZone: string): string {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'short',
  }).format(at)
  return text.replace(' ', 'T')
}

/** The next instant at which Zurich changes its clocks. */
function nextChange(now: number): number {
  const hourAt = (at: number) => Number(localText(at, 'Europe/Zurich').slice(11, 13))
  const isShifted = (at: number) => (hourAt(at) - new Date(at).getUTCHours() + 24) % 24
  const first = Math.ceil(now / HOUR_MS) * HOUR_MS
  for (let at = first; ; at += HOUR_MS) if (isShifted(at) !== isShifted(first)) return at
}
