import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { IS_COMPLETE } from './browser.ts'
import { Meter, startLoad } from './load.ts'
import type { Load } from './load.ts'
import { onBun } from './stage.ts'

/** A page may use 30 % of a core while it receives 100 events a second. */
const CPU_SECONDS_OF_100_EVENTS = 0.3
/** Growth of the heap while ten thousand values arrive: 160 bytes of each would fail. `npm run bench:console` lasts an hour. */
const GROWTH_MAX_BYTES = 2 * 1024 * 1024
const TEST_MAX_MS = 180_000
const MEASURED_S = IS_COMPLETE ? 10 : 5
/** How long a fault of a control runs. */
const FAULT_S = 3
/** Work of more than a second, which is as much on a busy machine. */
const BUSY = `globalThis.busy = new Promise((resolve) => setTimeout(() => {
  let sum = 0
  for (let turn = 0; turn < 4e8; turn++) sum = (sum * 31 + turn) | 0
  resolve(sum)
}))
undefined`
/** Some 5 MB and 200 listeners a second. */
const LEAK = `setInterval(() => {
  (globalThis.kept ??= []).push(Array.from({ length: 30_000 }, Math.random))
  addEventListener('storage', () => globalThis.kept)
}, 20)`
/** The page of a job keeps the latest 5,000 samples: its heap counts from when it is full. */
const FILL = { seconds: 10, rate: { values: 600, flips: 20 } }
const MORE = { seconds: 20, rate: { values: 600, flips: 20 } }

type Rate = Parameters<Load['run']>[1]

onBun('budgets', (stage) => {
  const withLoad = async (
    pathOf: (load: Load) => string,
    run: (load: Load, page: Page, meter: Meter) => Promise<void>,
  ) => {
    const load = await startLoad(stage)
    try {
      await stage.visit(pathOf(load), {}, async ({ page }) => {
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page
          .getByText(/^Live /)
          .first()
          .waitFor()
        await run(load, page, await Meter.of(page))
      })
    } finally {
      await load.close()
    }
  }

  const cpuOf100Events = async (meter: Meter, work: () => Promise<number>) => {
    const before = await meter.cpuSeconds()
    const events = await work()
    // Of a machine that is too slow for the rate fewer events count.
    return { events, cpuSeconds: ((await meter.cpuSeconds()) - before) / (events / 100) }
  }
  const growthOf = async (load: Load, meter: Meter, seconds: number, rate: Rate) => {
    const before = await meter.usage()
    const events = await load.run(seconds, rate)
    const after = await meter.usage()
    return {
      events,
      bytes: after.heapBytes - before.heapBytes,
      listeners: after.listeners - before.listeners,
    }
  }

  const SCREENS = [
    ['the overview', () => '', { values: 0, flips: 50 }],
    ['the page of a job', ({ job }: Load) => `job/${job}`, { values: 90, flips: 5 }],
  ] as const
  for (const [title, pathOf, rate] of SCREENS)
    test(
      `${title} uses at most 30 % of a core for 100 events a second`,
      () =>
        withLoad(pathOf, async (load, _page, meter) => {
          // The first events load and compile what the later ones use.
          await load.run(MEASURED_S / 5, rate)
          const { events, cpuSeconds } = await cpuOf100Events(meter, () => load.run(MEASURED_S, rate))
          expect(events).toBeGreaterThan(MEASURED_S * 90)
          expect(cpuSeconds).toBeLessThan(CPU_SECONDS_OF_100_EVENTS)
        }),
      TEST_MAX_MS,
    )

  if (!IS_COMPLETE) return

  test(
    'the heap of a page stays the same while ten thousand values arrive',
    () =>
      withLoad(
        ({ job }) => `job/${job}`,
        async (load, _page, meter) => {
          await load.run(FILL.seconds, FILL.rate)
          const grown = await growthOf(load, meter, MORE.seconds, MORE.rate)
          expect(grown.events).toBeGreaterThan(10_000)
          expect(grown.bytes).toBeLessThan(GROWTH_MAX_BYTES)
          expect(grown.listeners).toBeLessThanOrEqual(0)
        },
      ),
    TEST_MAX_MS,
  )

  test(
    'a page that is busy or keeps what it received is over these budgets',
    () =>
      withLoad(
        () => '',
        async (load, page, meter) => {
          const rate = { values: 0, flips: 50 }
          const work = async () => {
            await page.evaluate(BUSY)
            const events = await load.run(FAULT_S, rate)
            await page.evaluate('busy')
            return events
          }
          const { cpuSeconds } = await cpuOf100Events(meter, work)
          expect(cpuSeconds).toBeGreaterThan(CPU_SECONDS_OF_100_EVENTS)
          await page.evaluate(LEAK)
          const grown = await growthOf(load, meter, FAULT_S, rate)
          expect(grown.bytes).toBeGreaterThan(GROWTH_MAX_BYTES)
          expect(grown.listeners).toBeGreaterThan(0)
        },
      ),
    TEST_MAX_MS,
  )
})
