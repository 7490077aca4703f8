import { expect } from 'bun:test'

import packageJson from '../../package.json' with { type: 'json' }
import { TIME_ZONE } from '../hosts/host.ts'
import { oidcProvider } from '../hosts/oidc-provider.ts'
import type { Answer, Body, Client } from './client.ts'
import { createDashboard } from './objects.ts'
import { bareStage, expectAnswer, good, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

const KEY = 'canary-key-of-a-provider'
const MASK = '********'
const PATCH_TYPE = { 'content-type': 'application/merge-patch+json' }
const DEFAULTS = {
  title: 'Tidemark',
  language: 'en',
  theme: 'system',
  startDashboardId: null,
  publicDashboards: false,
  dashboardRefresh: 'PT5S',
}

/** Faults in a whole body and in a patch. */
const FAULTS: readonly (readonly [body: object, pointers: readonly string[]])[] = [
  [{ dashboardRefresh: 'PT4.999S' }, ['/dashboardRefresh']],
  [{ dashboardRefresh: 'PT24H1S' }, ['/dashboardRefresh']],
  [{ unknown: 1 }, ['/unknown']],
  [{ toString: 1, constructor: {} }, ['/toString', '/constructor']],
  [{ translation: { apiKey: 'x', url: 'https://example.org' } }, ['/translation/url']],
  [{ title: '' }, ['/title']],
  [{ title: 'x'.repeat(101) }, ['/title']],
  [{ title: 'a\u0000b' }, ['/title']],
  [{ theme: 'blue', language: 'german' }, ['/theme', '/language']],
  [{ language: 'de-ch' }, ['/language']],
  [{ startDashboardId: 0 }, ['/startDashboardId']],
  [{ startDashboardId: 999_999 }, ['/startDashboardId']],
  [{ translation: { apiKey: '' } }, ['/translation/apiKey']],
  [{ translation: { apiKey: 'x'.repeat(513) } }, ['/translation/apiKey']],
  [{ translation: { apiKey: 'ä' } }, ['/translation/apiKey']],
  [{ translation: { apiKey: MASK } }, ['/translation/apiKey']],
  [{ translation: [] }, ['/translation']],
  [{ timeZone: 'Europe/Berlin' }, ['/timeZone']],
  [{ limits: { fileMaxBytes: 1, styleMaxBytes: 262144, sessionMaxHours: 24 } }, ['/limits']],
  [{ release: { interface: '9.4.1', tidemark: '0' } }, ['/release']],
]

const rows: readonly Row[] = [
  ...['GET', 'PUT', 'PATCH'].map((method): Row => ({
    title: 'a request without credentials',
    call: `${method} /settings.json`,
    as: null,
    answers: 'unauthenticated',
  })),
  ...(['editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).flatMap((as): Row[] => [
    { title: as, call: 'GET /settings.json', as, answers: 200 },
    { title: as, call: 'GET /settings.json?full=true', as, answers: 'forbidden' },
    { title: as, call: 'PUT /settings.json', as, json: {}, answers: 'forbidden' },
    { title: as, call: 'PATCH /settings.json', as, json: {}, answers: 'forbidden' },
  ]),
  {
    title: 'a flag that is none',
    call: 'GET /settings.json?full=1',
    answers: 'invalid',
    pointers: ['?full'],
  },
  ...FAULTS.flatMap(([json, pointers]) =>
    ['PUT', 'PATCH'].map((method): Row => ({
      title: JSON.stringify(json).slice(0, 60),
      call: `${method} /settings.json`,
      json,
      answers: 'invalid',
      pointers,
    })),
  ),
  ...['[]', '1', 'null', '"text"'].flatMap((text) =>
    ['PUT', 'PATCH'].map((method): Row => ({
      title: text,
      call: `${method} /settings.json`,
      text,
      headers: { 'content-type': 'application/json' },
      answers: 'invalid',
      pointers: [''],
    })),
  ),
  {
    title: 'a patch that takes away what cannot be changed',
    call: 'PATCH /settings.json',
    json: { timeZone: null, release: { tidemark: null } },
    answers: 'invalid',
    pointers: ['/release', '/timeZone'],
  },
  {
    title: 'one of them alone',
    call: 'PATCH /settings.json',
    json: { timeZone: null },
    answers: 'invalid',
    pointers: ['/timeZone'],
  },
  {
    title: 'a patch as JSON patch',
    call: 'PATCH /settings.json',
    text: '[]',
    headers: { 'content-type': 'application/json-patch+json' },
    answers: 'unsupported_media_type',
  },
  {
    title: 'a merge patch as all settings',
    call: 'PUT /settings.json',
    text: '{}',
    headers: PATCH_TYPE,
    answers: 'unsupported_media_type',
  },
  {
    title: 'an old version',
    call: 'PATCH /settings.json',
    json: {},
    headers: { 'if-match': '"999"' },
    answers: 'precondition_failed',
  },
  ...['PUT', 'PATCH'].flatMap((method): Row[] => [
    {
      title: '64 KiB',
      call: `${method} /settings.json`,
      text: '{}'.padEnd(65_536),
      headers: { 'content-type': 'application/json' },
      answers: 200,
    },
    {
      title: 'a byte more',
      call: `${method} /settings.json`,
      text: '{}'.padEnd(65_537),
      headers: { 'content-type': 'application/json' },
      answers: 'too_large',
    },
  ]),
]

const scenarios: Scenario[] = [
  {
    title: 'everybody sees what pages need, administrators who ask for it also whether there are secrets',
    decidedAbovePorts: 'settings',
    async run(client) {
      await reset(client)
      const common = await good(client.request('GET', '/settings.json', { as: 'dashboard_viewer' }))
      expect(common).toEqual({
        ...DEFAULTS,
        timeZone: TIME_ZONE,
        release: { interface: '9.5.0', tidemark: packageJson.version },
        limits: { fileMaxBytes: 10 * 1024 * 1024, styleMaxBytes: 256 * 1024, sessionMaxHours: 24 },
        features: { automaticTranslation: true, externalAuthentication: false, queryCredentials: true },
      })
      expect(await good(client.request('GET', '/settings.json'))).toEqual(common)
      expect(await full(client)).toEqual({ ...common, translation: { apiKey: null } })
    },
  },
  {
    title: 'a patch changes what it names, and null brings the default back',
    decidedAbovePorts: 'settings',
    async run(client) {
      await reset(client)
      const startDashboardId = await createDashboard(client)
      const changed = await patch(client, {
        title: ' Ops ',
        theme: 'dark',
        language: 'de-CH',
        startDashboardId,
      })
      expect(changed.body).toMatchObject({
        title: 'Ops',
        theme: 'dark',
        language: 'de-CH',
        startDashboardId,
      })
      const next = await patch(client, { theme: null, startDashboardId: null })
      expect(next.body).toMatchObject({ ...DEFAULTS, title: 'Ops', language: 'de-CH' })
      expect(await full(client)).toEqual(next.body)
    },
  },
  {
    title: 'what was read may be sent back, and all of it is what is then set',
    decidedAbovePorts: 'settings',
    async run(client) {
      await patch(client, { title: 'Ops', translation: { apiKey: KEY } })
      const read = await full(client)
      expect(await good(client.request('PUT', '/settings.json', { json: read }))).toEqual(read)
      const put = await good(client.request('PUT', '/settings.json', { json: { theme: 'light' } }))
      expect(put).toMatchObject({ ...DEFAULTS, theme: 'light', translation: { apiKey: null } })
    },
  },
  {
    title: 'a secret is set, kept and taken away, and never shown',
    async run(client) {
      await reset(client)
      const before = (await client.request('GET', '/audit?limit=1')).body['items'] as { id: number }[]
      const set = await patch(client, { translation: { apiKey: KEY } })
      expect(set.body['translation']).toEqual({ apiKey: MASK })
      const kept = await patch(client, { translation: { apiKey: MASK }, title: 'Ops' })
      expect(kept.body).toMatchObject({ title: 'Ops', translation: { apiKey: MASK } })
      expect((await patch(client, { title: null })).body['translation']).toEqual({ apiKey: MASK })
      const gone = await patch(client, { translation: null })
      expect(gone.body['translation']).toEqual({ apiKey: null })
      const audit = await client.request('GET', '/audit?objectType=settings&limit=1000')
      const entries = (audit.body['items'] as { id: number; before: Body; after: Body }[]).filter(
        ({ id }) => id > Number(before[0]?.id),
      )
      expect(entries.map(({ after }) => Object.keys(after))).toEqual([
        ['translation'],
        ['title'],
        ['title'],
        ['translation'],
      ])
      for (const text of [set.text, kept.text, audit.text, JSON.stringify(client.host.logs)])
        expect(text).not.toContain(KEY)
    },
  },
  {
    title: 'a login page reads title, language, theme and the ways to log in without credentials',
    decidedAbovePorts: 'settings',
    async run(client) {
      await reset(client)
      const options = () => good(client.request('GET', '/session/options', { as: null }))
      const oidc = { label: new URL((await oidcProvider()).issuer).host }
      const facts = { passwordLengthMin: 8, oidc, isSetUp: true }
      expect(await options()).toEqual({ title: 'Tidemark', language: 'en', theme: 'system', ...facts })
      await patch(client, { title: 'Plant 7', language: 'de', theme: 'dark' })
      expect(await options()).toEqual({ title: 'Plant 7', language: 'de', theme: 'dark', ...facts })
      await reset(client)
    },
  },
  {
    title: 'of two changes of one version one is refused, and its version is told',
    async run(client) {
      await reset(client)
      const etag = String((await client.request('GET', '/settings.json')).headers.get('etag'))
      const answers = await Promise.all(
        ['one', 'two', 'three'].map((title) =>
          client.request('PATCH', '/settings.json', {
            text: JSON.stringify({ title }),
            headers: { ...PATCH_TYPE, 'if-match': etag },
          }),
        ),
      )
      expect(statusesOf(answers)).toEqual([200, 412, 412])
      const won = answers.find(({ status }) => status === 200)
      expect((await full(client))['title']).toBe(String(won?.body['title']))
      expect(won?.headers.get('etag')).not.toBe(etag)
    },
  },
]

function full(client: Client): Promise<Readonly<Body>> {
  return good(client.request('GET', '/settings.json?full=true'))
}

async function patch(client: Client, body: object): Promise<Answer> {
  const answer = await client.request('PATCH', '/settings.json', {
    text: JSON.stringify(body),
    headers: PATCH_TYPE,
  })
  expectAnswer(answer, { answers: 200 })
  return answer
}

async function reset(client: Client): Promise<void> {
  await good(client.request('PUT', '/settings.json', { json: {} }))
}

export const settingsSuite: Suite = { name: 'settings', scenarios: [...table(bareStage, rows), ...scenarios] }
