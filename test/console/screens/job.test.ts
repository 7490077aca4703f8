import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { readUntil, until } from '../../until.ts'
import { LOOKS } from '../browser.ts'
import { lengthen } from '../long-lists.ts'
import { onMainHost } from '../stage.ts'
import type { Stage } from '../stage.ts'

const TEST_MAX_MS = 180_000
const POINTS = 10_000
/** Budget of drawing a chart with 10,000 points. */
const DRAW_MAX_MS = 150

const DRAWN_MS = `new Promise((resolve) => {
  const look = () => {
    const [draw] = performance.getEntriesByName('chart')
    performance.clearMeasures('chart')
    if (draw) resolve(draw.duration)
    else setTimeout(look, 50)
  }
  look()
})`

/** How far the chosen tab reaches beyond the side of the window. */
const CHOSEN_TAB_BEYOND_PX = `document.querySelector('[role=tab][aria-selected=true]').getBoundingClientRect().right - innerWidth`
const TOPS_OF_TABS = `[...document.querySelectorAll('[role=tab]')].map((tab) => tab.offsetTop)`

type Created = { readonly id: number }

/** A job with two numbers, a text and two limits. */
async function plant({ client }: Stage): Promise<number> {
  const post = async (path: string, json: unknown): Promise<number> =>
    ((await client.request('POST', path, { json })).body as Created).id
  const device = await post('/devices?parentId=1', { name: `gauge ${crypto.randomUUID()}` })
  return post(`/jobs?parentId=${device}`, {
    name: 'Outer water level',
    parameters: {
      timeout: 'PT10M',
      returnValue: [
        { valueName: 'Level', valueUnit: 'm', valuePrecision: 2 },
        { valueName: 'Battery', valueUnit: 'V' },
      ],
      stringValue: [{ valueName: 'Mode' }],
    },
    thresholds: {
      major: { conditions: [{ key: 'returnValue1', operator: '>', value: 3.4 }] },
      minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 3 }] },
    },
  })
}

const deliver = ({ client }: Stage, job: number, json: object) =>
  client.request('POST', `/webcollector/jobs/${job}/values`, { json: { errorCode: 0, ...json } })

/** How far the ends of the states are from the ends of the plot above them, in px. */
async function offset(page: Page): Promise<readonly number[]> {
  const [plot, states] = await Promise.all(
    ['.plot .u-over', '.strip-row svg'].map((one) => page.locator(one).boundingBox()),
  )
  if (!plot || !states) throw new Error('The chart has no states.')
  return [states.x - plot.x, states.x + states.width - plot.x - plot.width]
}
const isNone = (px: readonly number[]): boolean => px.every((one) => Math.abs(one) < 1.5)

onMainHost('job', (stage) => {
  test(
    'a delivery appears in tiles, chart and sentence without a reload, and a breach changes the state',
    async () => {
      const job = await plant(stage)
      await deliver(stage, job, { returnValue1: 2.5, returnValue2: 12, stringValue1: 'calm' })
      await stage.visit(`job/${job}`, {}, async ({ page, check }) => {
        const chart = page.getByRole('group', {
          name: /^Level, 1 day: .*last 2\.5\sm.*limits Major 3\.4, Minor 3/,
        })
        await chart.waitFor()
        await deliver(stage, job, { returnValue1: 3.12 })
        await page.getByText('Level 3.12\u00a0m is above Minor 3\u00a0m').waitFor()
        await page.getByRole('group', { name: /highest 3\.12\sm, last/ }).waitFor()
        await page.getByRole('group', { name: /^Level, 1 day/ }).focus()
        await page.keyboard.press('ArrowLeft')
        await page.locator('.plot [role=status]', { hasText: /m, / }).waitFor()
        await check('values')
        // The states lie below their times, beside the words of limits and without them.
        await readUntil(() => offset(page), isNone)
        await page.getByRole('button', { name: /^Battery/ }).click()
        await page.getByRole('group', { name: /^Battery, 1 day/ }).waitFor()
        await readUntil(() => offset(page), isNone)
        await page.getByRole('group', { name: /^Battery, 1 day/ }).focus()
        await page.keyboard.press('t')
        await page.getByRole('columnheader', { name: 'Time' }).waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a value is delivered by the form, a refused delivery names its remedy',
    async () => {
      const job = await plant(stage)
      await stage.visit(`job/${job}?tab=send`, {}, async ({ page, check }) => {
        await page.getByLabel('Level').fill('1.5')
        await page.getByRole('button', { name: 'Send', exact: true }).click()
        await page.getByText('Stored, 1 value.').waitFor()
        await check('send')
        await deliver(stage, job, { returnValue9: 1 })
        await page.getByRole('tab', { name: 'Deliveries' }).click()
        await page.getByText('Refused: value_not_defined').waitFor()
        await page.getByRole('cell', { name: '1.5', exact: true }).waitFor()
        await check('deliveries')
      })
    },
    TEST_MAX_MS,
  )

  test(
    'an impossible limit is named at once; of two editors the second sees both versions and loses nothing',
    async () => {
      const job = await plant(stage)
      await stage.visit(`job/${job}?tab=configuration`, {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 412/)
        const limit = page.getByLabel('Limit: Minor, Level')
        await limit.fill('3.6')
        await page.getByText('Minor could never show: Major begins at 3.4').waitFor()
        await limit.fill('2.9')
        const timeout = page.getByLabel('Timeout')
        expect(await timeout.inputValue()).toBe('10 min')
        await timeout.fill('2h')
        await page.getByText('2 hr. No delivery for so long').waitFor()
        await limit.focus()
        expect(await timeout.inputValue()).toBe('2 h')
        await page.getByText('Over the last 30 days').waitFor()
        await stage.client.request('PATCH', `/jobs/${job}`, { json: { name: 'Level outside' } })
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Another user has saved it').waitFor()
        await page.getByRole('cell', { name: 'Level outside' }).waitFor()
        await check('conflict')
        await page.getByRole('button', { name: 'Keep mine, then save' }).click()
        expect(await page.getByLabel('Name', { exact: true }).inputValue()).toBe('Level outside')
        await page.getByRole('button', { name: 'Save', disabled: false }).click()
        await page.getByText('Saved', { exact: true }).waitFor()
      })
      const { body } = await stage.client.request('GET', `/jobs/${job}?thresholds=true`)
      expect(body).toMatchObject({
        name: 'Level outside',
        parameters: { timeout: 'PT2H' },
        thresholds: { major: { conditions: [{ value: 3.4 }] }, minor: { conditions: [{ value: 2.9 }] } },
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a configuration that finds no room on the disk stays typed, and is saved later',
    async () => {
      const job = await plant(stage)
      await stage.visit(`job/${job}?tab=configuration`, {}, async ({ page, expectProblem }) => {
        expectProblem(/status of 507|answers 507/)
        const limit = page.getByLabel('Limit: Minor, Level')
        await limit.fill('2.5')
        // The service refuses deliveries first: changes of jobs have the rest of the disk.
        const full = { status: 507, json: { code: 'storage_full', detail: 'The disk is full.', errors: [] } }
        await page.route(`**/jobs/${job}`, (route) =>
          route.request().method() === 'GET' ? route.fallback() : route.fulfill(full),
        )
        const save = () => page.getByRole('button', { name: 'Save', disabled: false }).click()
        await save()
        await page.getByText('The disk of the service is full.').waitFor()
        expect(await limit.inputValue()).toBe('2.5')
        await page.unroute(`**/jobs/${job}`)
        await save()
        await page.getByText('Saved', { exact: true }).waitFor()
      })
      expect((await stage.client.request('GET', `/jobs/${job}?thresholds=true`)).body).toMatchObject({
        thresholds: { minor: { conditions: [{ value: 2.5 }] } },
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a limit is dragged in the chart',
    async () => {
      const job = await plant(stage)
      await deliver(stage, job, { returnValue1: 2 })
      await stage.visit(`job/${job}?tab=configuration`, {}, async ({ page }) => {
        const limit = page.getByLabel('Limit: Minor, Level')
        const plot = page.locator('.u-over')
        await plot.scrollIntoViewIfNeeded()
        const box = await plot.boundingBox()
        if (!box) throw new Error('The chart has no box.')
        const x = box.x + box.width / 2
        // The lines of the limits are at unknown heights: the pointer looks for the one of minor from below.
        for (let y = box.y + box.height - 2; y > box.y && (await limit.inputValue()) === '3'; y -= 4) {
          await page.mouse.move(x, y)
          await page.mouse.down()
          await page.mouse.move(x, y + 9)
          await page.mouse.up()
        }
        expect(Number(await limit.inputValue())).toBeLessThan(3)
      })
    },
    TEST_MAX_MS,
  )

  test(
    'the actions of the page: acknowledge, maintain, stop, start, force, release, copy the link',
    async () => {
      const job = await plant(stage)
      await deliver(stage, job, { returnValue1: 9 })
      const shown = async () => (await stage.client.request('GET', `/jobs/${job}`)).body
      await stage.visit(`job/${job}`, {}, async ({ page, check }) => {
        const undo = page.getByRole('button', { name: /^Undo/ })
        await page.getByRole('button', { name: 'Acknowledge' }).click()
        await undo.waitFor()
        const { body } = await stage.client.request('GET', '/alarms?limit=1000')
        const alarms = body['items'] as { object: { id: number }; assignee: object | null }[]
        expect(alarms.find(({ object }) => object.id === job)?.assignee).toMatchObject({
          userId: stage.client.userIds.administrator,
        })

        await page.getByRole('button', { name: 'Stop job' }).click()
        await page.getByText('Outer water level is stopped.').waitFor()
        expect(await shown()).toMatchObject({ stopped: true })
        await page.getByRole('button', { name: 'Start job' }).click()
        await page.getByText('Outer water level is started.').waitFor()
        expect(await shown()).toMatchObject({ stopped: false })

        const menu = page.getByRole('button', { name: 'More actions', exact: true })
        await menu.click()
        await page.getByRole('menuitem', { name: 'Force a state…' }).click()
        await page.getByLabel('State', { exact: true }).selectOption('minor')
        await check('force')
        await page.getByRole('button', { name: 'Force', exact: true }).click()
        await page.getByText('forced', { exact: true }).waitFor()
        expect(await shown()).toMatchObject({ stateForced: true, currentState: 'minor' })
        await menu.click()
        await page.getByRole('menuitem', { name: 'Release the state' }).click()
        await page.getByText('forced', { exact: true }).waitFor({ state: 'detached' })
        expect(await shown()).toMatchObject({ stateForced: false })

        // As in a page by HTTP.
        await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { value: undefined })`)
        await menu.click()
        await page.getByRole('menuitem', { name: 'Copy link to this page' }).click()
        await page.getByText('Copied', { exact: true }).waitFor()
        const filter = page.getByPlaceholder('Type to filter')
        await filter.press('Control+v')
        expect(await filter.inputValue()).toBe(page.url())
        await filter.fill('')

        await page.getByRole('button', { name: 'Maintain', exact: true }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Begin maintenance' }).click()
        await page.getByText('Outer water level is in maintenance for').waitFor()
        expect(await shown()).toMatchObject({
          currentState: expect.stringMatching(/^maintenance_/) as string,
        })
      })
    },
    TEST_MAX_MS,
  )

  test.each(['wide', 'narrow'] as const)(
    'the chart is zoomed by a brush, has its tooltip, and covers a %s page until Escape',
    async (width) => {
      const job = await plant(stage)
      for (const hours of [4, 3, 2])
        await deliver(stage, job, {
          returnValue1: hours / 2,
          timestamp: new Date(Date.now() - hours * 3_600_000).toISOString(),
        })
      await stage.visit(`job/${job}`, { width }, async ({ page, check }) => {
        const over = page.locator('.u-over')
        const boxOf = async () => {
          await over.scrollIntoViewIfNeeded()
          const box = await over.boundingBox()
          if (!box) throw new Error('The chart has no box.')
          return box
        }
        await page.getByRole('group', { name: /^Level, 1 day: lowest/ }).waitFor()
        let box = await boxOf()
        await page.mouse.move(box.x + box.width * 0.6, box.y + 40)
        await page.mouse.down()
        await page.mouse.move(box.x + box.width - 2, box.y + 60, { steps: 8 })
        await page.mouse.up()
        await page.getByRole('button', { name: 'Back to 24 h' }).waitFor()
        expect(page.url()).toMatch(/range=.+%2F|range=.+\//)
        await page.getByRole('group', { name: /^Level, \d+ h.*: lowest/ }).waitFor()
        box = await boxOf()
        await page.mouse.move(box.x + box.width - 6, box.y + 40)
        await page.locator('.plot .tip').getByText(' m').first().waitFor()

        await page.getByRole('button', { name: 'Show over the whole page' }).click()
        const dialog = page.getByRole('dialog', { name: 'Outer water level: Level' })
        await dialog.locator('.u-over').waitFor()
        const full = await over.boundingBox()
        const view = page.viewportSize()
        expect(full?.height).toBeGreaterThan((view?.height ?? 0) * 0.5)
        expect(full?.width).toBeGreaterThan((view?.width ?? 0) * 0.55)
        await check('full-page')
        await page.keyboard.press('Escape')
        await dialog.waitFor({ state: 'detached' })
        await page.locator('figure.plot:focus').waitFor()
        await page.keyboard.press('f')
        await dialog.locator('figure.plot:focus .u-over').waitFor()
        await page.keyboard.press('ArrowLeft')
        await dialog.locator('[role=status]', { hasText: /m, / }).waitFor()
        await page.keyboard.press('f')
        await dialog.waitFor({ state: 'detached' })
      })
    },
    TEST_MAX_MS,
  )

  test.each([...LOOKS])(
    'silence becomes error code 5 and a gap in the chart, and errorCode 0 ends it: %s, %s',
    async (width, theme) => {
      const job = await plant(stage)
      await stage.client.request('PATCH', `/jobs/${job}`, { json: { parameters: { timeout: 'PT6S' } } })
      // A sender that was heard each minute until 20 minutes ago.
      for (let minutes = 30; minutes >= 20; minutes--) {
        const timestamp = new Date(Date.now() - minutes * 60_000).toISOString()
        await deliver(stage, job, { returnValue1: 2 + minutes / 100, timestamp })
      }
      const shown = async () => (await stage.client.request('GET', `/jobs/${job}`)).body
      await stage.visit(`job/${job}?range=PT1H`, { width, theme }, async ({ page, check, picture }) => {
        await page.getByText(/Silent for/).waitFor()
        const badge = page.locator('.pagehead .st')
        await badge.getByText('Warning').waitFor()
        expect(await shown()).toMatchObject({ errorCode: 5, currentState: 'warning' })
        await page.getByRole('group', { name: /^Level, 1 h.*1 gap/ }).waitFor()
        await page.getByRole('img', { name: /^States, .*Warning from/ }).waitFor()
        if (width === 'wide' && theme === 'light') await check('silent')
        else await picture(`silent-${width}-${theme}`)
        // Values alone do not end it, since the job has `healsOnData: false`.
        await stage.client.request('POST', `/webcollector/jobs/${job}/values`, {
          json: { returnValue1: 2.5 },
        })
        expect(await shown()).toMatchObject({ errorCode: 5 })
        await stage.client.request('PATCH', `/jobs/${job}`, { json: { parameters: { timeout: 'PT10M' } } })
        await deliver(stage, job, { returnValue1: 2.5 })
        await page.getByText('All is well.').waitFor()
        await badge.getByText('Ok').waitFor()
        expect(await shown()).toMatchObject({ errorCode: 0, currentState: 'ok' })
        // The gap stays visible.
        await page.getByRole('group', { name: /last 2\.5\sm.*1 gap/ }).waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'outages are listed, and in a narrow window the tabs are on one line with the chosen one in view',
    async () => {
      const job = await plant(stage)
      await deliver(stage, job, { returnValue1: 9 })
      await stage.visit(`job/${job}?tab=outages`, {}, async ({ page, check }) => {
        await page.getByText('running').waitFor()
        await check('outages')
        await page.setViewportSize({ width: 320, height: 640 })
        await until(async () => (await page.evaluate<number>(CHOSEN_TAB_BEYOND_PX)) <= 0)
        const tops = await page.evaluate<number[]>(TOPS_OF_TABS)
        expect(tops).toHaveLength(5)
        expect(new Set(tops).size).toBe(1)
        await lengthen(page, /\/outages\?/)
        await page.reload()
        await page.getByText(/^at least 1,000 outages, /).waitFor()
        await page.getByText('Only the latest 1,000 outages of this range are listed').waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a chart of 10,000 points is drawn within its budget',
    async () => {
      const job = await plant(stage)
      await stage.visit('', {}, async ({ page }) => {
        const end = Date.now()
        const values = Array.from({ length: POINTS }, (_, index) => {
          const value = Math.sin(index / 300) * 3
          const timestamp = new Date(end - (POINTS - index) * 8_000).toISOString()
          return { timestamp, value, min: value - 0.2, max: value + 0.2, count: 8 }
        })
        const series = { jobId: job, key: 'returnValue1', name: 'Level', unit: 'm', values }
        await page.route('**/value-history*', (route) => route.fulfill({ json: [series] }))
        await page.goto(`${stage.url}/ui/job/${job}`)
        await page.getByRole('group', { name: /^Level, 1 day: lowest/ }).waitFor()
        const draws: number[] = []
        // The fastest of several draws: other tests use the processor meanwhile.
        for (const range of ['7 d', '24 h', '7 d', '24 h', '7 d']) {
          draws.push(await page.evaluate<number>(DRAWN_MS))
          await page.getByRole('button', { name: range, exact: true }).click()
        }
        expect(Math.min(...draws)).toBeLessThan(DRAW_MAX_MS)
      })
    },
    TEST_MAX_MS,
  )
})
