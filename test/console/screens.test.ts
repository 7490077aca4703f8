import { beforeAll, expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import type { Look } from './browser.ts'
import { SHIFTS } from './layout.ts'
import { onMainHost } from './stage.ts'
import type { Stage } from './stage.ts'

/** The screens of the navigation by their names in pictures, and their paths. */
const SCREENS: readonly (readonly [name: string, path: string])[] = [
  ['overview', ''],
  ['alarms', 'alarms'],
  ['objects', 'objects'],
  ['levels', 'slos'],
  ['status-pages', 'status-pages'],
  ['maintenance', 'maintenance'],
  ['scripts', 'scripts'],
  ['notifications', 'notifications'],
  ['content', 'content'],
  ['users', 'users'],
  ['settings', 'settings'],
  // The changes of services alone: axe takes seconds for a hundred rows.
  ['audit', 'audit?objectType=slo'],
  ['account', 'account'],
  ['keys', 'keys'],
  ['first-value', 'first-value'],
]
const PLANT_MAX_MS = 300_000
const TEST_MAX_MS = 180_000
/** The calls of the API without which there is no sentence. */
const CALLS_OF_SENTENCE = ['/alarms', '/session', '/session/refresh']
const CALLS_MAX = 4
const SENTENCE = /wrong|well|acknowledged/i
const WIDTHS: readonly Look['width'][] = ['wide', 'narrow']

onMainHost('screens', (stage) => {
  beforeAll(async () => {
    await good(stage.client.request('POST', '/demo', { json: { seed: 'wadden' } }))
  }, PLANT_MAX_MS)

  // A browser draws the same on both hosts.
  for (const [name, path] of stage.name === 'bun' ? SCREENS : SCREENS.slice(0, 3))
    test(`${name} shows the demo plant without a fault of accessibility`, () =>
      stage.visit(path, {}, async ({ page, check }) => {
        await page.getByRole('main').waitFor()
        await page.getByRole('heading', { level: 1 }).first().waitFor()
        await check(name)
      }))
  if (stage.name === 'bun') declareOverview(stage)
})

function declareOverview(stage: Stage): void {
  for (const width of WIDTHS)
    test(
      `nothing moves while the overview opens: ${width}`,
      () =>
        stage.visit('', { width }, async ({ page }) => {
          await page.locator('.slrow svg').first().waitFor()
          expect(await page.evaluate<string[]>(SHIFTS)).toEqual([])
        }),
      TEST_MAX_MS,
    )

  test(
    `the sentence needs at most ${CALLS_MAX} calls: it is there while all others wait`,
    () =>
      // The script of the screen is loaded: a screen that opens after 3 s reads its alarms anew.
      stage.visit('', {}, async ({ page }) => {
        await page.getByRole('heading', { level: 1, name: SENTENCE }).waitFor()
        await page.goto(`${stage.url}/ui/keys`)
        await page
          .getByText(/^Live /)
          .first()
          .waitFor()
        const asked: string[] = []
        let answerOthers = (): void => undefined
        const others = new Promise<void>((resolve) => (answerOthers = resolve))
        await page.route(`${stage.url}/**`, async (route) => {
          const { pathname } = new URL(route.request().url())
          const isFile = route.request().resourceType() !== 'fetch'
          const isOfSentence = CALLS_OF_SENTENCE.includes(pathname)
          // The page before reads alarms after an event until it is left.
          const isOfBefore = route.request().frame().url().endsWith('/keys')
          if (isOfSentence && !isOfBefore) asked.push(pathname)
          else if (!isFile) await others
          await route.continue().catch(() => undefined)
        })
        await page.goto(`${stage.url}/ui/`)
        await page.getByRole('heading', { level: 1, name: SENTENCE }).waitFor()
        expect(asked.toSorted()).toEqual(CALLS_OF_SENTENCE)
        expect(await page.locator('.hero p').count()).toBe(0)
        answerOthers()
        await page.locator('.slrow svg').first().waitFor()
      }),
    TEST_MAX_MS,
  )
}
