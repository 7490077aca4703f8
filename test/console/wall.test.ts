import { beforeAll, expect, test } from 'bun:test'

import { good } from '../api/suite.ts'
import { until } from '../until.ts'
import { onMainHost } from './stage.ts'

type Made = { readonly id: number }
type Token = Made & { readonly token: string }

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const EVERY_S = 30
const NO_NEWS_MS = 31_000
const NOON = new Date('2030-01-15T12:00:00+01:00')
const LATE_EVENING = new Date('2030-01-15T22:00:00+01:00')
/** Notes each request to keep the screen awake. */
const WATCH_LOCKS = `globalThis.locks = []
Object.defineProperty(navigator, 'wakeLock', {
  value: { request: async (kind) => { globalThis.locks.push(kind); return { release: async () => undefined } } },
})`

onMainHost('wall', (stage) => {
  let token = ''
  beforeAll(async () => {
    const { client } = stage
    const post = (path: string, json: object) => good<Made>(client.request('POST', path, { json }))
    const harbour = await post('/groups?parentId=1', { name: 'Harbour' })
    const weather = await post('/groups?parentId=1', { name: 'Weather' })
    const buoy = await post(`/devices?parentId=${weather.id}`, { name: 'Buoy 2' })
    const gauge = await post(`/devices?parentId=${harbour.id}`, { name: 'Gauge' })
    const job = await post(`/jobs?parentId=${gauge.id}`, {
      name: 'Outer level',
      parameters: { returnValue: [{ valueName: 'level', valueUnit: 'm' }] },
      thresholds: { major: { conditions: [{ key: 'returnValue1', operator: '>', value: 3 }] } },
    })
    await post(`/webcollector/jobs/${job.id}/values`, { errorCode: 0, returnValue1: 4 })
    const battery = await post(`/jobs?parentId=${buoy.id}`, { name: 'Battery' })
    await post(`/webcollector/jobs/${battery.id}/values`, { errorCode: 0 })
    await post('/slcs?parentId=1', { name: 'Gates', limit: 99 })
    await post(`/devices/${buoy.id}/revaluations`, {
      name: 'next inspection',
      type: 'maintenance',
      begin: new Date(Date.now() + 2 * DAY_MS).toISOString(),
      end: new Date(Date.now() + 3 * DAY_MS).toISOString(),
    })
    await post(`/devices/${buoy.id}/revaluations`, {
      name: 'new batteries',
      type: 'maintenance',
      begin: new Date(Date.now() - HOUR_MS).toISOString(),
      end: new Date(Date.now() + HOUR_MS).toISOString(),
    })
    const made = await good<Token>(
      client.request('POST', '/session/personal-tokens', {
        as: 'dashboard_viewer',
        json: { name: 'wall', scopes: ['read'], expiresAt: new Date(Date.now() + DAY_MS).toISOString() },
      }),
    )
    token = made.token
  })

  const wall = (query: string, secret = token) => `wall${query}#${secret}`

  test('the page is loaded anew after six hours, and not before the service answers', () =>
    stage.visit(wall(''), { as: null }, async ({ page, expectProblem }) => {
      expectProblem(/ERR_FAILED/)
      await page.goto('about:blank')
      await page.clock.install()
      await page.goto(`${stage.url}/ui/${wall('')}`)
      const headline = page.getByRole('heading', { name: 'One thing is wrong and not acknowledged' })
      await headline.waitFor()
      await page.evaluate('globalThis.isOld = true')
      let asked = 0
      await page.route('**/healthz', (route) => {
        asked++
        return asked === 1 ? route.abort() : route.continue()
      })
      await page.clock.fastForward('05:59:00')
      expect(asked).toBe(0)
      await page.clock.fastForward('01:00')
      await until(() => asked === 1)
      expect(await page.evaluate('globalThis.isOld ?? false')).toBe(true)
      const loaded = page.waitForEvent('load')
      await until(async () => {
        await page.clock.fastForward('01:00')
        return asked === 2
      })
      await loaded
      expect(await page.evaluate('globalThis.isOld ?? false')).toBe(false)
      await headline.waitFor()
    }))

  test('a token of a viewer opens it; its parts take turns with a countdown, and the screen stays awake', () =>
    stage.visit(wall(`?every=${EVERY_S}`), { as: null }, async ({ page, check }) => {
      // A page that runs while its clock is replaced can read the time 0.
      await page.goto('about:blank')
      await page.clock.install()
      await page.addInitScript(WATCH_LOCKS)
      await page.goto(`${stage.url}/ui/${wall(`?every=${EVERY_S}`)}`)
      await page.getByRole('heading', { name: 'One thing is wrong and not acknowledged' }).waitFor()
      await page.getByRole('heading', { name: 'Wrong now' }).waitFor()
      await page.getByText('Outer level').waitFor()
      await page.getByText(/^1 of 3, next in \d+\ssec$/).waitFor()
      expect(await page.evaluate<string[]>('globalThis.locks')).toEqual(['screen'])
      await check('wrong')
      await page.clock.runFor(EVERY_S * 1000)
      await page.getByRole('heading', { name: 'Groups' }).waitFor()
      const plates = await page.locator('.plates li').allInnerTexts()
      expect(plates.map((text) => text.split(/\s+/))).toEqual([
        ['Major', 'Harbour', '1', 'job'],
        ['Maintenance', 'Weather', '1', 'job,', '1', 'in', 'maintenance'],
      ])
      await page.getByText(/^2 of 3, next in/).waitFor()
      await page.clock.runFor(EVERY_S * 1000)
      await page.getByText(/^3 of 3, next in/).waitFor()
      await page.clock.runFor(EVERY_S * 1000)
      await page.getByText(/^1 of 3, next in/).waitFor()
    }))

  test('without a time to turn it shows all at once, also to a signed-in user', () =>
    stage.visit('wall', { as: 'dashboard_viewer' }, async ({ page, check }) => {
      await page.getByText('Outer level').waitFor()
      await page.getByText('Weather').waitFor()
      await page.getByText(/^Maintenance of Buoy 2 runs until .*\. Next: Buoy 2, /).waitFor()
      await page.getByText(/^Gates: 100\s?% of the error budget is left$/).waitFor()
      await page.getByText(/^Last event .* ago$/).waitFor()
      expect(await page.getByText('next in').count()).toBe(0)
      expect(await page.locator('main :is(a, button, input)').count()).toBe(0)
      await check('all')
    }))

  test('the headline says that news stay away, and the content stays', () =>
    stage.visit(wall(''), { as: null }, async ({ page, picture, expectProblem }) => {
      await page.clock.install()
      await page.reload()
      await page.getByText('Outer level').waitFor()
      expectProblem(/ERR_FAILED|ERR_INTERNET_DISCONNECTED/)
      await page.context().setOffline(true)
      await page.route('**/*', (route) => route.abort())
      await page.clock.runFor(NO_NEWS_MS)
      await page.getByRole('heading', { name: /^No news for \d+ sec/ }).waitFor()
      await page.getByText('Outer level').waitFor()
      await picture('stale')
    }))

  test('it is bright by day and dark at night', () =>
    stage.visit(wall(''), { as: null }, async ({ page }) => {
      for (const [time, expected] of [
        [NOON, 'light'],
        [LATE_EVENING, 'dark'],
      ] as const) {
        await page.clock.setFixedTime(time)
        await page.reload()
        await page.getByRole('heading', { level: 1 }).waitFor()
        await page.locator(`html[data-theme=${expected}]`).waitFor({ state: 'attached' })
      }
    }))

  test('a token that is not valid is named', () =>
    stage.visit(wall('', 'tidemark_wrong'), { as: null }, async ({ page, expectProblem }) => {
      expectProblem(/status of 401/)
      await page.getByRole('heading', { name: 'The token of this wall is not valid' }).waitFor()
    }))
})
