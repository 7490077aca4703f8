import { afterAll, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { parse } from 'yaml'

import { runCommand } from '../../workers/bun/commands/action.ts'
import { readManifest } from '../../workers/bun/commands/apply/manifest.ts'
import { importCommand } from '../../workers/bun/commands/import.ts'
import { durationOf } from '../../workers/bun/commands/import/imported.ts'
import { rejection } from '../contract/rejection.ts'
import { Directories } from './command-line.ts'

const directories = new Directories()
afterAll(() => directories.remove())

/** Imports a document; returns the manifest as it was printed, after it was read as `tidemark apply` reads it. */
async function imported(system: string, document: unknown, ...more: readonly string[]) {
  const directory = await directories.make()
  const file = join(directory, 'export.json')
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document))
  const { text } = await runCommand(importCommand, [system, file, ...more], { environment: {} })
  await writeFile(join(directory, 'manifest.yaml'), text)
  await readManifest(join(directory, 'manifest.yaml'))
  return parse(text) as { readonly manifest: string; readonly groups: readonly [Record<string, unknown>] }
}

/** As `GET /api/v3/checks/` answers. */
const CHECK = {
  name: 'nightly backup',
  slug: 'nightly-backup',
  tags: 'prod db',
  desc: 'of the shop',
  grace: 3600,
  n_pings: 12,
  status: 'up',
  started: false,
  last_ping: '2026-11-25T03:00:12+00:00',
  next_ping: '2026-11-26T03:00:12+00:00',
  manual_resume: false,
  methods: '',
  uuid: '31365bce-8da9-4729-8ff3-aaa71d56b712',
  ping_url: 'https://hc-ping.com/31365bce-8da9-4729-8ff3-aaa71d56b712',
  channels: '*',
  timeout: 86_400,
}

test('a check of Healthchecks becomes a job with its period, its grace and its tags, without its ping URL', async () => {
  const { groups, manifest } = await imported('healthchecks', { checks: [CHECK] })
  expect(manifest).toBe('healthchecks')
  expect(groups).toEqual([
    {
      name: 'Healthchecks',
      devices: [
        {
          name: 'healthchecks',
          jobs: [
            {
              name: 'nightly backup',
              properties: { 'healthchecks.tags': 'prod db', 'healthchecks.description': 'of the shop' },
              interval: 'PT24H',
              parameters: { timeout: 'PT25H', grace: 'PT1H' },
            },
          ],
        },
      ],
    },
  ])
  expect(JSON.stringify(groups)).not.toContain('31365bce')
})

test.each([
  ['*/5 * * * *', 'UTC', 'PT5M'],
  ['0 3 * * *', 'UTC', 'PT24H'],
  // The day after the change to winter time begins an hour later.
  ['0 3 * * *', 'Europe/Berlin', 'PT25H'],
  ['0 8 * * 1-5', 'UTC', 'PT72H'],
])('the schedule "%s" in %s has the interval %s', async (schedule, tz, interval) => {
  const { timeout: _, ...check } = { ...CHECK, schedule, tz, status: 'paused' }
  const { groups } = await imported('healthchecks', { checks: [check] })
  expect(JSON.stringify(groups)).toContain(`"stopped":true,"interval":"${interval}"`)
  expect(JSON.stringify(groups)).toContain(`"healthchecks.schedule":"${schedule} ${tz}"`)
})

test('checks with one name get names of their own; one without a name has its slug', async () => {
  const checks = [CHECK, CHECK, { ...CHECK, name: 'nightly backup (2)' }, { ...CHECK, name: '' }]
  const { groups } = await imported('healthchecks', { checks }, '--manifest', 'cron')
  const names = [...JSON.stringify(groups).matchAll(/"name":"(nightly[^"]*)"/g)].map(([, name]) => name)
  expect(names).toEqual(['nightly backup', 'nightly backup (2)', 'nightly backup (2) (2)', 'nightly-backup'])
})

const MONITOR = {
  id: 2,
  name: 'shop',
  type: 'http',
  url: 'https://shop.example.org/health',
  interval: 60,
  active: true,
}
const GROUP = { ...MONITOR, id: 1, name: 'web', type: 'group', url: 'https://' }

test('monitors of Uptime Kuma become jobs of the device of their host, in the groups that they are in', async () => {
  const monitorList = [
    GROUP,
    {
      ...MONITOR,
      parent: 1,
      maxretries: 2,
      retryInterval: 30,
      description: 'sells',
      tags: [
        { name: 'team', value: 'a' },
        { name: 'eu', value: '' },
      ],
    },
    {
      ...MONITOR,
      id: 3,
      name: 'shop port',
      type: 'port',
      hostname: 'shop.example.org',
      url: 'https://',
      port: 443,
      parent: 1,
    },
    {
      ...MONITOR,
      id: 4,
      name: 'nightly',
      type: 'push',
      hostname: 'old.example.org',
      url: null,
      pushToken: 'secret',
      active: 0,
    },
  ]
  const { groups } = await imported('uptime-kuma', { version: '1.23.16', notificationList: [], monitorList })
  const returnValue = [{ valueName: 'ping', valueUnit: 'ms' }]
  expect(groups).toEqual([
    {
      name: 'Uptime Kuma',
      devices: [
        {
          name: 'push',
          jobs: [
            {
              name: 'nightly',
              properties: { 'uptime-kuma.type': 'push' },
              stopped: true,
              interval: 'PT1M',
              parameters: { timeout: 'PT1M10S', returnValue },
            },
          ],
        },
      ],
      groups: [
        {
          name: 'web',
          devices: [
            {
              name: 'shop.example.org',
              address: 'shop.example.org',
              jobs: [
                {
                  name: 'shop',
                  properties: {
                    'uptime-kuma.type': 'http',
                    'uptime-kuma.url': 'https://shop.example.org/health',
                    'uptime-kuma.description': 'sells',
                    'uptime-kuma.tags': 'team=a, eu',
                  },
                  interval: 'PT1M',
                  parameters: { timeout: 'PT2M10S', returnValue },
                },
                {
                  name: 'shop port',
                  properties: { 'uptime-kuma.type': 'port', 'uptime-kuma.port': '443' },
                  interval: 'PT1M',
                  parameters: { timeout: 'PT1M10S', returnValue },
                },
              ],
            },
          ],
        },
      ],
    },
  ])
})

test('groups and monitors of one name get names of their own', async () => {
  const { groups } = await imported('uptime-kuma', [
    GROUP,
    { ...GROUP, id: 7 },
    MONITOR,
    { ...MONITOR, id: 8 },
    { ...MONITOR, id: 9, name: ' ' },
  ])
  expect(groups[0]).toMatchObject({
    groups: [{ name: 'web' }, { name: 'web (2)' }],
    devices: [{ jobs: [{ name: 'shop' }, { name: 'shop (2)' }, { name: 'unnamed' }] }],
  })
})

test('lists of monitors are read as well', async () => {
  const asList = await imported('uptime-kuma', [MONITOR])
  expect(await imported('uptime-kuma', { '2': MONITOR })).toEqual(asList)
})

test.each([
  ['healthchecks', '{', 'is not JSON'],
  ['healthchecks', { checks: [] }, 'The file is not an export of healthchecks'],
  ['healthchecks', { checks: [{ ...CHECK, grace: 'long' }] }, '/checks/0/grace'],
  [
    'healthchecks',
    { checks: [{ ...CHECK, timeout: undefined, schedule: 'whenever' }] },
    'The schedule "whenever"',
  ],
  [
    'healthchecks',
    { checks: [{ ...CHECK, timeout: undefined, schedule: '0 3 * * *', tz: 'Mars/Olympus' }] },
    'in the time zone "Mars/Olympus"',
  ],
  ['healthchecks', { checks: [{ ...CHECK, timeout: undefined }] }, 'neither a timeout nor a schedule'],
  ['uptime-kuma', { monitorList: [] }, 'has no monitors'],
  ['uptime-kuma', { checks: [CHECK] }, 'The file is not an export of uptime-kuma'],
  [
    'uptime-kuma',
    [
      { ...GROUP, id: 5, parent: 6 },
      { ...GROUP, id: 6, parent: 5 },
    ],
    'is below itself',
  ],
  ['uptime-kuma', { monitorList: [{ ...MONITOR, type: undefined }] }, '/monitorList/0/type'],
  ['uptime-kuma', [MONITOR, { ...MONITOR, interval: 0 }], '/monitorList/1/interval'],
] as const)('a file for %s is refused: %p', async (system, document, message) => {
  expect(await rejection(imported(system, document))).toMatchObject({
    exitCode: 65,
    message: expect.stringContaining(message) as unknown,
  })
})

test('each fault of a file is printed', async () => {
  const checks = Array.from({ length: 25 }, () => ({ ...CHECK, grace: 'long' }))
  const { message } = (await rejection(imported('healthchecks', { checks }))) as Error
  const places = [...message.matchAll(/^ {2}(\S+) /gm)].map(([, place]) => place)
  expect(places).toEqual(checks.map((_, index) => `/checks/${index}/grace`))
})

test.each([
  [1, 'PT1S'],
  [60, 'PT1M'],
  [5400, 'PT1H30M'],
  [90_061, 'PT25H1M1S'],
])('%d seconds are %s', (seconds, duration) => expect(durationOf(seconds)).toBe(duration))

test('a file in UTF-8 may begin with a byte order mark; one in another encoding is refused', async () => {
  const json = JSON.stringify({ checks: [{ ...CHECK, name: 'café' }] })
  const { groups } = await imported('healthchecks', `\uFEFF${json}`)
  expect(JSON.stringify(groups)).toContain('café')
  const directory = await directories.make()
  const file = join(directory, 'latin-1')
  await writeFile(file, json, 'latin1')
  const refused = { exitCode: 65, message: `${file} is not in UTF-8: convert it with iconv.` }
  const reading = runCommand(importCommand, ['healthchecks', file], { environment: {} })
  expect(await rejection(reading)).toMatchObject(refused)
  expect(await rejection(readManifest(file))).toMatchObject(refused)
})
