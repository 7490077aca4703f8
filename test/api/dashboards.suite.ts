import { expect } from 'bun:test'

import type { Body, Client } from './client.ts'
import { expectAnswer, good, once, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'
import { makeDevice, makeJob } from './tree-stage.ts'

type Made = { readonly id: number }
type Dashboard = Made & {
  readonly urlName: string
  readonly name: string
  readonly version: number
  readonly valid: boolean
  readonly language: string | null
  readonly definition: { readonly widgets: Record<string, Body>; readonly translations: object }
  readonly problems: readonly { readonly pointer: string; readonly code: string }[]
}
type Group = Made & {
  readonly groups: readonly Group[]
  readonly dashboards: readonly Dashboard[]
  readonly name: string
}

let made = 0

const LINE = { kind: 'line' }
const DEFINITION = {
  widgets: { w1: { kind: 'text', title: 'Line', markdown: 'Hello' } },
  pages: [{ id: 'main', title: 'Overview', items: [{ widget: 'w1', x: 0, y: 0, w: 3, h: 2 }] }],
}

const makeDashboard = (client: Client, json: object = {}) =>
  good<Dashboard>(
    client.request('POST', '/dashboards', { json: { name: `Board ${++made}`, ...json }, as: 'editor' }),
  )

const makeGroup = (client: Client, json: object = {}) =>
  good<Made>(
    client.request('POST', '/dashboards/groups', {
      json: { name: `Group ${++made}`, ...json },
      as: 'editor',
    }),
  )

const grant = (client: Client, path: string, ...items: object[]) =>
  good(client.request('PUT', `${path}/grants`, { json: { items }, as: 'administrator' }))

const embedding = (...ids: number[]) => ({
  definition: {
    widgets: Object.fromEntries(ids.map((id, at) => [`w${at}`, { kind: 'dashboard', dashboardId: id }])),
  },
})

const stage = once(async (client) => {
  const group = await makeGroup(client, { defaultParams: { region: 'north' } })
  const inner = await makeGroup(client, { parentId: group.id })
  const board = await makeDashboard(client, { urlName: 'Plant-North', definition: DEFINITION })
  return { group: group.id, inner: inner.id, board: board.id }
})

const LANGUAGES = ['es', 'it', 'pt', 'nl', 'sv', 'da', 'fi', 'nb', 'pl', 'cs', 'sk']

const LINES = [
  ['POST /dashboards', { name: 'x' }],
  ['POST /dashboards/validate', { name: 'x' }],
  ['PUT /dashboards/{board}', { name: 'x' }],
  ['DELETE /dashboards/{board}', undefined],
  ['POST /dashboards/{board}/copy', {}],
  ['POST /dashboards/{board}/move', { groupId: null }],
  ['GET /dashboards/{board}/move', undefined],
  ['POST /dashboards/{board}/versions/1/restore', undefined],
  ['POST /dashboards/{board}/translate', { targets: ['de'] }],
  ['GET /dashboards/{board}/grants', undefined],
  ['PUT /dashboards/{board}/grants', { items: [] }],
  ['POST /dashboards/groups', { name: 'x' }],
  ['PUT /dashboards/groups/{group}', { name: 'x' }],
  ['DELETE /dashboards/groups/{group}', undefined],
  ['GET /dashboards/groups/{group}/grants', undefined],
  ['PUT /dashboards/groups/{group}/grants', { items: [] }],
] as const

const grants = (...items: object[]) => ({ items })
const PERMISSIONS = 'PUT /dashboards/{board}/grants'

const rows: readonly Row[] = [
  ...LINES.flatMap(([call, json]): Row[] => [
    { title: 'a request without credentials', call, json, as: null, answers: 'unauthenticated' },
    ...(['dashboard_viewer', 'Data_Editor', 'collector'] as const).map((as): Row => ({
      title: as,
      call,
      json,
      as,
      answers: 'forbidden',
    })),
  ]),
  ...['GET /dashboards', 'GET /dashboards/groups', 'GET /dashboards/groups/nested'].flatMap((call): Row[] => [
    { title: 'a request without credentials', call, as: null, answers: 'unauthenticated' },
    { title: 'a viewer', call, as: 'dashboard_viewer', answers: 200 },
  ]),
  ...['', '/nested', '/dependents', '/versions', '/versions/1', '/versions/1/diff'].flatMap((path): Row[] => [
    {
      title: 'without a grant',
      call: `GET /dashboards/{board}${path}`,
      as: 'dashboard_viewer',
      answers: 'not_found',
    },
    { title: 'missing', call: `GET /dashboards/999999${path}`, answers: 'not_found' },
    { title: 'by URL name', call: `GET /dashboards/PLANT-north${path}`, as: 'editor', answers: 200 },
  ]),
  ...[[], ['de', 'de'], ['en'], ['no tag'], LANGUAGES.slice(0, 11)].map((targets): Row => ({
    title: `into ${targets.length} languages`,
    call: 'POST /dashboards/{board}/translate',
    json: { targets },
    answers: 'invalid',
    pointers: [targets[0] === 'no tag' ? '/targets/0' : '/targets'],
  })),
  {
    title: 'into a language that the provider does not know',
    call: 'POST /dashboards/{board}/translate',
    json: { targets: ['de', 'tlh'] },
    answers: 'invalid',
    pointers: ['/targets/1'],
  },
  {
    title: 'into ten languages that the provider does not know',
    call: 'POST /dashboards/{board}/translate',
    json: { targets: LANGUAGES.slice(0, 10) },
    answers: 'invalid',
  },
  { title: 'no name', call: 'POST /dashboards', json: {}, answers: 'invalid', pointers: ['/name'] },
  {
    title: 'an empty name',
    call: 'POST /dashboards',
    json: { name: ' ' },
    answers: 'invalid',
    pointers: ['/name'],
  },
  ...['123', 'groups', 'start', 'Export', 'a b', 'ä', '', 'x'.repeat(81)].map((urlName): Row => ({
    title: `the URL name ${urlName.slice(0, 10)}`,
    call: 'POST /dashboards',
    json: { name: 'x', urlName },
    answers: 'invalid',
    pointers: ['/urlName'],
  })),
  {
    title: '80 characters',
    call: 'POST /dashboards/validate',
    json: { name: 'x', urlName: 'x'.repeat(80) },
    answers: 204,
  },
  {
    title: 'a URL name in other letters',
    call: 'POST /dashboards',
    json: { name: 'x', urlName: 'plant-NORTH' },
    answers: 'name_taken',
    pointers: ['/urlName'],
  },
  {
    title: 'a URL name in other letters',
    call: 'POST /dashboards/validate',
    json: { name: 'x', urlName: 'plant-NORTH' },
    answers: 'name_taken',
    pointers: ['/urlName'],
  },
  {
    title: 'a translated read',
    call: 'POST /dashboards',
    json: { name: 'x', language: 'de' },
    answers: 'invalid',
    pointers: ['/language'],
  },
  {
    title: 'items that overlap',
    call: 'POST /dashboards',
    json: {
      name: 'x',
      definition: {
        widgets: { a: LINE, b: LINE },
        pages: [{ id: 'p', items: ['a', 'b'].map((widget) => ({ widget, x: 0, y: 0, w: 1, h: 1 })) }],
      },
    },
    answers: 'invalid',
    pointers: ['/definition/pages/0/items/0', '/definition/pages/0/items/1'],
  },
  {
    title: 'no group',
    call: 'POST /dashboards',
    json: { name: 'x', groupId: 999_999 },
    answers: 'invalid',
    pointers: ['/groupId'],
  },
  {
    title: 'no version',
    call: 'PUT /dashboards/{board}',
    json: { name: 'x' },
    answers: 'invalid',
    pointers: ['/version'],
  },
  {
    title: 'an old version',
    call: 'PUT /dashboards/{board}',
    json: { name: 'x', version: 99 },
    answers: 'precondition_failed',
  },
  ...(['PUT', 'DELETE'] as const).map((method): Row => ({
    title: 'another ETag',
    call: `${method} /dashboards/{board}`,
    ...(method === 'PUT' && { json: { name: 'x' } }),
    headers: { 'if-match': '"99"' },
    answers: 'precondition_failed',
  })),
  { title: 'no version', call: 'GET /dashboards/{board}/versions/9', answers: 'not_found' },
  { title: 'no version', call: 'POST /dashboards/{board}/versions/9/restore', answers: 'not_found' },
  {
    title: 'no language',
    call: 'GET /dashboards/{board}?language=_',
    answers: 'invalid',
    pointers: ['?language'],
  },
  {
    title: 'a subject twice',
    call: PERMISSIONS,
    json: grants({ subjectType: 'everyone' }, { subjectType: 'everyone' }),
    answers: 'invalid',
    pointers: ['/items/1'],
  },
  {
    title: 'a user without an id',
    call: PERMISSIONS,
    json: grants({ subjectType: 'user' }),
    answers: 'invalid',
    pointers: ['/items/0/subjectId'],
  },
  {
    title: 'a user that does not exist',
    call: PERMISSIONS,
    json: grants({ subjectType: 'user', subjectId: 999_999 }),
    answers: 'invalid',
    pointers: ['/items'],
  },
  {
    title: '201 grants',
    call: PERMISSIONS,
    json: grants(...Array.from({ length: 201 }, (_, at) => ({ subjectType: 'user', subjectId: at + 1 }))),
    answers: 'invalid',
    pointers: ['/items'],
  },
  {
    title: 'a name that its parent has',
    call: 'PUT /dashboards/groups/{inner}',
    json: { name: 'x', parentId: 999_999 },
    answers: 'invalid',
    pointers: ['/parentId'],
  },
  {
    title: 'below itself',
    call: 'PUT /dashboards/groups/{group}',
    json: { name: 'x', parentId: '{inner}' },
    answers: 'invalid',
    pointers: ['/parentId'],
  },
  { title: 'with a group in it', call: 'DELETE /dashboards/groups/{group}', answers: 'has_children' },
  { title: 'missing', call: 'GET /dashboards/groups/999999', answers: 'not_found' },
]

const life: Scenario[] = [
  {
    title: 'names become URL names, a former one leads on, and equal contents are no new version',
    async run(client) {
      const first = await makeDashboard(client, { name: 'Übersicht', definition: DEFINITION })
      const second = await makeDashboard(client, { name: 'Übersicht' })
      expect([first.urlName, second.urlName]).toEqual(['uebersicht', 'uebersicht-2'])
      const path = `/dashboards/${first.id}`
      const read = await client.request('GET', `${path}?raw=true`, { as: 'editor' })
      const same = await client.request('PUT', path, { json: read.body, as: 'editor' })
      expect([same.status, same.body['version']]).toEqual([200, 1])
      const renamed = await good<Dashboard>(
        client.request('PATCH', path, {
          json: { urlName: 'Summary' },
          headers: { 'content-type': 'application/merge-patch+json' },
          as: 'editor',
        }),
      )
      expect([renamed.urlName, renamed.version]).toEqual(['summary', 1])
      for (const name of ['summary', 'uebersicht'])
        expect(
          (await good<Dashboard>(client.request('GET', `/dashboards/${name}`, { as: 'editor' }))).id,
        ).toBe(first.id)
      const found = await good<{ items: Dashboard[] }>(
        client.request('GET', '/dashboards?q=SUMMARY', { as: 'editor' }),
      )
      expect(found.items.map(({ id }) => id)).toEqual([first.id])
    },
  },
  {
    title: 'versions are listed, compared and restored, and a lost update is refused',
    async run(client) {
      const { id } = await makeDashboard(client, { name: 'Versions', definition: DEFINITION })
      const path = `/dashboards/${id}`
      const read = await client.request('GET', `${path}?raw=true`, { as: 'editor' })
      const change = { ...read.body, name: 'Changed' }
      const put = (headers = {}) => client.request('PUT', path, { json: change, headers, as: 'editor' })
      const etag = read.headers.get('etag') ?? ''
      expect((await put({ 'if-match': etag })).body['version']).toBe(2)
      expectAnswer(await put({ 'if-match': etag }), { answers: 'precondition_failed' })
      expectAnswer(await put(), { answers: 'precondition_failed' })
      const { items } = await good<{ items: { number: number; createdBy: string }[] }>(
        client.request('GET', `${path}/versions`, { as: 'editor' }),
      )
      expect(items.map(({ number, createdBy }) => [number, createdBy])).toEqual([
        [2, 'editor'],
        [1, 'editor'],
      ])
      const diff = await good<{ items: object[] }>(
        client.request('GET', `${path}/versions/1/diff`, { as: 'editor' }),
      )
      expect(diff.items).toEqual([{ op: 'replace', path: '/name', from: 'Versions', to: 'Changed' }])
      const restored = await good<Dashboard>(
        client.request('POST', `${path}/versions/1/restore`, { as: 'editor' }),
      )
      expect([restored.name, restored.version]).toEqual(['Versions', 3])
    },
  },
  {
    title: 'machines add the translations that are missing, and leave those that are there',
    async run(client) {
      const translations = { de: { 'widgets.w1.title': 'Linie' } }
      const long = { kind: 'text', title: 'lose {a}', markdown: 'x'.repeat(4_001) }
      const widgets = { ...DEFINITION.widgets, w8: long }
      const { id } = await makeDashboard(client, {
        name: 'Plant',
        definition: { ...DEFINITION, widgets, translations },
      })
      const path = `/dashboards/${id}/translate`
      const json = { targets: ['de-CH', 'fr'] }
      const answer = await client.request('POST', path, { json })
      expectAnswer(answer, { answers: 200 })
      expect([answer.body['version'], answer.headers.get('etag')]).toEqual([2, '"2"'])
      const added = answer.body['added'] as Record<string, Record<string, string>>
      expect(added['fr']).toMatchObject({ name: 'fr: Plant', 'widgets.w1.markdown': 'fr: Hello' })
      expect(Object.keys(added['fr'] ?? {})).toContain('widgets.w1.title')
      expect(Object.keys(added['de-CH'] ?? {})).not.toContain('widgets.w1.title')
      const left = answer.body['left'] as Body[]
      expect(left.map((one) => `${String(one['path'])} ${String(one['reason'])}`)).toEqual(
        ['de-CH', 'fr'].flatMap(() => ['widgets.w8.title placeholder_lost', 'widgets.w8.markdown too_long']),
      )
      const read = await good<Dashboard>(client.request('GET', `/dashboards/${id}?raw=true`))
      expect(read.definition).toMatchObject({ translations: { ...translations, ...added } })
      // Existing translations stay, and equal contents do not make a new version.
      const again = await client.request('POST', path, { json })
      expect(again.body).toMatchObject({ version: 2, added: {} })
      const stale = await client.request('POST', path, { json, headers: { 'if-match': '"1"' } })
      expectAnswer(stale, { answers: 'precondition_failed' })
    },
  },
  {
    title: 'a read is in the language of the user or the query, and cannot be sent back as it is',
    async run(client) {
      const translations = { de: { name: 'Werk', 'widgets.w1.title': 'Linie', 'widgets.w9.title': 'Weg' } }
      const { id, problems } = await makeDashboard(client, { definition: { ...DEFINITION, translations } })
      expect(problems.map(({ pointer, code }) => [pointer, code])).toEqual([
        ['/definition/translations/de/widgets.w9.title', 'stray_translation'],
      ])
      const german = await good<Dashboard>(
        client.request('GET', `/dashboards/${id}?language=de-CH`, { as: 'editor' }),
      )
      expect(german).toMatchObject({ name: 'Werk', language: 'de', definition: { translations: {} } })
      expect(german.definition.widgets['w1']).toMatchObject({ title: 'Linie', markdown: 'Hello' })
      const back = await client.request('PUT', `/dashboards/${id}`, { json: german, as: 'editor' })
      expectAnswer(back, { answers: 'invalid', pointers: ['/language'] })
    },
  },
]

const rights: Scenario[] = [
  {
    title:
      'the dashboard that a user sees first is the own one, else the one of the settings, else the first by name',
    async run(client) {
      const [first, mine, common] = [
        await makeDashboard(client, { name: '  0 first' }),
        await makeDashboard(client),
        await makeDashboard(client),
      ]
      const person = { username: 'starts', password: 'a password of who starts', role: 'dashboard_viewer' }
      const user = await good<Made>(client.request('POST', '/users', { json: person }))
      const authorization = `Basic ${btoa(`${person.username}:${person.password}`)}`
      const as = { as: null, headers: { authorization } }
      const start = async () => (await client.request('GET', '/dashboards/start', as)).body['id']
      const settings = (startDashboardId: number | null) =>
        good(client.request('PATCH', '/settings.json', { json: { startDashboardId } }))
      const everyone = { subjectType: 'everyone' }
      await grant(client, `/dashboards/${first.id}`, everyone)
      await settings(common.id)
      await good(client.request('PUT', `/users/${user.id}`, { ...as, json: { startDashboardId: mine.id } }))
      expect(await start()).toBe(first.id)
      await grant(client, `/dashboards/${common.id}`, everyone)
      expect(await start()).toBe(common.id)
      await grant(client, `/dashboards/${mine.id}`, everyone)
      expect(await start()).toBe(mine.id)
      await good(client.request('DELETE', `/dashboards/${mine.id}`))
      expect(await start()).toBe(common.id)
      const stored = await good(client.request('GET', `/users/${user.id}`))
      expect(stored['startDashboardId']).toBe(mine.id)
      await good(client.request('PUT', `/users/${user.id}`, { json: stored }))
      await good(client.request('DELETE', `/dashboards/${common.id}`))
      await good(client.request('PATCH', '/settings.json', { json: { theme: 'dark' } }))
      expect(await start()).toBe(first.id)
      await settings(null)
    },
  },
  {
    title:
      'a dashboard is hidden until it is granted, on it or on a group above it, and a role limits the grant',
    async run(client) {
      const outer = await makeGroup(client, {
        name: 'Outer boards',
        defaultParams: { region: 'north', site: 1 },
      })
      const inner = await makeGroup(client, {
        name: 'Inner boards',
        parentId: outer.id,
        defaultParams: { site: 2 },
      })
      const { id } = await makeDashboard(client, { groupId: inner.id, definition: DEFINITION })
      const viewer = { as: 'dashboard_viewer' } as const
      const read = () => client.request('GET', `/dashboards/${id}`, viewer)
      const missing = await client.request('GET', '/dashboards/999999', viewer)
      const hidden = await read()
      expect({ ...hidden.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' })
      await grant(client, `/dashboards/groups/${inner.id}`, {
        subjectType: 'user',
        subjectId: client.userIds.dashboard_viewer,
        write: true,
      })
      expect((await read()).body['permissions']).toEqual({ read: true, write: false, execute: false })
      await grant(client, `/dashboards/${id}`, { subjectType: 'everyone', execute: true })
      expect((await read()).body['permissions']).toEqual({ read: true, write: false, execute: true })
      const nested = await client.request('GET', '/dashboards/groups/nested', viewer)
      const top = (nested.body as unknown as Group[]).find((group) => group.id === outer.id)
      expect(top).toMatchObject({
        name: 'Outer boards',
        defaultParams: {},
        permissions: { read: false },
        dashboards: [],
        groups: [
          {
            name: 'Inner boards',
            defaultParams: { site: 2 },
            effectiveParams: { site: 2 },
            dashboards: [{ id }],
          },
        ],
      })
      const etag = { 'if-none-match': nested.headers.get('etag') ?? '' }
      const again = await client.request('GET', '/dashboards/groups/nested', { ...viewer, headers: etag })
      expect(again.status).toBe(304)
      const whole = await client.request('GET', '/dashboards/groups/nested')
      const all = (whole.body as unknown as Group[]).find((group) => group.id === outer.id)
      expect(all?.groups[0]).toMatchObject({ effectiveParams: { region: 'north', site: 2 } })
      const { items } = await good<{ items: { inherited: boolean; from: { name: string } | null }[] }>(
        client.request('GET', `/dashboards/${id}/grants`),
      )
      expect(items.filter(({ inherited }) => inherited).map(({ from }) => from?.name)).toContain(
        'Inner boards',
      )
      await good(client.request('GET', `/dashboards/groups/${inner.id}/grants`, { as: 'editor' }))
      await good(client.request('GET', `/dashboards/groups/${inner.id}`, { as: 'editor' }))
    },
  },
  {
    title: 'a group is replaced and patched, and the list has it',
    async run(client) {
      const { id } = await makeGroup(client, { defaultParams: { region: 'north' } })
      const path = `/dashboards/groups/${id}`
      const { body } = await client.request('GET', path)
      // In the database only the letters A to Z have another case.
      const [upper, lower] = [`Ämter ${id}`, `ämter ${id}`]
      for (const name of [upper, lower]) {
        const answer = await client.request('POST', '/dashboards/groups', { json: { ...body, name } })
        expect([answer.status, answer.body['name']]).toEqual([201, name])
      }
      const { items } = await good<{ items: Body[] }>(
        client.request('GET', '/audit?objectType=dashboardGroup&action=create'),
      )
      expect(Object.keys(items[0]?.['after'] ?? {}).sort()).toEqual([
        'defaultParams',
        'name',
        'parentId',
        'position',
      ])
      const replaced = await client.request('PUT', path, { json: { ...body, name: `Replaced ${id}` } })
      expectAnswer(replaced, { answers: 200 })
      const json = { position: 7 }
      expect((await client.request('PATCH', path, { json })).body).toMatchObject({
        ...json,
        name: `Replaced ${id}`,
        defaultParams: { region: 'north' },
      })
      const list = await client.request('GET', '/dashboards/groups')
      expect(list.text).toContain(`"Replaced ${id}"`)
    },
  },
  {
    title: 'a move shows in advance whose rights it changes',
    async run(client) {
      const open = await makeGroup(client)
      await grant(
        client,
        `/dashboards/groups/${open.id}`,
        { subjectType: 'everyone' },
        { subjectType: 'user', subjectId: client.userIds.editor, write: true },
      )
      const { id } = await makeDashboard(client)
      const preview = await good<{ won: Body[]; lost: Body[] }>(
        client.request('GET', `/dashboards/${id}/move?groupId=${open.id}`, { as: 'editor' }),
      )
      expect([preview.won.map((one) => one['subjectType']), preview.lost]).toEqual([['everyone'], []])
      const moved = await client.request('POST', `/dashboards/${id}/move`, {
        json: { groupId: open.id },
        as: 'editor',
      })
      expect(moved.body).toMatchObject({ groupId: open.id, version: 1 })
      expectAnswer(await client.request('GET', `/dashboards/${id}`, { as: 'collector' }), { answers: 200 })
      const copy = await good<Dashboard>(
        client.request('POST', `/dashboards/${id}/copy`, { json: {}, as: 'editor' }),
      )
      expect(copy).toMatchObject({ groupId: open.id, version: 1 })
      await good(client.request('DELETE', `/dashboards/groups/${open.id}?recursive=true`, { as: 'editor' }))
      expectAnswer(await client.request('GET', `/dashboards/${id}`), { answers: 'not_found' })
    },
  },
  {
    title: 'groups are at most 8 deep, and none is below itself',
    async run(client) {
      const ids: number[] = []
      for (let depth = 0; depth < 8; depth++)
        ids.push((await makeGroup(client, { parentId: ids.at(-1) ?? null })).id)
      const deeper = await client.request('POST', '/dashboards/groups', {
        json: { name: 'ninth', parentId: ids[7] },
        as: 'editor',
      })
      expectAnswer(deeper, { answers: 'invalid', pointers: ['/parentId'] })
      const circle = await client.request('PUT', `/dashboards/groups/${ids[6]}`, {
        json: { name: 'circle', parentId: ids[7] },
        as: 'editor',
      })
      expect(['cycle', 'invalid']).toContain(String(circle.body['code']))
    },
  },
]

const references: Scenario[] = [
  {
    title: 'dashboards embed each other 3 deep and in no circle, and nested has all of them',
    async run(client) {
      const last = await makeDashboard(client, { name: 'Deepest' })
      const third = await makeDashboard(client, embedding(last.id))
      const second = await makeDashboard(client, embedding(third.id))
      const first = await makeDashboard(client, embedding(second.id))
      const nested = await client.request('GET', `/dashboards/${first.id}/nested`, { as: 'editor' })
      const children = nested.body['children'] as { dashboard: Dashboard; depth: number }[]
      expect(children.map(({ dashboard, depth }) => [dashboard.id, depth])).toEqual([
        [second.id, 1],
        [third.id, 2],
        [last.id, 3],
      ])
      const etag = { 'if-none-match': nested.headers.get('etag') ?? '' }
      expect(
        (await client.request('GET', `/dashboards/${first.id}/nested`, { headers: etag, as: 'editor' }))
          .status,
      ).toBe(304)
      const deeper = await client.request('POST', '/dashboards', {
        json: { name: 'x', ...embedding(first.id) },
      })
      expectAnswer(deeper, { answers: 'invalid', pointers: ['/definition/widgets'] })
      const circle = await client.request('PUT', `/dashboards/${last.id}`, {
        json: { name: 'Deepest', version: 1, ...embedding(first.id) },
      })
      expectAnswer(circle, { answers: 'cycle' })
      const { items, total } = await good<{ items: Body[]; total: number }>(
        client.request('GET', `/dashboards/${last.id}/dependents`, { as: 'editor' }),
      )
      expect([items, total]).toMatchObject([[{ dashboardId: third.id, widgetId: 'w0' }], 1])
      const path = `/dashboards/${last.id}`
      expectAnswer(await client.request('DELETE', path), {
        answers: 'has_dependents',
        pointers: ['/dependents/0'],
      })
      expectAnswer(await client.request('DELETE', `${path}?forceDelete=true`), { answers: 204 })
      const broken = await good<Dashboard>(client.request('GET', `/dashboards/${third.id}`))
      expect(broken).toMatchObject({
        valid: false,
        problems: [{ pointer: '/definition/widgets/w0/dashboardId', code: 'gone' }],
      })
    },
  },
  {
    title: 'two dashboards that embed each other at the same time: one is refused',
    async run(client) {
      const [a, b] = [await makeDashboard(client), await makeDashboard(client)]
      const embed = (one: Made, other: Made) =>
        client.request('PUT', `/dashboards/${one.id}`, {
          json: { name: 'circle', version: 1, ...embedding(other.id) },
        })
      const answers = await Promise.all([embed(a, b), embed(b, a)])
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 409]))
    },
  },
  {
    title: 'nested names what the caller may read, and has the ids of the rest alone',
    async run(client) {
      const job = await makeJob(client, await makeDevice(client))
      const { id } = await makeDashboard(client, {
        definition: { widgets: { w1: { kind: 'value', source: { type: 'job', jobId: job } } } },
      })
      await grant(client, `/dashboards/${id}`, { subjectType: 'everyone' })
      const nested = await client.request('GET', `/dashboards/${id}/nested`)
      expect(nested.body['objects']).toMatchObject({ [job]: { id: job, type: 'job' } })
      expectAnswer(await client.request('GET', `/dashboards/${id}`), { answers: 200 })
    },
  },
]

export const dashboardsSuite: Suite = {
  name: 'dashboards',
  scenarios: [...table(stage, rows), ...life, ...rights, ...references],
}
