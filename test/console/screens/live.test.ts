import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import type { Client } from '../../api/client.ts'
import { until } from '../../until.ts'
import { onMainHost } from '../stage.ts'

const TEST_MAX_MS = 180_000
/** More than a browser has connections to a host that speaks HTTP/1.1. */
const TABS = 8
const LOW = { width: 1280, height: 640 } as const

/** Makes a page believe that its tab is in the background, or in front again. */
const putBehind = (page: Page, isBehind: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isBehind} })
    document.dispatchEvent(new Event('visibilitychange'))`)
const isLive = (page: Page) =>
  page
    .getByText(/^Live /)
    .first()
    .waitFor()
/** Makes a device with a gauge that is ok, and is major above 5. */
async function makeGauge(client: Client, name: string) {
  const send = async (path: string, json: object) => {
    const { status, body } = await client.request('POST', path, { json })
    expect(status).toBeLessThan(300)
    return Number(body['id'])
  }
  const device = await send('/devices?parentId=1', { name })
  const job = await send(`/jobs?parentId=${device}`, {
    name: 'Changing gauge',
    parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
    thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 5 }] } },
  })
  const deliver = (returnValue1: number) =>
    send(`/webcollector/jobs/${job}/values`, { returnValue1, errorCode: 0 })
  await deliver(0)
  return { device, deliver }
}

onMainHost('live', (stage) => {
  test('the live mark and the menu of the user are in view in a low window', () =>
    stage.visit('keys', {}, async ({ page }) => {
      await isLive(page)
      await page.setViewportSize(LOW)
      const menu = await page.getByRole('button', { name: 'Account and appearance of admin' }).boundingBox()
      expect(menu && menu.y + menu.height).toBeLessThanOrEqual(LOW.height)
    }))

  test(
    `${TABS} tabs of a browser are used in turn: those in the background leave their connections to the others`,
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        await isLive(page)
        let front = page
        for (let opened = 1; opened < TABS; opened++) {
          await putBehind(front, true)
          front = await page.context().newPage()
          await front.goto(page.url())
          await isLive(front)
        }
        await putBehind(page, false)
        await isLive(page)
        const job = await stage.client.request('POST', '/devices?parentId=1', {
          json: { name: 'Late gauge' },
        })
        expect(job.status).toBe(201)
        await page.goto(`${stage.url}/ui/objects`)
        await page.getByRole('treeitem', { name: 'Late gauge' }).waitFor()
      }),
    TEST_MAX_MS,
  )

  test(
    'the row of a state that changes has its tint for a moment, unless motion is reduced',
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        const { device, deliver } = await makeGauge(stage.client, 'Tinted')
        await page.addInitScript(`globalThis.tinted = []
          new MutationObserver((changes) => {
            for (const { target } of changes) if (target.tagName === 'TR') tinted.push(target.style.backgroundColor)
          }).observe(document, { subtree: true, attributeFilter: ['style'] })`)
        const tints = () => page.evaluate<string[]>('tinted')
        await page.goto(`${stage.url}/ui/device/${device}`)
        const row = page.getByRole('row', { name: /Changing gauge/ })
        await row.getByText('Ok', { exact: true }).waitFor()
        expect(await tints()).toEqual([])
        await deliver(9)
        await row.getByText('Major', { exact: true }).waitFor()
        // The tint, and its end.
        await until(async () => (await tints()).length > 1)
        expect(await tints()).toEqual(['var(--major-soft)', ''])
        await page.emulateMedia({ reducedMotion: 'reduce' })
        await deliver(0)
        await row.getByText('Ok', { exact: true }).waitFor()
        // Effects run after the next frame.
        await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))')
        expect(await tints()).toEqual(['var(--major-soft)', ''])
      }),
    TEST_MAX_MS,
  )

  test(
    'a change that comes before the stream of events has opened is read once it is open',
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        const { device, deliver } = await makeGauge(stage.client, 'Early')
        const opening = Promise.withResolvers<void>()
        await page.route(/\/events\?/, async (route) => {
          await opening.promise
          await route.continue()
        })
        await page.goto(`${stage.url}/ui/device/${device}`)
        const row = page.getByRole('row', { name: /Changing gauge/ })
        await row.getByText('0 m', { exact: true }).waitFor()
        await deliver(9)
        opening.resolve()
        await row.getByText('9 m', { exact: true }).waitFor()
        await row.getByText('Major', { exact: true }).waitFor()
        await page
          .getByRole('link', { name: /Alarms/ })
          .getByText('1')
          .first()
          .waitFor()
        await deliver(0)
      }),
    TEST_MAX_MS,
  )

  test(
    'the stream of events opens while the user is read, and a screen reads each of its parts once',
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        await isLive(page)
        const opened = page.waitForResponse(/\/events\?/)
        await page.route(`${stage.url}/session`, async (route) => {
          await opened
          await route.continue()
        })
        const asked: string[] = []
        page.on(
          'request',
          (request) => void (request.resourceType() === 'fetch' && asked.push(request.url())),
        )
        await page.goto(`${stage.url}/ui/`)
        await until(async () => asked.some((url) => url.includes('/late-jobs?')))
        await page.getByRole('heading', { level: 1 }).waitFor()
        await isLive(page)
        expect(asked.filter((url, at) => asked.indexOf(url) < at)).toEqual([])
      }),
    TEST_MAX_MS,
  )

  test(
    'a page behind a proxy that holds streams back reads the events that have passed',
    () =>
      stage.visit('keys', {}, async ({ page }) => {
        const { device, deliver } = await makeGauge(stage.client, 'Behind a proxy')
        await page.clock.install()
        // The proxy answers a stream at its end alone.
        await page.route(
          ({ pathname, searchParams }) => pathname.endsWith('/events') && !searchParams.has('once'),
          () => {},
        )
        const firstRead = page.waitForRequest((request) => request.url().includes('/events?'))
        await page.goto(`${stage.url}/ui/device/${device}`)
        const row = page.getByRole('row', { name: /Changing gauge/ })
        await row.getByText('Ok', { exact: true }).waitFor()
        await firstRead
        const readAfter = async (ms: number) => {
          const read = page.waitForResponse((response) => response.url().includes('once=true'))
          await page.clock.fastForward(ms)
          return (await read).text()
        }
        // After this read the page reads all again that it shows, and after the next one nothing.
        expect(await readAfter(45_000)).toContain('"resumed":false')
        await until(async () => (await readAfter(20_000)).includes('"resumed":true'))
        await deliver(9)
        await page.clock.fastForward(20_000)
        await row.getByText('Major', { exact: true }).waitFor()
      }),
    TEST_MAX_MS,
  )
})
