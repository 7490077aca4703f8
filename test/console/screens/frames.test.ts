import { expect, test } from 'bun:test'

import type { Page } from 'playwright-core'

import { stageOf } from '../../api/runs-stage.ts'
import { good } from '../../api/suite.ts'
import { must, RUNNER_TOKEN } from '../../runs/fake-runner.ts'
import { Meter } from '../load.ts'
import { onMainHost } from '../stage.ts'

/** Budgets of the console, in processor time of the page: other load of the machine does not count. */
const CURSOR_MAX_MS = 8
const FRAME_MAX_MS = 50
const ROWS_MAX = 300
const CURSOR_FRAMES = 200
const POINTS = 10_000
const TREE_JOBS = 2_000
const GRID_ROWS = 10_000
const ROWS_AT_ONCE = 1_000
const LOG_LINES = 1_000
const LINES_AT_ONCE = 250
const TEST_MAX_MS = 300_000

type Made = { readonly id: number }
type TraceEvent = {
  readonly name: string
  readonly tid: number
  readonly pid: number
  readonly tdur?: number
}

/** Moves the cursor through the chart, a step in each frame. */
const MOVE_CURSOR = `(async () => {
  const plot = document.querySelector('.u-over')
  const { left, top, width, height } = plot.getBoundingClientRect()
  for (let frame = 0; frame < ${CURSOR_FRAMES}; frame++) {
    const clientX = left + (width * frame) / ${CURSOR_FRAMES}
    plot.dispatchEvent(new MouseEvent('mousemove', { bubbles: true, clientX, clientY: top + height / 2 }))
    await new Promise((next) => requestAnimationFrame(next))
  }
})()`
/** Work of some 15 ms for each move of the pointer. */
const SLOW_CURSOR = `document.querySelector('.u-over').addEventListener('mousemove', () => {
  let sum = 0
  for (let turn = 0; turn < 2e7; turn++) sum = (sum * 31 + turn) | 0
  globalThis.sum = sum
})`
/** Scrolls to the end, and back by half, in steps of more than a window, one in each frame.
 * @returns the most rows that were in the page */
const scroll = (box: string, row: string) => `(async () => {
  const box = document.querySelector(${JSON.stringify(box)})
  let most = 0
  const go = async (top) => {
    box.scrollTop = top
    await new Promise((next) => requestAnimationFrame(() => requestAnimationFrame(next)))
    most = Math.max(most, box.querySelectorAll(${JSON.stringify(row)}).length)
  }
  const whole = box.scrollHeight - box.clientHeight
  for (let step = 1; step <= 40; step++) await go((whole * step) / 40)
  for (let step = 39; step > 20; step--) await go((whole * step) / 40)
  return { most, at: box.scrollTop, whole }
})()`
/** Work of more than 50 ms in a frame of scrolling. */
const SLOW_SCROLL = `addEventListener('scroll', () => {
  let sum = 0
  for (let turn = 0; turn < 2e8; turn++) sum = (sum * 31 + turn) | 0
  globalThis.sum = sum
}, { capture: true, once: true })`

onMainHost(
  'frames',
  (stage) => {
    /** The longest task of the page's main thread, in ms of processor time, while something is done. */
    const longestTask = async (page: Page, work: () => Promise<unknown>): Promise<number> => {
      const browser = page.context().browser()
      if (!browser) throw new Error('The page has no browser.')
      await browser.startTracing(page, { categories: ['toplevel', 'devtools.timeline', 'blink', 'v8'] })
      await work()
      const trace = JSON.parse((await browser.stopTracing()).toString()) as {
        readonly traceEvents: readonly (TraceEvent & { readonly args?: { readonly name?: string } })[]
      }
      const main = new Set(
        trace.traceEvents
          .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
          .map(({ pid, tid }) => `${pid} ${tid}`),
      )
      const tasks = trace.traceEvents.flatMap(({ name, pid, tid, tdur }) =>
        name.endsWith('RunTask') && main.has(`${pid} ${tid}`) && tdur !== undefined ? [tdur / 1_000] : [],
      )
      expect(tasks.length).toBeGreaterThan(50)
      return Math.max(...tasks)
    }
    const expectSmooth = async (page: Page, title: string, box: string, row: string) => {
      await page.locator(row).first().waitFor()
      let found = { most: 0, at: 0, whole: 0 }
      // The first rows compile what the later ones use.
      await page.evaluate(scroll(box, row))
      const longest = await longestTask(page, async () => {
        found = await page.evaluate<typeof found>(scroll(box, row))
      })
      process.stdout.write(`${title}: longest task ${longest.toFixed(1)} ms, at most ${found.most} rows\n`)
      expect(found.whole).toBeGreaterThan(5_000)
      expect(found.at).toBeGreaterThan(found.whole / 3)
      expect(found.most).toBeGreaterThan(10)
      expect(found.most).toBeLessThanOrEqual(ROWS_MAX)
      expect(longest).toBeLessThan(FRAME_MAX_MS)
    }

    test(
      'the cursor of a chart of 10,000 points takes at most 8 ms of a frame',
      async () => {
        const device = await good<Made>(
          stage.client.request('POST', '/devices?parentId=1', { json: { name: 'gauge' } }),
        )
        const json = { name: 'Level', parameters: { returnValue: [{ valueName: 'Level', valueUnit: 'm' }] } }
        const { id } = await good<Made>(stage.client.request('POST', `/jobs?parentId=${device.id}`, { json }))
        await stage.visit('keys', {}, async ({ page }) => {
          const end = Date.now()
          const values = Array.from({ length: POINTS }, (_, at) => {
            const value = Math.sin(at / 300) * 3
            const timestamp = new Date(end - (POINTS - at) * 8_000).toISOString()
            return { timestamp, value, min: value - 0.2, max: value + 0.2, count: 8 }
          })
          const series = { jobId: id, key: 'returnValue1', name: 'Level', unit: 'm', values }
          await page.route('**/value-history*', (route) => route.fulfill({ json: [series] }))
          await page.goto(`${stage.url}/ui/job/${id}`)
          await page.getByRole('group', { name: /^Level, 1 day: lowest/ }).waitFor()
          const meter = await Meter.of(page)
          const perFrame = async () => {
            const before = await meter.cpuSeconds()
            await page.evaluate(MOVE_CURSOR)
            return (((await meter.cpuSeconds()) - before) * 1_000) / CURSOR_FRAMES
          }
          // The first moves compile what the later ones use.
          await perFrame()
          const cursorMs = await perFrame()
          await page.evaluate(SLOW_CURSOR)
          const slowMs = await perFrame()
          process.stdout.write(
            `cursor: ${cursorMs.toFixed(2)} ms a frame; slowed down: ${slowMs.toFixed(2)} ms\n`,
          )
          expect(cursorMs).toBeLessThan(CURSOR_MAX_MS)
          expect(slowMs).toBeGreaterThan(CURSOR_MAX_MS)
        })
      },
      TEST_MAX_MS,
    )

    test(
      'a tree of 2,000 objects scrolls without a long frame, and a long frame is found',
      () =>
        stage.visit('keys', {}, async ({ page, expectProblem }) => {
          // The jobs of this tree exist in its answer alone.
          expectProblem(/status of 404.*\/events/)
          const children = Array.from({ length: TREE_JOBS }, (_, at) => ({
            id: 1_000 + at,
            type: 'job',
            name: `gauge ${at}`,
            state: at % 9 === 0 ? 'major' : 'ok',
            hasChildren: false,
          }))
          const root = { id: 1, type: 'group', name: 'root', state: 'major', hasChildren: true, children }
          await page.route(/\/root\/tree\/group\/1\/tree/, (route) =>
            route.fulfill({ json: { ...root, counts: {}, permissions: { read: true } } }),
          )
          await page.goto(`${stage.url}/ui/objects`)
          await expectSmooth(page, 'tree', '.tree', '.tree [role=treeitem]')
          await page.evaluate(SLOW_SCROLL)
          const scrolling = () => page.evaluate(scroll('.tree', '.tree [role=treeitem]'))
          expect(await longestTask(page, scrolling)).toBeGreaterThan(FRAME_MAX_MS)
        }),
      TEST_MAX_MS,
    )

    test(
      'a grid of 10,000 rows scrolls without a long frame',
      async () => {
        const post = (path: string, json: object) => good<Made>(stage.client.request('POST', path, { json }))
        const { id } = await post('/dataSources', { name: 'Levels', type: 'csv' })
        const columns = ['station', 'first', 'second', 'third'].map((name) => ({ name, type: 'string' }))
        await post(`/dataSources/${id}/tables`, { name: 'levels', columns })
        for (let from = 0; from < GRID_ROWS; from += ROWS_AT_ONCE) {
          const rows = Array.from({ length: ROWS_AT_ONCE }, (_, at) => ({
            station: `gauge ${from + at}`,
            first: `${at} m`,
            second: `${at % 7} kWh`,
            third: 'calm',
          }))
          await post(`/dataSources/${id}/tables/levels/rows`, { rows })
        }
        await stage.visit(`data/${id}/tables/levels`, {}, ({ page }) =>
          expectSmooth(page, 'grid', '.data-grid', '.data-grid [role=row]'),
        )
      },
      TEST_MAX_MS,
    )

    test(
      'a log of 1,000 lines scrolls without a long frame',
      async () => {
        const { scriptId, begun } = await stageOf(stage.client)
        const held = await begun()
        for (let from = 1; from < LOG_LINES; from += LINES_AT_ONCE)
          await must(
            held.log(
              Array.from({ length: LINES_AT_ONCE }, (_, at) => ({
                line: from + at,
                at: 1_770_000_000_000 + from + at,
                stream: 'stdout' as const,
                text: `batch ${from + at}`,
              })),
            ),
          )
        await must(held.finish({ logLines: LOG_LINES }))
        await stage.visit(`scripts/${scriptId}/jobs/${held.id}`, {}, async ({ page }) => {
          await page.getByText(`batch ${LOG_LINES}`, { exact: true }).waitFor()
          await expectSmooth(page, 'log', '.log', '.line')
        })
      },
      TEST_MAX_MS,
    )
  },
  { variables: { TIDEMARK_RUNNER_TOKEN: RUNNER_TOKEN } },
)
