import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import Ajv from 'ajv/dist/2020.js'
import fc from 'fast-check'
import { parse } from 'yaml'

import { runCommand } from '../../workers/bun/commands/action.ts'
import { applyCommand, exportCommand } from '../../workers/bun/commands/apply.ts'
import { differences } from '../../workers/bun/commands/apply/difference.ts'
import { importCommand } from '../../workers/bun/commands/import.ts'
import { connectAdministrator } from '../api/client.ts'
import { good } from '../api/suite.ts'
import { rejection } from '../contract/rejection.ts'
import { ADMIN } from '../hosts/host.ts'
import type { Host } from '../hosts/host.ts'
import { HOST_NAMES, startHost } from '../hosts/start.ts'

const TEST_MAX_MS = 180_000
const MANIFEST = `
manifest: plant-a
recipients:
  - name: On call
    type: email
    target: { addresses: [on-call@example.org] }
groups:
  - name: Hall 3
    properties: { site: south }
    alarmLinks:
      - { recipient: On call, minState: minor, delay: PT60S }
    devices:
      - name: freezer
        jobs:
          - name: temperature
            parameters:
              timeout: PT60M
              returnValue: [{ valueName: inside, valueUnit: °C }]
            thresholds:
              major: { conditions: [{ key: returnValue1, operator: '>', value: -15 }] }
          - name: door
`

const SERVICES = `
manifest: plant-s
groups:
  - name: Shop
    devices:
      - name: web
        jobs: [{ name: page }, { name: login }]
    slos:
      - name: Checkout
        stateOperation: or
        device: [Shop, web]
        childrenFilter:
          group: [Shop]
          filterDefinition: { conditions: [{ item: name, operator: contains, expression: pay }] }
        parameters: { costsPerMin: 12.5, currency: CHF, riskFactor: 0 }
        children:
          - { type: job, path: [Shop, web, page], weight: 2, stateOverrides: { warning: minor } }
          - { type: slo, path: [Shop, Sign in] }
      - name: Sign in
        sortMode: name
        children: [{ type: job, path: [Shop, web, page] }, { type: job, path: [Shop, web, login] }]
slcs:
  - name: Agreement
    limit: 99.5
    warnAt: 70
    activeTime: [{ days: [monday, tuesday], begin: '08:00', end: '18:00' }]
    children: [{ type: slo, path: [Shop, Checkout] }]
`

let folder = ''
let file = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tidemark-apply-'))
  file = join(folder, 'plant.yaml')
})
afterAll(() => rm(folder, { recursive: true }))

describe.each([...HOST_NAMES])('a manifest and %s', (hostName) => {
  let host: Host
  let environment: Record<string, string>
  beforeAll(async () => {
    host = await startHost(hostName)
    environment = {
      TIDEMARK_URL: host.url,
      TIDEMARK_USERNAME: ADMIN.username,
      TIDEMARK_PASSWORD: ADMIN.password,
    }
  }, TEST_MAX_MS)
  afterAll(() => host.close())
  const apply = async (...args: readonly string[]) =>
    runCommand(applyCommand, ['--file', file, ...args], { environment })

  test(
    'what was imported from another system is applied, and then equal',
    async () => {
      const check = { name: 'backup', grace: 5400, timeout: 86_400, tags: 'db', status: 'paused' }
      const monitor = { id: 1, name: 'shop', type: 'http', url: 'https://shop.example.org/', interval: 90 }
      const exports = { healthchecks: { checks: [check, check] }, 'uptime-kuma': [monitor] }
      for (const [system, document] of Object.entries(exports)) {
        await Bun.write(`${file}.json`, JSON.stringify(document))
        const { text } = await runCommand(importCommand, [system, `${file}.json`], { environment })
        await Bun.write(file, text)
        expect((await apply('--yes')).text).toEndWith('Applied.\n')
        expect((await apply('--dry-run')).exitCode).toBe(0)
        await Bun.write(file, text.replaceAll(/^ *(?:devices|groups):[^]*$/gm, 'groups: []'))
        await apply('--prune', '--yes')
      }
    },
    TEST_MAX_MS,
  )

  test(
    'a plan that ends in the middle names the object and the exit code of its end, and the next plan has the rest',
    async () => {
      await Bun.write(file, 'manifest: plant-c\ngroups: [{ name: Cut, devices: [{ name: web }] }]\n')
      using proxy = Bun.serve({
        port: 0,
        fetch: async (request) => {
          const { pathname, search } = new URL(request.url)
          return request.method === 'POST' && pathname === '/devices'
            ? new Response('<p>away</p>')
            : fetch(new Request(host.url + pathname + search, request), { decompress: false })
        },
      })
      const words = ['--file', file, '--yes', '--url', proxy.url.origin]
      expect(await rejection(runCommand(applyCommand, words, { environment }))).toMatchObject({
        exitCode: 69,
        message: expect.stringMatching(
          /^device "Cut \/ web": [^]*\nThe steps before it are applied. Apply the manifest again.$/,
        ) as unknown,
      })
      expect((await apply('--dry-run')).text).toBe(
        '+ device "Cut / web"\nPlan: 1 to create, 0 to change, 0 to delete.\n',
      )
      await Bun.write(file, 'manifest: plant-c\ngroups: []\n')
      await apply('--prune', '--yes')
    },
    TEST_MAX_MS,
  )

  test(
    'of two that apply a manifest at once one ends with a sentence, and no object is there twice',
    async () => {
      await Bun.write(file, 'manifest: plant-d\ngroups: [{ name: Twin, devices: [{ name: web }] }]\n')
      using proxy = Bun.serve({
        port: 0,
        fetch: async (request) => {
          const { pathname, search } = new URL(request.url)
          if (request.method === 'POST') await apply('--yes')
          return fetch(new Request(host.url + pathname + search, request), { decompress: false })
        },
      })
      const words = ['--file', file, '--yes', '--url', proxy.url.origin]
      expect(String(await rejection(runCommand(applyCommand, words, { environment })))).toMatch(
        /group "Twin": POST \/groups\?parentId=1 failed with status 412\. The parent has an object of this type and name\.\nThe steps before it are applied\. Apply the manifest again\.$/,
      )
      const { request } = await connectAdministrator(host)
      const { items } = await good<{ items: { name: string }[] }>(request('GET', '/group/1/children'))
      expect(items.filter(({ name }) => name === 'Twin')).toHaveLength(1)
      expect((await apply('--dry-run')).exitCode).toBe(0)
      await Bun.write(file, 'manifest: plant-d\ngroups: []\n')
      await apply('--prune', '--yes')
    },
    TEST_MAX_MS,
  )

  test(
    'service level objects and containers are created with their children, compared, exported and pruned',
    async () => {
      await Bun.write(file, SERVICES)
      expect((await apply('--dry-run')).text).toBe(
        '+ group "Shop"\n+ device "Shop / web"\n+ job "Shop / web / page"\n+ job "Shop / web / login"\n' +
          '+ slo "Shop / Checkout"\n+ slo "Shop / Sign in"\n+ slc "Agreement"\n' +
          'Plan: 7 to create, 0 to change, 0 to delete.\n',
      )
      await apply('--yes')
      expect(await apply('--dry-run')).toMatchObject({ exitCode: 0 })

      const { request } = await connectAdministrator(host)
      const search = '/root/searchPath?path=**'
      const found = await good<{ items: { id: number; type: string; name: string }[] }>(
        request('GET', search),
      )
      const idOf = (name: string) => found.items.find((item) => item.name === name)?.id ?? 0
      const [checkout, signIn, page] = [idOf('Checkout'), idOf('Sign in'), idOf('page')]
      expect(await good(request('GET', `/slos/${checkout}`))).toMatchObject({
        deviceId: idOf('web'),
        stateOperation: 'or',
        childrenFilter: { groupId: idOf('Shop') },
        parameters: { costsPerMin: 12.5, currency: 'CHF', riskFactor: 0, children: 2 },
      })

      // Children and settings that were changed by hand are drift.
      const items = [{ id: idOf('login') }]
      await good(request('PUT', `/slo/${checkout}/children`, { json: { items } }))
      await good(
        request('PATCH', `/slos/${checkout}`, { json: { childrenFilter: { groupId: 1 }, deviceId: 0 } }),
      )
      await good(request('PATCH', `/slcs/${idOf('Agreement')}`, { json: { limit: 99 } }))
      expect((await apply('--dry-run')).text).toBe(
        '~ slo "Shop / Checkout"\n' +
          '    device: 0 → "Shop / web"\n    childrenFilter.group: 1 → "Shop"\n' +
          `    children: ["job \\"login\\" (${idOf('login')})"] → ` +
          '["job \\"Shop / web / page\\" × 2, warning as minor","slo \\"Shop / Sign in\\""]\n' +
          '~ slc "Agreement"\n    limit: 99 → 99.5\nPlan: 0 to create, 2 to change, 0 to delete.\n',
      )
      await apply('--yes')
      expect((await apply('--dry-run')).exitCode).toBe(0)

      const { text } = await runCommand(exportCommand, ['--manifest', 'plant-s'], { environment })
      const [shop] = (parse(text) as { groups: { slos: object[] }[] }).groups
      expect(shop?.slos[0]).toEqual({
        name: 'Checkout',
        stateOperation: 'or',
        pushState: 'any',
        sortMode: 'link',
        parameters: { costsPerMin: 12.5, currency: 'CHF', riskFactor: 0 },
        device: ['Shop', 'web'],
        childrenFilter: {
          filterDefinition: {
            mode: 'and',
            conditions: [{ item: 'name', operator: 'contains', expression: 'pay' }],
          },
          group: ['Shop'],
        },
        children: [
          { type: 'job', path: ['Shop', 'web', 'page'], weight: 2, stateOverrides: { warning: 'minor' } },
          { type: 'slo', path: ['Shop', 'Sign in'] },
        ],
      })
      await Bun.write(file, text)
      expect((await apply('--dry-run')).text).toContain('and the service agree.')

      await Bun.write(file, SERVICES.replace('path: [Shop, web, login]', 'path: [Shop, web, logon]'))
      expect(String(await rejection(apply('--dry-run')))).toContain(
        'In slo "Shop / Sign in" its child is the job "Shop / web / logon", which does not exist.',
      )
      // The renamed object stays the child that it was; the other one goes, and nothing counts it any more.
      await Bun.write(
        file,
        SERVICES.replace('          - { type: slo, path: [Shop, Sign in] }\n', '')
          .replace(/ {6}- name: Sign in[^]*?\nslcs/, 'slcs')
          .replace('name: Checkout', 'name: Pay\n        formerName: Checkout')
          .replace('path: [Shop, Checkout]', 'path: [Shop, Pay]'),
      )
      expect((await apply('--prune', '--dry-run')).text).toContain(`- slo "Sign in" (${signIn})\n`)
      await apply('--yes', '--prune')
      expect((await apply('--dry-run', '--prune')).exitCode).toBe(0)
      expect((await request('GET', `/slos/${signIn}`)).status).toBe(404)
      const children = await good<{ items: { id: number }[] }>(request('GET', `/slo/${checkout}/children`))
      expect(children.items.map(({ id }) => id)).toEqual([page])

      await Bun.write(file, 'manifest: plant-s\n')
      await apply('--yes', '--prune')
      const left = await good<{ items: { name: string }[] }>(request('GET', search))
      expect(left.items.map(({ name }) => name)).not.toContain('Agreement')
    },
    TEST_MAX_MS,
  )

  test(
    'of two that create the same recipient at once one names it and ends, and there is one recipient',
    async () => {
      await Bun.write(
        file,
        'manifest: plant-r\nrecipients: [{ name: Re\u0301serve, type: email, target: { addresses: [on-call@example.org] } }]\n',
      )
      using proxy = Bun.serve({
        port: 0,
        fetch: async (request) => {
          const { pathname, search } = new URL(request.url)
          if (request.method === 'POST' && pathname === '/alarmrecipients') await apply('--yes')
          return fetch(new Request(host.url + pathname + search, request), { decompress: false })
        },
      })
      const words = ['--file', file, '--yes', '--url', proxy.url.origin]
      expect(String(await rejection(runCommand(applyCommand, words, { environment })))).toMatch(
        /recipient "R\u00e9serve": POST \/alarmrecipients failed with status 409[^]*Apply the manifest again\.$/,
      )
      expect((await apply('--dry-run')).text).toContain('and the service agree.')
      const { request } = await connectAdministrator(host)
      const { items } = await good<{ items: { name: string }[] }>(request('GET', '/alarmrecipients'))
      expect(items.filter(({ name }) => name === 'R\u00e9serve')).toHaveLength(1)
    },
    TEST_MAX_MS,
  )

  test(
    'a write ends where another caller changed the object or recipient after the plan, and the change stays',
    async () => {
      const manifest = `
manifest: plant-v
recipients: [{ name: Relief, type: email, minState: minor, target: { addresses: [relief@example.org] } }]
groups: [{ name: Held, alarmLinks: [{ recipient: Relief }], devices: [{ name: spare }] }]
slos: [{ name: Sum, children: [{ type: group, path: [Held] }] }]
`
      await Bun.write(file, manifest)
      await apply('--yes')
      const { request } = await connectAdministrator(host)
      const pathOf = async (list: string, name: string) => {
        const { items } = await good<{ items: { id: number; name: string }[] }>(request('GET', list))
        return `${list}/${items.find((item) => item.name === name)?.id}`
      }
      const [relief, held, spare, sum] = [
        await pathOf('/alarmrecipients', 'Relief'),
        await pathOf('/groups', 'Held'),
        await pathOf('/devices', 'spare'),
        await pathOf('/slos', 'Sum'),
      ]
      const renamed = { json: { name: 'by hand' } }
      const changes = [
        [relief, manifest.replace('minState: minor', 'minState: major'), `PATCH ${relief}`],
        [held, manifest.replace('{ recipient: Relief }', ''), `PUT ${held.replace('s/', '/')}/alarmLinks`],
        [
          sum,
          manifest.replace('{ type: group, path: [Held] }', ''),
          `PUT ${sum.replace('s/', '/')}/children`,
        ],
        [spare, manifest.replace('{ name: spare }', ''), `DELETE ${spare}`],
      ] as const
      for (const [path, changed, write] of changes) {
        await Bun.write(file, changed)
        const { name } = await good<{ name: string }>(request('GET', path))
        using proxy = Bun.serve({
          port: 0,
          fetch: async (asked) => {
            const { pathname, search } = new URL(asked.url)
            if (`${asked.method} ${pathname}` === write) await good(request('PATCH', path, renamed))
            return fetch(new Request(host.url + pathname + search, asked), { decompress: false })
          },
        })
        const words = ['--file', file, '--yes', '--prune', '--url', proxy.url.origin]
        expect(String(await rejection(runCommand(applyCommand, words, { environment })))).toContain(
          `${write} failed with status 412`,
        )
        expect(await good(request('GET', path))).toMatchObject({ name: 'by hand' })
        await good(request('PATCH', path, { json: { name } }))
      }
      await Bun.write(file, manifest)
      expect((await apply('--dry-run', '--prune')).text).toContain('and the service agree.')
      await Bun.write(file, 'manifest: plant-v\n')
      await apply('--yes', '--prune')
    },
    TEST_MAX_MS,
  )

  test(
    'apply creates, is idempotent, reports drift, changes, renames, prunes; an export says the same',
    async () => {
      await Bun.write(file, MANIFEST)
      const plan = await apply('--dry-run')
      expect(plan.exitCode).toBe(3)
      expect(plan.text).toBe(
        '+ recipient "On call"\n+ group "Hall 3"\n+ device "Hall 3 / freezer"\n' +
          '+ job "Hall 3 / freezer / temperature"\n+ job "Hall 3 / freezer / door"\n' +
          'Plan: 5 to create, 0 to change, 0 to delete.\n',
      )
      expect(String(await rejection(apply()))).toContain('Nothing was changed, because there is no terminal')
      await Bun.write(file, MANIFEST.replace('key: returnValue1', 'key: inside'))
      const refused = String(await rejection(apply('--yes', '--json')))
      expect(refused).toContain('job "Hall 3 / freezer / temperature": POST /jobs')
      expect(refused).toContain('/thresholds/major/conditions/0/key must be')
      await Bun.write(file, MANIFEST)
      expect((await apply('--dry-run')).text).toContain('Plan: 2 to create, 0 to change, 0 to delete.')
      expect((await apply('--yes', '--json')).text).toContain('"applied": true')
      expect(await apply('--dry-run')).toMatchObject({
        exitCode: 0,
        text: 'The manifest "plant-a" and the service agree.\n',
      })

      // A change by hand is drift, and so are links that are gone.
      const { request } = await connectAdministrator(host)
      const { items } = await good<{ items: { id: number; name: string }[] }>(request('GET', '/jobs'))
      const idOf = (name: string) => items.find((item) => item.name === name)?.id ?? 0
      await good(
        request('PATCH', `/jobs/${idOf('temperature')}`, { json: { parameters: { timeout: 'PT5M' } } }),
      )
      const exported = (await runCommand(exportCommand, ['--manifest', 'plant-a'], { environment })).text
      expect(parse(exported)).toMatchObject({
        manifest: 'plant-a',
        groups: [
          {
            name: 'Hall 3',
            properties: { site: 'south' },
            alarmLinks: [{ recipient: 'On call', delay: 'PT1M' }],
            devices: [{ name: 'freezer', jobs: [{ name: 'door' }, { name: 'temperature' }] }],
          },
        ],
      })
      expect((await apply('--dry-run')).text).toBe(
        '~ job "Hall 3 / freezer / temperature"\n    parameters.timeout: "PT5M" → "PT60M"\n' +
          'Plan: 0 to create, 1 to change, 0 to delete.\n',
      )
      await Bun.write(file, exported)
      expect((await apply('--dry-run')).text).toContain('and the service agree.')
      const { items: groups } = await good<{ items: { id: number; name: string }[] }>(
        request('GET', '/groups'),
      )
      const hall = groups.find(({ name }) => name === 'Hall 3')?.id
      const propertiesOfHall = async () =>
        (
          await good<{ properties: { key: string; value: string }[] }>(request('GET', `/groups/${hall}`))
        ).properties.map(({ key, value }) => `${key}=${value}`)
      const managed = ['site=south', 'tidemark.manifest=plant-a']
      expect(await propertiesOfHall()).toEqual(managed)
      // Properties that were removed by hand are put back, also the one that says which manifest manages the object.
      await good(request('PATCH', `/groups/${hall}`, { json: { properties: [] } }))
      expect((await apply('--dry-run')).text).toBe(
        '~ group "Hall 3"\n    properties.site: (absent) → "south"\n' +
          '    properties.tidemark.manifest: (absent) → "plant-a"\nPlan: 0 to create, 1 to change, 0 to delete.\n',
      )
      await apply('--yes')
      expect(await propertiesOfHall()).toEqual(managed)
      const links = `/group/${hall}/alarmLinks`
      await good(request('PUT', links, { json: { links: [] } }))
      expect((await apply('--dry-run')).text).toMatch(
        /^~ group "Hall 3"\n {4}alarmLinks[^]*\nPlan: 0 to create, 1 to change/,
      )

      await Bun.write(
        file,
        MANIFEST.replace('name: temperature', 'name: inside\n            formerName: temperature')
          .replace('          - name: door\n', '')
          .replace('site: south', 'site: north')
          .replace('delay: PT60S', 'delay: PT5M'),
      )
      const kept = await apply('--yes')
      expect(kept.text).toBe('Applied.\n')
      expect(await good(request('GET', links))).toMatchObject({ links: [{ delay: 'PT5M' }] })
      const left = await apply('--dry-run')
      expect(left).toMatchObject({ exitCode: 0 })
      expect(left.text).toBe(
        `? job "door" (${idOf('door')})\nThe manifest "plant-a" and the service agree.\n` +
          '1 of the objects are no longer in the manifest (?). --prune deletes them.\n',
      )
      expect((await apply('--dry-run', '--prune')).text).toContain(`- job "door" (${idOf('door')})\n`)
      await apply('--yes', '--prune')
      const { items: after } = await good<{ items: { id: number; name: string }[] }>(request('GET', '/jobs'))
      // The renamed job is the same one, with its history.
      expect(after.map(({ id, name }) => [id, name])).toEqual([[idOf('temperature'), 'inside']])
      expect((await apply('--dry-run', '--prune')).exitCode).toBe(0)

      await Bun.write(file, MANIFEST.replace('manifest: plant-a', 'manifest: plant-b'))
      expect(String(await rejection(apply('--dry-run')))).toContain('The manifest "plant-a" manages "Hall 3"')
      await Bun.write(file, MANIFEST.replace('{ recipient: On call', '{ recipient: Nemo'))
      expect(String(await rejection(apply('--dry-run')))).toContain(
        'names the recipient "Nemo", which does not exist',
      )
      await Bun.write(file, 'manifest: plant-a\ngroups: []\n')
      await apply('--yes', '--prune')
      expect((await good<{ items: unknown[] }>(request('GET', '/jobs'))).items).toEqual([])
    },
    TEST_MAX_MS,
  )
})

test.each([
  ['manifest: Plant A', '/manifest must be lower case letters'],
  ['manifest: a\ngroups: [{}]', '/groups/0/name'],
  ['manifest: a\njobs: []', '/ has unknown fields: jobs'],
  ['manifest: a\nslos: [{ name: x, children: [{ type: job, path: [] }] }]', '/slos/0/children/0/path'],
  ['manifest: a\nslcs: [{ name: x, children: [{ type: plant, path: [y] }] }]', '/slcs/0/children/0/type'],
  ['manifest: a\ngroups:\n  - name: x\n   devices: []', 'at line 4'],
  ['manifest: a\ngroups: [{name: x}, {name: x}]', 'two objects group "x"'],
  ['manifest: a\n---\nmanifest: b', 'two manifests, "a" and "b"'],
  ['', 'has no documents'],
  ['manifest: a\ngroups: [*b]', 'wrong.yaml: Unresolved alias'],
])('the manifest %p is refused with its place: %s', async (text, message) => {
  const path = join(folder, 'wrong.yaml')
  await Bun.write(path, text)
  const error = await rejection(
    runCommand(applyCommand, ['--file', path, '--dry-run'], {
      environment: { TIDEMARK_URL: 'http://127.0.0.1:1', TIDEMARK_TOKEN: 'x' },
    }),
  )
  expect(error).toMatchObject({ exitCode: 65, message: expect.stringContaining(message) as unknown })
})

test('the JSON Schema accepts the manifest and refuses one with a fault', async () => {
  const { text } = await runCommand(applyCommand, ['--schema'], { environment: { TIDEMARK_TOKEN: 'x' } })
  const validate = new Ajv({ strict: false }).compile(JSON.parse(text) as object)
  expect(validate(parse(MANIFEST))).toBe(true)
  expect(validate(parse(SERVICES))).toBe(true)
  expect(validate({ manifest: 'a', slos: [{ name: 'a', children: [{ type: 'job' }] }] })).toBe(false)
  expect(validate({ manifest: 'a', groups: [{ devices: [] }] })).toBe(false)
})

test('nothing differs from itself, whatever it is, and a field that is not named is left alone', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (object, other) => {
      expect(differences(object, object)).toEqual([])
      expect(differences({}, { ...object, other })).toEqual([])
    }),
  )
  expect(differences({ a: 'PT60M' }, { a: 'PT1H' })).toEqual([])
  expect(differences({ a: 'P1D' }, { a: 'PT24H' })).toEqual([])
  expect(differences({ a: 'PT60M' }, { a: 'PT2H' })).toEqual([{ path: 'a', from: 'PT2H', to: 'PT60M' }])
  expect(differences({ a: [1, 2] }, { a: [1] })).toEqual([{ path: 'a', from: [1], to: [1, 2] }])
  expect(differences({ a: [{ b: 1 }] }, { a: [{ b: 2, c: 3 }] })).toEqual([
    { path: 'a[0].b', from: 2, to: 1 },
  ])
})
