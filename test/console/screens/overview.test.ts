import { beforeAll, expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { onMainHost } from '../stage.ts'

const PLANT_MAX_MS = 60_000
const TEST_MAX_MS = 120_000
const VISITS = 2
/** Cards move by the content of those above them that is read later; 0.1 is a good value of Web Vitals. */
const SHIFT_MAX = 0.01
/** Requests one after the other until the sentence is there. */
const CALLS_MAX = 4
/** The requests to the API that the page has sent when its sentence is there, with their times. */
const MEASURE = `new Promise((resolve) => {
  const look = () => {
    const isThere = /wrong|well|acknowledged/i.test(document.getElementById('headline')?.textContent ?? '')
    if (!isThere) return void requestAnimationFrame(look)
    const calls = performance.getEntriesByType('resource')
      .filter(({ initiatorType, name }) => initiatorType === 'fetch' && !name.includes('/ui/'))
      .map(({ name, startTime, responseEnd }) => ({ path: new URL(name).pathname, begin: startTime, end: responseEnd }))
    resolve(calls)
  }
  look()
})`
/** How far content has moved without input. */
const SHIFTS = `new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(
    list.getEntries().filter(({ hadRecentInput }) => !hadRecentInput).reduce((sum, { value }) => sum + value, 0),
  )).observe({ type: 'layout-shift', buffered: true })
  setTimeout(() => resolve(0), 500)
})`

type Call = { readonly path: string; readonly begin: number; readonly end: number }

onMainHost('overview', (stage) => {
  beforeAll(async () => {
    await good(stage.client.request('POST', '/demo', { json: { seed: 'wadden' } }))
  }, PLANT_MAX_MS)

  test(
    'the sentence is there after few calls, and content does not move',
    () =>
      stage.visit('', {}, async ({ page }) => {
        const visits: (readonly Call[])[] = []
        const shifts: number[] = []
        // The best of several: other tests use the processor meanwhile.
        for (let visit = 0; visit < VISITS; visit++) {
          await page.reload()
          visits.push(await page.evaluate<readonly Call[]>(MEASURE))
          await page.locator('.skel').first().waitFor({ state: 'detached' })
          shifts.push(await page.evaluate<number>(SHIFTS))
        }
        expect(Math.min(...visits.map(chainOf))).toBeLessThanOrEqual(CALLS_MAX)
        expect(Math.min(...shifts)).toBeLessThan(SHIFT_MAX)
      }),
    TEST_MAX_MS,
  )
})

/** How many requests wait for each other until the alarms are there, of which the sentence is made. */
function chainOf(calls: readonly Call[]): number {
  let link = calls.find(({ path }) => path.endsWith('/alarms'))
  let length = 0
  while (link !== undefined) {
    const { begin } = link
    length += 1
    link = calls.filter(({ end }) => end <= begin).toSorted((a, b) => b.end - a.end)[0]
  }
  return length
}
