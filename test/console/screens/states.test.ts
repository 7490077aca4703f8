import { beforeAll, expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import type { Look } from '../browser.ts'
import { ORDERS, Reads, UNCHANGED } from '../failing-reads.ts'
import { SHIFTS } from '../layout.ts'
import { ALL_SCREENS, makeAll } from '../plant.ts'
import type { PathOf } from '../plant.ts'
import { until } from '../../until.ts'
import { onMainHost } from '../stage.ts'

const PLANT_MAX_MS = 300_000
const WALK_MAX_MS = 900_000
/** How long a state may take on a machine with other load. */
const STATE_MAX_MS = 30_000
const CLICK_MAX_MS = 1_000
/** The screens that are opened at once: most of their time they wait. */
const AT_ONCE = 3
/** Screens that read nothing before a choice, and the wall, which has tests of its own. */
const READ_NOTHING = /^(?:keys|first-value|wall|data\/new\/import|queries\/new)$/
/** An editor of a file, which does not read again what is being edited. */
const EDITED = /^content\/styles$/
const WIDTHS: readonly Look['width'][] = ['wide', 'narrow']
const PATHS = ALL_SCREENS.filter((path) => !READ_NOTHING.test(path))

const OPENINGS = WIDTHS.flatMap((width) => ORDERS.map((order) => ({ width, order })))

onMainHost('states', (stage) => {
  let pathOf: PathOf = (path) => path
  beforeAll(async () => {
    pathOf = await makeAll(stage.client)
  }, PLANT_MAX_MS)

  const walk = async (
    look: (page: Page, reads: Reads, path: string) => Promise<void>,
    {
      width = 'wide',
      isQuiet = false,
    }: {
      readonly width?: Look['width']
      /** Whether the stream of events never opens: a delivery of the demo plant would put a row before others. */
      readonly isQuiet?: boolean
    } = {},
  ): Promise<string[]> => {
    const faults: string[] = []
    const left = PATHS.map((path) => ({ name: path === '' ? 'overview' : path, path: pathOf(path) }))
    const visit = () =>
      stage.visit('keys', { width }, async ({ page, expectProblem }) => {
        expectProblem(/status of (?:503|403)|answers 503/)
        expectProblem(/status of 404.*(?:status-page|\/public)/)
        page.setDefaultTimeout(STATE_MAX_MS)
        const reads = new Reads(page)
        await reads.begin(UNCHANGED)
        if (isQuiet) await page.route(/\/events\?/, () => undefined)
        for (let one = left.shift(); one; one = left.shift()) {
          const { name, path } = one
          await look(page, reads, path).catch((error: Error) =>
            faults.push(`${name}: ${error.message.split('\n').slice(0, 3).join(' ')}`),
          )
          reads.set('pass')
        }
      })
    await Promise.all(Array.from({ length: AT_ONCE }, visit))
    return faults
  }
  const open = (page: Page, path: string) => page.goto(`${stage.url}/ui/${path}`)
  const main = (page: Page) => page.locator('main')

  test(
    'each screen shows skeletons while it reads, and keeps what it has, with its age, while reads fail',
    async () => {
      const faults = await walk(async (page, reads, path) => {
        reads.set('wait')
        await open(page, path)
        await main(page).locator('.skel').first().waitFor()
        expect(await titlesOf(page)).not.toContain('…')
        reads.set('pass')
        await settled(page)
        if (EDITED.test(path)) return
        const before = await titleOf(page)
        reads.set(503)
        reads.gap()
        await main(page)
          .locator('.stale', { hasText: 'The database does not answer. Last read' })
          .first()
          .waitFor()
        expect(await titleOf(page)).toBe(before)
        const again = main(page).locator('.stale').first().getByRole('button', { name: 'Try again' })
        await again.waitFor()
        reads.set('pass')
        // A part that reads again by itself takes its note away before the click.
        await again.click({ timeout: CLICK_MAX_MS }).catch(() => undefined)
        reads.gap()
        await main(page).locator('.stale').first().waitFor({ state: 'detached' })
      })
      expect(faults).toEqual([])
    },
    WALK_MAX_MS,
  )

  for (const { width, order } of OPENINGS)
    test(
      `nothing moves while the skeletons of each screen become its content: ${width}, answers ${order}`,
      async () => {
        const faults = await walk(
          async (page, reads, path) => {
            reads.set('wait')
            await page.clock.setFixedTime(Date.now())
            await open(page, path)
            await main(page).locator('.skel:visible').first().waitFor()
            await reads.passInTurn(order)
            await settled(page)
            const shifts = await page.evaluate<string[]>(SHIFTS)
            if (shifts.length > 0) throw new Error(shifts.join('\n'))
          },
          { width, isQuiet: true },
        )
        expect(faults).toEqual([])
      },
      WALK_MAX_MS,
    )

  test(
    'each screen says what could not be read, with the request, and shows it after "Try again"',
    async () => {
      const faults = await walk(async (page, reads, path) => {
        reads.set(503)
        await open(page, path)
        const failed = main(page).getByRole('alert')
        await failed.getByText('request-of-the-test').first().waitFor()
        reads.set('pass')
        const again = failed.getByRole('button', { name: 'Try again' })
        await until(async () => {
          // A note goes as soon as its part is read.
          await again
            .first()
            .click({ timeout: CLICK_MAX_MS })
            .catch(() => undefined)
          return (await failed.count()) === 0
        })
        await settled(page)
      })
      expect(faults).toEqual([])
    },
    WALK_MAX_MS,
  )

  test(
    'each screen names a missing right, and leads to its explanation',
    async () => {
      const faults = await walk(async (page, reads, path) => {
        reads.set(403)
        await open(page, path)
        const note = main(page).locator('.note', { hasText: 'You do not have the right for this' }).first()
        await note.getByText('You need the right to read this.').waitFor()
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        const href = await note.getByRole('link', { name: 'Why?' }).getAttribute('href')
        expect(href).toContain('users/explain?userId=')
      })
      expect(faults).toEqual([])
    },
    WALK_MAX_MS,
  )
})

/** The screens of a new installation, and what each says. */
const EMPTY: readonly (readonly [path: string, title: string])[] = [
  ['', 'Nothing is watched yet'],
  ['alarms', 'No alarm is open'],
  ['objects', 'There are no objects yet'],
  ['slos', 'No service yet'],
  ['status-pages', 'No page is published'],
  ['maintenance?view=agenda', 'No maintenance in this month'],
  ['scripts', 'No scripts yet'],
  ['data', 'No data sources yet'],
  ['queries', 'No data queries yet'],
  ['dashboards', 'No dashboards yet'],
  ['map', 'No places yet'],
  ['forecasts', 'No forecasts yet'],
  ['notifications', 'No recipient yet'],
  ['notifications/messages', 'No message yet'],
  ['content', 'No files yet'],
  ['content/translations', 'No texts of your own in this language'],
  ['users/groups', 'No user group yet'],
  ['settings/backups', 'There is no backup yet.'],
  ['settings/runners', 'No runner yet'],
  ['audit?action=restore', 'No entry matches'],
  ['account', 'No token yet'],
]

onMainHost('empty', (stage) => {
  test(
    'each screen of a new installation says what is not there yet',
    () =>
      stage.visit('keys', {}, async ({ page, check, expectProblem }) => {
        expectProblem(/status of 404.*\/dashboards\/start/)
        page.setDefaultTimeout(STATE_MAX_MS)
        const faults: string[] = []
        for (const [path, title] of EMPTY) {
          await page.goto(`${stage.url}/ui/${path}`)
          const empty = page.locator('main .empty', { hasText: title }).first()
          await empty.waitFor().catch(() => faults.push(`${path}: not "${title}"`))
          await check(path === '' ? 'overview' : path.replaceAll(/[^a-z]+/g, '-'))
        }
        expect(faults).toEqual([])
      }),
    WALK_MAX_MS,
  )
})

const settled = async (page: Page): Promise<void> => {
  await page.getByRole('heading', { level: 1 }).first().waitFor()
  await page.locator('main .skeleton').first().waitFor({ state: 'detached' })
}
const titlesOf = (page: Page) => page.getByRole('heading', { level: 1 }).allTextContents()
const titleOf = (page: Page) => page.getByRole('heading', { level: 1 }).first().textContent()
