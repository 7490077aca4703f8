import { cpus, loadavg } from 'node:os'

import { beforeAll, expect, test } from 'bun:test'

import { good } from '../../api/suite.ts'
import { until } from '../../until.ts'
import { Meter } from '../load.ts'
import { onMainHost } from '../stage.ts'

type Made = { readonly id: number }

const UNAVAILABLE = {
  status: 503,
  code: 'unavailable',
  title: 'Unavailable',
  detail: 'The database does not answer.',
}
const HOUR_MS = 3_600_000
const PLANT_MAX_MS = 300_000
const TEST_MAX_MS = 180_000
/** The sentence is there this long after the page was asked for, with a warm cache on an idle machine with two cores. */
const SENTENCE_MAX_MS = 500
/** How often the page is opened until it is fast enough: other processes use the processor meanwhile. */
const VISITS_MAX = 12
/** When the sentence is drawn, in ms since the page was asked for. */
const SENTENCE_AT = `new Promise((resolve) => {
  const look = () => /wrong|well|acknowledged/i.test(document.getElementById('headline')?.textContent ?? '')
    ? resolve(performance.now())
    : requestAnimationFrame(look)
  look()
})`

onMainHost('overview', (stage) => {
  beforeAll(async () => {
    await good(stage.client.request('POST', '/demo', { json: { seed: 'wadden' } }))
  }, PLANT_MAX_MS)

  test(
    `the sentence is there within ${SENTENCE_MAX_MS} ms`,
    () =>
      stage.visit('', {}, async ({ page }) => {
        const meter = await Meter.of(page)
        const times: number[] = []
        const busy: number[] = []
        while (times.length < VISITS_MAX && !times.some((ms) => ms <= SENTENCE_MAX_MS)) {
          const before = await meter.cpuSeconds()
          await page.reload()
          times.push(Math.round(await page.evaluate<number>(SENTENCE_AT)))
          busy.push(Math.round(((await meter.cpuSeconds()) - before) * 1000))
        }
        const load = loadavg()[0] ?? 0
        // On a busy machine the page waits for the processor: then the time counts for which it had one.
        const counted = load > cpus().length * 2 ? busy : times
        const figures = `${times.join(', ')} ms, processor ${busy.join(', ')} ms, load ${load.toFixed(1)}`
        if (Math.min(...counted) > SENTENCE_MAX_MS) throw new Error(`The sentence took ${figures}.`)
        expect(times).not.toBeEmpty()
      }),
    TEST_MAX_MS,
  )

  test(
    'late jobs and states that could not be read are named, and read again by a button',
    async () => {
      const { items } = await good<{ items: readonly Made[] }>(stage.client.request('GET', '/jobs?limit=1'))
      await stage.visit('', {}, async ({ page, expectProblem }) => {
        expectProblem(/status of 503|answers 503/)
        const fails = /\/(?:late-jobs|state-history)(?:\?|$)/
        await page.route(fails, (route) =>
          route.fulfill({ status: 503, contentType: 'application/problem+json', json: UNAVAILABLE }),
        )
        for (const [path, title] of [
          ['', 'The late jobs could not be read'],
          [`job/${items[0]?.id}`, 'The states could not be read'],
        ] as const) {
          await page.goto(`${stage.url}/ui/${path}`)
          await page.locator('.note', { hasText: title }).waitFor()
        }
        await page.unroute(fails)
        const note = page.locator('.note', { hasText: 'The states could not be read' })
        await note.getByRole('button', { name: 'Try again' }).click()
        await note.waitFor({ state: 'detached' })
      })
    },
    TEST_MAX_MS,
  )

  test(
    'late jobs behind pages without any are shown, also on the wall',
    async () => {
      const { items } = await good<{ items: readonly Made[] }>(stage.client.request('GET', '/jobs?limit=1'))
      const id = items[0]?.id
      const late = {
        object: { id, type: 'job', name: 'Far behind', path: 'Harbour' },
        state: 'ok',
        usualInterval: 'PT1M',
        lastReceivedAt: null,
        lateSince: new Date().toISOString(),
        nextTimeoutAt: new Date(Date.now() + HOUR_MS).toISOString(),
      }
      const pages = {
        '': { items: [], nextCursor: 'second' },
        second: { items: [], nextCursor: 'third' },
        third: { items: [late], nextCursor: null },
      }
      await stage.visit('', {}, async ({ page }) => {
        await page.route(/\/late-jobs\?/, (route) => {
          const cursor = new URL(route.request().url()).searchParams.get('cursor') ?? ''
          return route.fulfill({ json: pages[cursor as keyof typeof pages] })
        })
        await page.goto(`${stage.url}/ui/`)
        await page.locator('.card', { hasText: 'Late, not yet silent' }).getByText('Far behind').waitFor()
        // The problems, groups, budgets and late jobs take turns.
        await page.goto(`${stage.url}/ui/wall?every=60`)
        await page.getByText(/^1 of 4, next in/).waitFor()
      })
    },
    TEST_MAX_MS,
  )

  test(
    'a new alarm is announced, and waits while the pointer is in the list',
    async () => {
      const { client } = stage
      const device = await good<Made>(
        client.request('POST', '/devices?parentId=1', { json: { name: 'Gauge' } }),
      )
      const makeJob = (name: string) =>
        good<Made>(
          client.request('POST', `/jobs?parentId=${device.id}`, {
            json: {
              name,
              parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
              thresholds: { minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 3 }] } },
            },
          }),
        )
      const [first, second] = [await makeJob('First gauge'), await makeJob('Second gauge')]
      const deliver = ({ id }: Made) =>
        good(
          client.request('POST', `/webcollector/jobs/${id}/values`, {
            json: { returnValue1: 4, errorCode: 0 },
          }),
        )
      // The alarms of the demo plant are no news then.
      await until(async () => (await client.request('GET', '/demo')).body['state'] === 'running')
      await stage.visit('', {}, async ({ page }) => {
        await page.getByRole('heading', { level: 1, name: /wrong|well/ }).waitFor()
        await page
          .getByText(/^Live /)
          .first()
          .waitFor()
        await deliver(first)
        const row = (name: string) => page.locator('.wrong > li', { hasText: name })
        await row('First gauge').waitFor()
        await page
          .locator('.announcer', { hasText: 'New alarm: First gauge, Minor' })
          .waitFor({ state: 'attached' })

        await row('First gauge').hover()
        const names = await page.locator('.wrong a').allTextContents()
        await deliver(second)
        await page
          .getByRole('status')
          .getByText(/^\d+ new$/)
          .waitFor()
        expect(await row('Second gauge').count()).toBe(0)
        expect(await page.locator('.wrong a').allTextContents()).toEqual(names)
        await page.getByRole('heading', { level: 1 }).hover()
        await row('Second gauge').waitFor()
        await page.locator('.announcer', { hasText: 'Second gauge' }).waitFor({ state: 'attached' })
      })
    },
    TEST_MAX_MS,
  )
})
