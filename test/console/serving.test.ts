import { expect, test } from 'bun:test'

import { onBothHosts } from './stage.ts'

const BASE = '/monitoring'
/** Bytes in gzip that the first screen may load, beside one font of 20 KB. */
const SCRIPT_MAX = 60 * 1024
const STYLESHEET_MAX = 12 * 1024
const FONT_MAX = 20 * 1024
const REFERENCE_MAX = 20 * 1024
/** Chromium may still write a file to its cache when the page has it: a visit right after the first one then loads it again. */
const VISITS_MAX = 4
/** The files of the console that the page uses; `isSent` when one came over the network, and not from the cache of the browser. */
const FILES = `performance.getEntriesByType('resource')
  .filter(({ name }) => name.includes('/ui/assets/'))
  .map(({ name, transferSize }) => ({ name, isSent: transferSize > 0 }))`

onBothHosts(
  'serving',
  (stage) => {
    test('a screen opens by its own address, below the base path, within the budget of the first load', () =>
      stage.visit('alarms', {}, async ({ page, loaded }) => {
        await page.getByRole('main').waitFor()
        expect(page.url()).toBe(`${stage.url}/ui/alarms`)
        const { script, stylesheet, font } = await loaded()
        expect(script).toBeGreaterThan(1024)
        expect(script).toBeLessThanOrEqual(SCRIPT_MAX)
        expect(stylesheet).toBeGreaterThan(1024)
        expect(stylesheet).toBeLessThanOrEqual(STYLESHEET_MAX)
        expect(font).toBeLessThanOrEqual(FONT_MAX)
      }))

    test('a later visit loads no file again', () =>
      stage.visit('', {}, async ({ page }) => {
        const filesOfVisit = async () => {
          await page.getByRole('main').waitFor()
          return page.evaluate<{ readonly name: string; readonly isSent: boolean }[]>(FILES)
        }
        let files = await filesOfVisit()
        expect(files.filter(({ isSent }) => isSent).length).toBeGreaterThan(1)
        for (let visit = 1; visit < VISITS_MAX && files.some(({ isSent }) => isSent); visit++) {
          await page.reload()
          files = await filesOfVisit()
        }
        expect(files.length).toBeGreaterThan(1)
        expect(files.filter(({ isSent }) => isSent)).toEqual([])
      }))

    test('a browser that opens the address of the service comes to the console', () =>
      stage.visit('..', {}, async ({ page }) => {
        await page.getByRole('main').waitFor()
        expect(page.url()).toStartWith(`${stage.url}/ui/`)
      }))

    test('the reference of the API has each operation, and shows the fields of one', () =>
      stage.visit('../docs', {}, async ({ page, check, loaded }) => {
        await page.getByRole('heading', { level: 1, name: 'API of Tidemark' }).waitFor()
        expect(page.url()).toBe(`${stage.url}/docs`)
        const { script } = await loaded()
        expect(script).toBeGreaterThan(1024)
        expect(script).toBeLessThanOrEqual(REFERENCE_MAX)
        await check('reference-start')
        await page.getByRole('searchbox').fill('post webcollector deliver')
        await page.getByRole('link', { name: 'Deliver values to a webhook job' }).first().click()
        await page.getByRole('heading', { level: 2, name: /Deliver/ }).waitFor()
        await page.getByRole('heading', { level: 3, name: 'Responses' }).waitFor()
        await page
          .getByRole('button', { name: /^Show fields of/ })
          .first()
          .click()
        await page
          .getByRole('button', { name: /^Hide fields of/ })
          .first()
          .waitFor()
        await check('reference-operation')
      }))

    test('the page runs no script but its own', () =>
      stage.visit('', {}, async ({ page, expectProblem }) => {
        expectProblem(/Content Security Policy/)
        await page.evaluate(`{
          const script = document.createElement('script')
          script.textContent = 'globalThis.injected = true'
          document.head.append(script)
        }`)
        expect(await page.evaluate(() => 'injected' in globalThis)).toBe(false)
      }))

    test('the first screen has no fault of accessibility', () =>
      stage.visit('', {}, async ({ page, check }) => {
        await page.getByRole('main').waitFor()
        await check('first')
      }))
  },
  { variables: { TIDEMARK_BASE_PATH: BASE } },
)
