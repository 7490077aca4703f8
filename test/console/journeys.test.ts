import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Browser, Page, Route } from 'playwright-core'

import { PASSWORD } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { freePort } from '../bench/peers/process.ts'
import { Session } from '../faults/session.ts'
import { mountSmallDisk, takeFreeBytes, unmountSmallDisk } from '../faults/small-disk.ts'
import { startEdge } from '../hosts/edge.ts'
import { ADMIN } from '../hosts/host.ts'
import { AS_SERVICE, startProcess } from '../hosts/process.ts'
import { readUntil } from '../until.ts'
import { HAS_BROWSER, IS_COMPLETE, launch, visit } from './browser.ts'
import { onBothHosts, onMainHost } from './stage.ts'
import type { Stage } from './stage.ts'

type Made = { readonly id: number }
type Alarm = {
  readonly id: number
  readonly object: { readonly name: string }
  readonly assignee: { readonly name: string } | null
  readonly assignedUntil: string | null
}

const JOURNEY_MAX_MS = 300_000
/** The list of the inbox, whose bound is not the one of the navigation. */
const LIST = /\/alarms\?limit=500$/
/** The page reads again a second after an event. */
const EVENT_PACE_MAX_MS = 2_000
const POINT_MAX_MS = 1000
const DELIVERIES = 5
const ROOM_TRIES = 300
const ROOM_PAUSE_MS = 100
const GAUGE = {
  name: 'Outer water level',
  parameters: { returnValue: [{ valueName: 'Level', valueUnit: 'm', valuePrecision: 2 }] },
  thresholds: { minor: { conditions: [{ key: 'returnValue1', operator: '>', value: 3 }] } },
}

const PUMP = { ...GAUGE, name: 'Pump', thresholds: { major: GAUGE.thresholds.minor } }
const LOCKS = ['Lock 1', 'Lock 2', 'Lock 3', 'Lock 4']
const EVERYONE = '/group/1/permissions/everyone/0'
/** Owners of alarms: a name, and whether there is an end. */
type Owner = [name: string | null, hasEnd: boolean]
const FREE: Owner = [null, false]
const MINE: Owner = ['editor', false]
const MINE_FOR_HOURS: Owner = ['editor', true]

/** Sends a value to a job as a device would: over HTTP, with a password. */
async function deliver(service: string, job: number | string, returnValue1: number): Promise<void> {
  const answer = await fetch(`${service}/webcollector/jobs/${job}/values`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`,
    },
    body: JSON.stringify({ returnValue1, errorCode: 0 }),
    // A host closes connections that lie idle between two steps of a journey.
    keepalive: false,
  })
  expect(answer.status).toBe(200)
}

/** The chart of a job, once it has this highest value: values of one interval share a point. */
const chartWith = (page: Page, highest: string) =>
  page.getByRole('group', { name: new RegExp(`highest ${highest.replace('.', '\\.')}(?! *\\d)`) }).waitFor()

onBothHosts(
  'first-value',
  (stage) => {
    test(
      'the set-up link, a first value by a real delivery, its point within a second, and the link refused in words',
      async () => {
        const link = new URL((await stage.setupLink()) ?? 'no link')
        const path = `..${link.pathname.slice(new URL(stage.url).pathname.length - 1)}${link.search}`
        await stage.visit(path, { as: null }, async ({ page, check }) => {
          await check('set-up')
          await page.getByLabel('Password').fill(ADMIN.password)
          await page.getByRole('radio').nth(1).check()
          await page.getByRole('button', { name: 'Set up Tidemark' }).click()
          await page.getByText('Waiting for the first value').waitFor()
          await check('waiting')

          const command = await page.locator('pre', { hasText: 'webcollector' }).innerText()
          const job = /jobs\/(\d+)\/values/.exec(command)?.[1] ?? 'no job'
          expect(command).toContain(`${stage.url}/webcollector/jobs/${job}/values`)
          await deliver(stage.url, job, 21.5)
          await page.getByText(/^The value arrived at /).waitFor()
          await check('arrived')

          await page.getByRole('link', { name: 'Open the job' }).click()
          await chartWith(page, '21.5')
          const waits: number[] = []
          // The fastest of several: other tests use the processor meanwhile.
          for (let at = 1; at <= DELIVERIES; at++) {
            const begin = performance.now()
            await deliver(stage.url, job, 21.5 + at)
            await chartWith(page, String(21.5 + at))
            waits.push(performance.now() - begin)
          }
          expect(Math.min(...waits)).toBeLessThan(POINT_MAX_MS)
          await check('chart')
        })
        await stage.visit(path, { as: null }, async ({ page, check, expectProblem }) => {
          expectProblem(/status of 403/)
          await page.getByLabel('Password').fill(ADMIN.password)
          await page.getByRole('button', { name: 'Set up Tidemark' }).click()
          await page.getByRole('heading', { name: 'This link is over' }).waitFor()
          await check('over')
        })
      },
      JOURNEY_MAX_MS,
    )
  },
  { variables: { TIDEMARK_FIRST_OBJECTS: 'on' }, isNew: true },
)

onMainHost('bad-day', (stage) => {
  declareAlarmJourneys(stage)

  let job = 0
  beforeAll(async () => {
    const post = (path: string, json: object) => good<Made>(stage.client.request('POST', path, { json }))
    const device = await post('/devices?parentId=1', { name: 'gauge' })
    job = (await post(`/jobs?parentId=${device.id}`, GAUGE)).id
    await deliver(stage.url, job, 1)
  })

  test(
    'a session ends while a form is filled in: the login lies over the page, and the form is saved after it',
    () =>
      stage.visit(
        `job/${job}?tab=configuration`,
        { as: 'editor' },
        async ({ page, check, expectProblem }) => {
          expectProblem(/status of 401/)
          const limit = page.getByLabel('Limit: Minor, Level')
          await limit.fill('2.75')
          await good(
            stage.client.request('POST', '/session/logout', { json: { everywhere: true }, as: 'editor' }),
          )
          const login = page.getByRole('dialog')
          await login.getByLabel('Password').waitFor()
          await check('session-over')
          await login.getByLabel('Password').fill(PASSWORD)
          await login.getByRole('button', { name: 'Sign in' }).click()
          await login.waitFor({ state: 'detached' })
          expect(await limit.inputValue()).toBe('2.75')
          await page.getByRole('button', { name: 'Save', disabled: false }).click()
          await page.getByText('Saved', { exact: true }).waitFor()
        },
      ),
    JOURNEY_MAX_MS,
  )

  test(
    'the network is away: values stay with their age, and those that were missed follow without a reload',
    () =>
      stage.visit(`job/${job}`, {}, async ({ page, expectProblem }) => {
        expectProblem(/ERR_INTERNET_DISCONNECTED|ERR_NETWORK_CHANGED|ERR_NETWORK_IO_SUSPENDED/)
        await deliver(stage.url, job, 1.5)
        await chartWith(page, '1.5')
        // The library of the chart is loaded beside the values.
        await page.locator('.chartbox canvas').first().waitFor()
        await page.context().setOffline(true)
        await page
          .getByText(/^Offline/)
          .first()
          .waitFor()
        await deliver(stage.url, job, 1.75)
        await chartWith(page, '1.5')
        await page.context().setOffline(false)
        await chartWith(page, '1.75')
      }),
    JOURNEY_MAX_MS,
  )
})

/** Holds the answer to the next read of a URL. `begun` resolves once the service has answered, and `pass` gives the answer to the page. */
async function heldRead(page: Page, url: RegExp): Promise<{ begun: Promise<void>; pass: () => void }> {
  const [begun, passed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const hold = async (route: Route): Promise<void> => {
    const response = await route.fetch()
    begun.resolve()
    await passed.promise
    await route.fulfill({ response })
  }
  await page.route(url, hold, { times: 1 })
  return { begun: begun.promise, pass: passed.resolve }
}

function declareAlarmJourneys(stage: Stage): void {
  const post = (path: string, json: object) => good<Made>(stage.client.request('POST', path, { json }))
  const alarms = async () =>
    (await good<{ items: readonly Alarm[] }>(stage.client.request('GET', '/alarms'))).items
  /** The users of the open alarms of locks, and until when. */
  const owners = async () =>
    (await alarms())
      .filter(({ object }) => object.name.startsWith('Lock'))
      .toSorted((a, b) => a.object.name.localeCompare(b.object.name))
      .map(({ assignee, assignedUntil }): Owner => [assignee?.name ?? null, assignedUntil !== null])
  /** The page changes its rows before the service has answered. */
  const ownersBecome = (expected: readonly Owner[]) =>
    readUntil(owners, (found) => Bun.deepEquals(found, expected))

  test(
    'the inbox by the keyboard: three alarms are marked, acknowledged, taken back, assigned for hours; a refusal rolls back',
    async () => {
      const group = (await post('/groups?parentId=1', { name: 'Locks' })).id
      const device = (await post(`/devices?parentId=${group}`, { name: 'chamber' })).id
      for (const name of LOCKS)
        await deliver(stage.url, (await post(`/jobs?parentId=${device}`, { ...GAUGE, name })).id, 4)
      await stage.visit('alarms', { as: 'editor' }, async ({ page, check }) => {
        const press = async (...keys: readonly string[]) => {
          for (const key of keys) await page.keyboard.press(key)
        }
        const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
        const marked = page.getByText('3 marked')
        await row('Lock 4').waitFor()
        await page.getByRole('button', { name: 'Not acknowledged' }).focus()
        await press('Enter')
        await page.getByRole('grid').focus()
        await press('Home', 'x', 'j', 'x', 'j', 'x')
        await marked.waitFor()
        await check('marked')
        const before = await heldRead(page, LIST)
        const fourth = (await alarms()).find(({ object }) => object.name === 'Lock 4')
        await post(`/alarms/${fourth?.id}/comment`, { text: 'The keeper is on the way' })
        await before.begun
        await press('a')
        await page.getByText('3 alarms are yours until they are ok').waitFor()
        // A read that began before the change is answered after the page was to read again.
        await Bun.sleep(EVENT_PACE_MAX_MS)
        const again = page.waitForRequest(LIST)
        before.pass()
        await again
        await row('Lock 1').waitFor({ state: 'detached' })
        await ownersBecome([MINE, MINE, MINE, FREE])
        await press('z')
        await row('Lock 1').waitFor()
        await ownersBecome([FREE, FREE, FREE, FREE])

        await marked.waitFor()
        await press('Shift+A')
        const dialog = page.getByRole('dialog', { name: 'Assign 3 alarms' })
        await dialog.getByLabel('Until').selectOption('for 4 hours')
        await dialog.getByLabel('Comment').focus()
        await press('Control+Enter')
        await row('Lock 1').waitFor({ state: 'detached' })
        await ownersBecome([MINE_FOR_HOURS, MINE_FOR_HOURS, MINE_FOR_HOURS, FREE])
        await page.getByRole('button', { name: 'Mine' }).focus()
        await press('Enter')
        await row('Lock 1')
          .getByText(/^until /)
          .waitFor()
        await page.getByRole('grid').focus()
        await press('a')
        await ownersBecome([MINE, MINE, MINE, FREE])
        await press('z')
        await ownersBecome([MINE_FOR_HOURS, MINE_FOR_HOURS, MINE_FOR_HOURS, FREE])
        await press('Escape')

        // The page does not hear that the right is gone: the service refuses what the page lets through.
        await page.getByRole('button', { name: /^Live/ }).first().focus()
        await press('Enter')
        await page
          .getByRole('button', { name: /^Paused/ })
          .first()
          .waitFor()
        const editor = `/group/${group}/permissions/user/${stage.client.userIds.editor}`
        const put = (path: string, json: object) => stage.client.request('PUT', path, { json })
        expect((await put(editor, { write: false, execute: false, maintain: false })).status).toBeLessThan(
          300,
        )
        expect((await stage.client.request('DELETE', EVERYONE)).status).toBe(204)
        try {
          await page.getByRole('grid').focus()
          await press('a')
          await page
            .locator('.toast.failed')
            .getByText(/maintain/)
            .waitFor()
          await row('Lock 1')
            .getByText(/^until /)
            .waitFor()
          await check('refused')
          expect(await owners()).toEqual([MINE_FOR_HOURS, MINE_FOR_HOURS, MINE_FOR_HOURS, FREE])
        } finally {
          await put(EVERYONE, { write: true, execute: true, maintain: true })
        }
      })
    },
    JOURNEY_MAX_MS,
  )

  test(
    'an outage runs on the page of its job and of the service above, and ends, without a reload',
    async () => {
      const group = (await post('/groups?parentId=1', { name: 'Polder' })).id
      const device = (await post(`/devices?parentId=${group}`, { name: 'station' })).id
      const job = (await post(`/jobs?parentId=${device}`, PUMP)).id
      const service = (await post(`/slos?parentId=${group}`, { name: 'Dry feet' })).id
      await good(stage.client.request('PUT', `/slo/${service}/children`, { json: { items: [{ id: job }] } }))
      await deliver(stage.url, job, 1)
      await stage.visit(`job/${job}?tab=outages`, {}, async ({ page, check }) => {
        const running = page.getByRole('row', { name: /Major.*running/ })
        await page.getByText('No outage').first().waitFor()
        await page
          .getByText(/^Live /)
          .first()
          .waitFor()
        await deliver(stage.url, job, 4)
        await running.waitFor()
        await check('outage')
        const other = await page.context().newPage()
        await other.goto(`${stage.url}/ui/slo/${service}`)
        await other.getByText('because of Pump').waitFor()
        await deliver(stage.url, job, 1)
        await running.waitFor({ state: 'detached' })
        await page.getByRole('row', { name: /Major/ }).waitFor()
        await other.getByText('because of Pump').waitFor({ state: 'detached' })
      })
    },
    JOURNEY_MAX_MS,
  )
}

type Restartable = { readonly url: string; readonly stop: () => Promise<void> }

/** Starts a process of Bun that a signal ends. */
async function startBun(dataDir: string, port: number): Promise<Restartable> {
  const command = [...AS_SERVICE, 'workers/bun/main.ts']
  const host = await startProcess({ command, dataDir, environment: { TIDEMARK_PORT: String(port) } })
  const stop = async () => {
    host.signal('SIGTERM')
    await host.exited
  }
  return { url: host.url, stop }
}

/** Starts a workerd. */
async function startWorkerd(dataDir: string, port: number): Promise<Restartable> {
  const host = await startEdge({ dataDir, port })
  return { url: host.url, stop: () => host.close() }
}

const RESTARTED = [['bun', startBun] as const, ...(IS_COMPLETE ? [['edge', startWorkerd] as const] : [])]

describe.skipIf(!HAS_BROWSER)('a bad day of a process', () => {
  let browser: Browser | undefined
  let dataDir = ''
  beforeAll(async () => {
    browser = await launch()
    dataDir = await mkdtemp(join(tmpdir(), 'tidemark-bad-day-'))
  })
  afterAll(async () => {
    await browser?.close()
    await rm(dataDir, { recursive: true })
  })

  for (const [name, start] of RESTARTED)
    test(
      `the server stops and starts again on ${name}: the page says so, keeps its content, and goes on by itself`,
      async () => {
        if (!browser) throw new Error('The browser did not start.')
        const folder = await mkdtemp(join(dataDir, name))
        // No other program takes this port while the server is down, as it could take one of `port: 0`.
        const port = freePort()
        let host = await start(folder, port)
        const { url } = host
        const call = async (path: string, json: object) => {
          const authorization = `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`
          const headers = { 'content-type': 'application/json', authorization }
          const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(json) })
          if (!answer.ok) throw new Error(`${path} answers ${answer.status}: ${await answer.text()}`)
          return ((await answer.json()) as Made).id
        }
        const device = await call('/devices?parentId=1', { name: 'gauge' })
        const job = await call(`/jobs?parentId=${device}`, GAUGE)
        await deliver(url, job, 1)
        const place = { browser, base: url, folder: `bad-day/${name}`, inAllLooks: true }
        await visit(place, `job/${job}`, {}, async ({ page, check, expectProblem }) => {
          expectProblem(
            /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/,
          )
          await chartWith(page, '1')
          await host.stop()
          await page
            .getByText(/^The service cannot be reached/)
            .first()
            .waitFor()
          await chartWith(page, '1')
          await check('offline')
          host = await start(folder, port)
          await deliver(url, job, 2.25)
          await chartWith(page, '2.25')
          await page
            .getByText(/^Live /)
            .first()
            .waitFor()
          await check('back')
        })
        await host.stop()
      },
      JOURNEY_MAX_MS,
    )

  test(
    'the disk is full: the refusal and its remedy are named, values stay typed, and are sent when there is room',
    async () => {
      const [started, folder] = [browser, await mkdtemp(join(tmpdir(), 'tidemark-full-'))]
      if (!started) throw new Error('The browser did not start.')
      if (!mountSmallDisk(folder)) return
      const host = await startProcess({ command: [...AS_SERVICE, 'workers/bun/main.ts'], dataDir: folder })
      try {
        const place = { browser: started, base: host.url, folder: 'bad-day/process', inAllLooks: true }
        await fillDisk(place, folder)
      } finally {
        host.signal('SIGTERM')
        await host.exited
        unmountSmallDisk(folder)
        await rm(folder, { recursive: true })
      }
    },
    JOURNEY_MAX_MS,
  )
})

/** Sends a value that finds no room, reads why, makes room, and sends the value again. */
async function fillDisk(place: Parameters<typeof visit>[0], dataDir: string): Promise<void> {
  const url = place.base
  const session = await Session.open(url)
  const [job = 0] = await session.createJobs(url, 1)
  expect((await session.deliver(url, job, { returnValue1: 1 })).status).toBe(200)
  await visit(place, `job/${job}?tab=send`, {}, async ({ page, check, expectProblem }) => {
    expectProblem(/status of 50[37]|answers 50[37]/)
    const value = page.getByLabel('value', { exact: true })
    const send = () => page.getByRole('button', { name: 'Send', exact: true }).click()
    await value.fill('2.5')
    const others = join(dataDir, 'others')
    await takeFreeBytes(dataDir, others)
    await untilReady(url, 503)
    await send()
    await page.getByText('The disk of the service is full.').waitFor()
    expect(await value.inputValue()).toBe('2.5')
    await check('disk-full')

    const tab = await page.context().newPage()
    await tab.goto(`${url}/ui/settings/health`)
    await tab.getByText('The service is not ready: one check fails.').waitFor()
    await tab.getByText('Deliveries are accepted again once there is free space.').waitFor()

    await rm(others)
    await untilReady(url, 200)
    await tab.getByRole('button', { name: 'Check again' }).click()
    await tab.getByText('Deliveries are accepted again').waitFor({ state: 'detached' })
    await send()
    await page.getByText(/^Stored, 1 value/).waitFor()
    await page.getByRole('tab', { name: 'Values' }).click()
    await chartWith(page, '2.5')
  })
}

/** The service has seen that its disk is full, or has room again. */
async function untilReady(url: string, status: 200 | 503): Promise<void> {
  for (let tried = 0; tried < ROOM_TRIES; tried++) {
    if ((await fetch(`${url}/readyz`)).status === status) return
    await Bun.sleep(ROOM_PAUSE_MS)
  }
  throw new Error(`The service does not answer ${status}.`)
}
