import { expect } from 'bun:test'

import { RUN_TYPES } from '../../src/automation/scripts/accepted-files.ts'
import type { Client } from './client.ts'
import { anyText, expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Script = Readonly<Record<string, unknown>> & {
  readonly id: number
  readonly name: string
  readonly groupId: number
}
type Group = { readonly id: number; readonly name: string }

const make = (client: Client, json: object) => good<Script>(client.request('POST', '/scripts', { json }))

const stage = once(async (client) => {
  const group = await good<Group>(client.request('POST', '/scripts/groups', { json: { name: 'staged' } }))
  const { id } = await make(client, { name: 'staged script', groupId: group.id })
  return { script: id, group: group.id }
})

const CALLS: readonly (readonly [call: string, json?: object])[] = [
  ['GET /scripts'],
  ['GET /scripts/groups'],
  ['GET /scripts/groups/{group}'],
  ['GET /scripts/{script}'],
  ['GET /scripts/{script}/settings'],
  ['POST /scripts', { name: 'not made' }],
  ['PUT /scripts/{script}', { name: 'not changed' }],
  ['DELETE /scripts/{script}'],
  ['PUT /scripts/{script}/settings', { name: 'not changed' }],
  ['POST /scripts/groups', { name: 'not made' }],
  ['PUT /scripts/groups/{group}', { name: 'not changed' }],
  ['DELETE /scripts/groups/{group}'],
]

/** Bodies that no script is made of, each with where it is wrong. */
const WRONG: readonly (readonly [title: string, json: object, ...pointers: string[]])[] = [
  ['no name', {}, '/name'],
  ['an empty name', { name: ' ' }, '/name'],
  ['a name that is too long', { name: 'x'.repeat(256) }, '/name'],
  ['a number for a name', { name: '12' }, '/name'],
  ['a dot for a name', { name: '.' }, '/name'],
  ['two dots for a name', { name: '..' }, '/name'],
  ...['groups', 'mimetypes', 'export', 'upload-zip', 'webhook', 'codeGenerator'].map(
    (name) => [`the name ${name}, which stands for something else`, { name }, '/name'] as const,
  ),
  ['a negative timeout', { name: 'x', timeout: -1 }, '/timeout'],
  ['a timeout of more than 30 days', { name: 'x', timeout: 30 * 86_400 + 1 }, '/timeout'],
  ['a broken timeout', { name: 'x', timeout: 0.5 }, '/timeout'],
  ['a type that no run takes', { name: 'x', acceptedFiles: ['text/html'] }, '/acceptedFiles/0'],
  ['a description that is too long', { name: 'x', description: 'x'.repeat(4_001) }, '/description'],
  ['a group that is not there', { name: 'x', groupId: 999_999 }, '/groupId'],
  ['an unknown field', { name: 'x', runs: [] }, '/runs'],
]

const rows: readonly Row[] = [
  ...CALLS.map(([call, json]): Row => ({
    title: 'a request without credentials',
    call,
    json,
    as: null,
    answers: 'unauthenticated',
  })),
  ...(['collector', 'dashboard_viewer'] as const).flatMap((as) =>
    CALLS.map(([call, json]): Row => ({ title: as, call, json, as, answers: 'forbidden' })),
  ),
  ...(['editor', 'Data_Editor'] as const).flatMap((as) =>
    CALLS.map(([call, json]): Row => ({
      title: as,
      call,
      json,
      as,
      answers: call.startsWith('GET') ? 200 : 'forbidden',
    })),
  ),
  ...(['administrator', 'editor', 'collector', 'Data_Editor', 'dashboard_viewer'] as const).map(
    (as): Row => ({ title: as, call: 'GET /scripts/mimetypes', as, answers: 200 }),
  ),
  {
    title: 'a request without credentials',
    call: 'GET /scripts/mimetypes',
    as: null,
    answers: 'unauthenticated',
  },
  ...WRONG.flatMap(([title, json, ...pointers]): Row[] => [
    { title, call: 'POST /scripts', json, answers: 'invalid', pointers },
    { title, call: 'PUT /scripts/{script}', json, answers: 'invalid', pointers },
    { title, call: 'PUT /scripts/{script}/settings', json, answers: 'invalid', pointers },
  ]),
  { title: 'no page', call: 'GET /scripts?limit=0', answers: 'invalid', pointers: ['?limit'] },
  { title: 'the largest page', call: 'GET /scripts?limit=1000', answers: 200 },
  { title: 'a larger page', call: 'GET /scripts?limit=1001', answers: 'invalid', pointers: ['?limit'] },
  { title: 'a foreign cursor', call: 'GET /scripts?cursor=NQ', answers: 'invalid', pointers: ['?cursor'] },
  { title: 'no group', call: 'GET /scripts?groupId=x', answers: 'invalid', pointers: ['?groupId'] },
  ...['GET', 'DELETE'].flatMap((method): Row[] => [
    { title: 'a script that is not there', call: `${method} /scripts/999999`, answers: 'not_found' },
    { title: 'a script that is not there', call: `${method} /scripts/nobody`, answers: 'not_found' },
    { title: 'a group that is not there', call: `${method} /scripts/groups/999999`, answers: 'not_found' },
  ]),
  {
    title: 'another version',
    call: 'PUT /scripts/{script}',
    json: { name: 'staged script' },
    headers: { 'if-match': '"999"' },
    answers: 'precondition_failed',
  },
  {
    title: 'another version',
    call: 'PUT /scripts/{script}/settings',
    json: { name: 'staged script' },
    headers: { 'if-match': '"999"' },
    answers: 'precondition_failed',
  },
  { title: 'no name', call: 'POST /scripts/groups', json: {}, answers: 'invalid', pointers: ['/name'] },
  {
    title: 'a name that is taken',
    call: 'POST /scripts/groups',
    json: { name: 'STAGED' },
    answers: 'name_taken',
  },
  {
    title: 'the name of the group of all others',
    call: 'POST /scripts/groups',
    json: { name: 'default' },
    answers: 'name_taken',
  },
  { title: 'a group with a script', call: 'DELETE /scripts/groups/{group}', answers: 'has_children' },
]

const scenarios: Scenario[] = [
  {
    title: 'the types that come with a run are those of the specification',
    decidedAbovePorts: 'scripts',
    async run(client) {
      const types = await good<string[]>(client.request('GET', '/scripts/mimetypes', { as: 'collector' }))
      expect(types).toEqual([...RUN_TYPES])
      expect(new Set(types).size).toBe(46)
    },
  },
  {
    title: 'a script is made in the group Default, found by id and by name, and sent back as it was read',
    decidedAbovePorts: 'scripts',
    async run(client) {
      const answer = await client.request('POST', '/scripts', { json: { name: ' Import Orders ' } })
      expectAnswer(answer, { answers: 201 })
      const groups = await good<Group[]>(client.request('GET', '/scripts/groups'))
      const fallback = groups.find(({ name }) => name === 'Default')
      expect(answer.body).toEqual({
        id: expect.any(Number) as number,
        name: 'Import Orders',
        description: '',
        groupId: fallback?.id,
        timeout: 0,
        runner: null,
        runnerFile: null,
        dependencyManager: 'none',
        dependencyFile: null,
        acceptedFiles: [...RUN_TYPES],
        dependents: { count: 0, widgets: [], dataSources: [], alarmRecipients: [] },
        lastRun: null,
        filesChangedBy: null,
        warnings: ['runner.none'],
        createdAt: anyText,
        updatedAt: anyText,
      })
      const location = answer.headers.get('location') ?? ''
      expect(location).toBe(`/scripts/${String(answer.body['id'])}`)
      for (const path of [location, '/scripts/Import%20Orders', '/scripts/import%20orders']) {
        const read = await client.request('GET', path)
        expect(read.body).toEqual(answer.body)
        expect(read.headers.get('etag')).toBe('"1"')
      }
      const sent = await client.request('PUT', location, {
        json: answer.body,
        headers: { 'if-match': '"1"' },
      })
      expectAnswer(sent, { answers: 200 })
      expect(sent.headers.get('etag')).toBe('"2"')
      expect({ ...sent.body, updatedAt: '' }).toEqual({ ...answer.body, updatedAt: '' })
      expect((await client.request('DELETE', '/scripts/IMPORT%20ORDERS')).status).toBe(204)
      expect((await client.request('GET', location)).status).toBe(404)
    },
  },
  {
    title: 'names are unique in whatever case, composed, and may be changed to what they are',
    decidedAbovePorts: 'scripts',
    async run(client) {
      const { id } = await make(client, { name: 'Cafe\u0301' })
      expectAnswer(await client.request('POST', '/scripts', { json: { name: 'Caf\u00e9' } }), {
        answers: 'name_taken',
        pointers: ['/name'],
      })
      const other = await make(client, { name: 'other' })
      for (const path of [`/scripts/${other.id}`, `/scripts/${other.id}/settings`])
        expectAnswer(await client.request('PUT', path, { json: { name: 'CAF\u00e9' } }), {
          answers: 'name_taken',
        })
      const renamed = await client.request('PUT', `/scripts/${id}`, { json: { name: 'CAF\u00e9' } })
      expect(renamed.body['name']).toBe('CAF\u00e9')
      expect((await client.request('GET', `/scripts/${encodeURIComponent('CAFe\u0301')}`)).body['id']).toBe(
        id,
      )
      await good(client.request('PUT', `/scripts/${id}`, { json: { name: 'bar' } }))
      const former = `/scripts/${encodeURIComponent('Caf\u00e9')}`
      for (const path of [former, `${former}/settings`, `${former}/files/run.sh`])
        expectAnswer(await client.request('PUT', path, { json: { name: 'bar' } }), { answers: 'not_found' })
      for (const one of [id, other.id]) await good(client.request('DELETE', `/scripts/${one}`))
    },
  },
  {
    title: 'bounds hold on both sides, and the same type twice is one',
    decidedAbovePorts: 'scripts',
    async run(client) {
      const json = {
        name: 'x'.repeat(255),
        description: 'x'.repeat(4_000),
        timeout: 30 * 86_400,
        acceptedFiles: ['text/csv', 'text/csv'],
      }
      const { id, ...script } = await make(client, json)
      expect(script).toMatchObject({ ...json, acceptedFiles: ['text/csv'] })
      const none = await good<Script>(
        client.request('PUT', `/scripts/${id}`, { json: { ...json, acceptedFiles: [] } }),
      )
      expect(none['acceptedFiles']).toEqual([])
      await good(client.request('DELETE', `/scripts/${id}`))
    },
  },
  {
    title: 'lists are by name, in pages, and of one group where that is asked for',
    decidedAbovePorts: 'scripts',
    async run(client) {
      const group = await good<Group>(client.request('POST', '/scripts/groups', { json: { name: 'paged' } }))
      const few = ['b', 'A', 'c', 'Z', 'y'].map((name) => `page ${name}`)
      const many = Array.from({ length: 96 }, (_, at) => `page z${String(at).padStart(2, '0')}`)
      const names = [...few, ...many]
      await Promise.all(names.map((name) => make(client, { name, groupId: group.id })))
      const seen: string[] = []
      let path: string | null = `/scripts?groupId=${group.id}&limit=40`
      while (path !== null) {
        const page = await client.request('GET', path)
        expectAnswer(page, { answers: 200 })
        const items = page.body as unknown as Script[]
        expect(items.length).toBeLessThanOrEqual(40)
        seen.push(...items.map(({ name }) => name))
        path = /<([^>]+)>/.exec(page.headers.get('link') ?? '')?.[1] ?? null
      }
      expect(seen).toEqual(['page A', 'page b', 'page c', 'page y', 'page Z', ...many])
      const all = await good<Script[]>(client.request('GET', '/scripts'))
      expect(all.filter(({ groupId }) => groupId === group.id)).toHaveLength(names.length)
      await Promise.all(
        names.map((name) => good(client.request('DELETE', `/scripts/${encodeURIComponent(name)}`))),
      )
      await good(client.request('DELETE', `/scripts/groups/${group.id}`))
    },
  },
  {
    title: 'a group is described and renamed; Default stays under its name',
    async run(client) {
      const { id } = await good<Group>(
        client.request('POST', '/scripts/groups', { json: { name: 'before' } }),
      )
      const json = { name: 'after', description: 'all of it' }
      expect(await good<object>(client.request('PUT', `/scripts/groups/${id}`, { json }))).toMatchObject(json)
      expect(await good<object>(client.request('GET', `/scripts/groups/${id}`))).toMatchObject(json)
      await good(client.request('DELETE', `/scripts/groups/${id}`))
      const groups = await good<Group[]>(client.request('GET', '/scripts/groups'))
      const fallback = groups.find(({ name }) => name === 'Default')
      const path = `/scripts/groups/${fallback?.id}`
      expectAnswer(await client.request('DELETE', path), { answers: 'conflict' })
      expectAnswer(await client.request('PUT', path, { json: { name: 'Others' } }), { answers: 'conflict' })
      expectAnswer(await client.request('PUT', path, { json: { name: 'Default', description: 'x' } }), {
        answers: 200,
      })
    },
  },
  {
    title: 'of many that change a script at once each is kept, or told that it came late',
    async run(client) {
      const { id } = await make(client, { name: 'contended' })
      const put = (timeout: number, headers = {}) =>
        client.request('PUT', `/scripts/${id}`, { json: { name: 'contended', timeout }, headers })
      const free = await Promise.all(Array.from({ length: 8 }, (_, index) => put(index)))
      expect(statusesOf(free)).toEqual(free.map(() => 200))
      const { headers } = await client.request('GET', `/scripts/${id}`)
      expect(headers.get('etag')).toBe('"9"')
      const held = await Promise.all(
        Array.from({ length: 8 }, (_, index) => put(index, { 'if-match': '"9"' })),
      )
      expect(statusesOf(held)).toEqual([200, ...Array.from({ length: 7 }, () => 412)])
      await good(client.request('DELETE', `/scripts/${id}`))
    },
  },
]

export const scriptsSuite: Suite = { name: 'scripts', scenarios: [...table(stage, rows), ...scenarios] }
