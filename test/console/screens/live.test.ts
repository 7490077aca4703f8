import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { onMainHost } from '../stage.ts'

const TEST_MAX_MS = 180_000
/** More than a browser has connections to a host that speaks HTTP/1.1. */
const TABS = 8

/** Makes a page believe that its tab is in the background, or in front again. */
const putBehind = (page: Page, isBehind: boolean) =>
  page.evaluate(`Object.defineProperty(document, 'hidden', { configurable: true, value: ${isBehind} })
    document.dispatchEvent(new Event('visibilitychange'))`)
const isLive = (page: Page) =>
  page
    .getByText(/^Live /)
    .first()
    .waitFor()

onMainHost('live', (stage) => {
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
})
