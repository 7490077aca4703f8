import { expect } from 'bun:test'

import type { Answer, Client, Request } from './client.ts'
import { expectAnswer, good, once, statusesOf, table } from './suite.ts'
import type { Row, Scenario, Suite } from './suite.ts'

type Entry = {
  readonly path: string
  readonly type: string
  readonly size: number
  readonly mimeType: string
  readonly sha256: string
  readonly text: boolean
}

const MAX_BYTES = 10 * 1024 * 1024
const HELLO = 'print("hello")\n'
const SHA = new Bun.CryptoHasher('sha256').update(HELLO).digest('hex')

const stage = once(async (client) => {
  const { id } = await good<{ id: number }>(
    client.request('POST', '/scripts', { json: { name: 'tree stage' } }),
  )
  await good(client.request('PUT', `/scripts/${id}/files/src/main.py`, { text: HELLO }))
  return { script: id, sha: SHA }
})

/** A script of its own. */
async function fresh(client: Client, name: string) {
  const { id } = await good<{ id: number }>(client.request('POST', '/scripts', { json: { name } }))
  const at = `/scripts/${id}`
  return {
    at,
    put: (path: string, request: Request = { text: path }) =>
      client.request('PUT', `${at}/files/${encodeURI(path)}`, request),
    list: () => good<Entry[]>(client.request('GET', `${at}/files`)),
    paths: async () => (await good<Entry[]>(client.request('GET', `${at}/files`))).map(({ path }) => path),
    move: (from: string, to: string) => client.request('POST', `${at}/files/move`, { json: { from, to } }),
    script: () => good(client.request('GET', at)),
    end: () => good(client.request('DELETE', at)),
  }
}

const WRITES: readonly (readonly [call: string, request: Request])[] = [
  ['PUT /scripts/{script}/files/x', { text: 'x' }],
  ['POST /scripts/{script}/files/x?type=directory', {}],
  ['POST /scripts/{script}/files/move', { json: { from: 'x', to: 'y' } }],
  ['DELETE /scripts/{script}/files/x', {}],
]
const READS = ['GET /scripts/{script}/files', 'GET /scripts/{script}/files/src/main.py']

/** Texts that are no paths. */
const NO_PATHS = [
  '..%2fx',
  'a%2f..%2fb',
  'a%2f%2e%2fb',
  'a%2f%2fb',
  '%2fetc',
  'a%2f',
  'a%5cb',
  'x%00',
  '%20x',
  'x'.repeat(256),
  `${'d%2f'.repeat(16)}x`,
]
const PATHS = [
  'x'.repeat(255),
  `${'d/'.repeat(15)}x`,
  'e\u0301/\u00fc b.txt',
  '.env',
  'a..b',
  '%25',
  'move',
  '__proto__',
  'x?y#z',
]

const rows: readonly Row[] = [
  ...[...WRITES, ...READS.map((call) => [call, {}] as const)].flatMap(([call, request]): Row[] => [
    { title: 'a request without credentials', call, ...request, as: null, answers: 'unauthenticated' },
    { title: 'collector', call, ...request, as: 'collector', answers: 'forbidden' },
    { title: 'dashboard_viewer', call, ...request, as: 'dashboard_viewer', answers: 'forbidden' },
  ]),
  ...WRITES.flatMap(([call, request]) =>
    (['editor', 'Data_Editor'] as const).map((as): Row => ({
      title: as,
      call,
      ...request,
      as,
      answers: 'forbidden',
    })),
  ),
  ...READS.flatMap((call) =>
    (['editor', 'Data_Editor'] as const).map((as): Row => ({ title: as, call, as, answers: 200 })),
  ),
  ...NO_PATHS.flatMap((path): Row[] => [
    {
      title: 'no path',
      call: `PUT /scripts/{script}/files/${path}`,
      text: 'x',
      answers: 'invalid',
      pointers: ['{path}'],
    },
    {
      title: 'no path',
      call: `POST /scripts/{script}/files/${path}?type=directory`,
      answers: 'invalid',
      pointers: ['{path}'],
    },
    { title: 'no path', call: `GET /scripts/{script}/files/${path}`, answers: 'not_found' },
    { title: 'no path', call: `DELETE /scripts/{script}/files/${path}`, answers: 'not_found' },
  ]),
  {
    title: 'no path to move to',
    call: 'POST /scripts/{script}/files/move',
    json: { from: 'src', to: '../x' },
    answers: 'invalid',
    pointers: ['/to'],
  },
  {
    title: 'no path to move from',
    call: 'POST /scripts/{script}/files/move',
    json: { from: '/', to: 'x' },
    answers: 'invalid',
    pointers: ['/from'],
  },
  {
    title: 'something that is not there',
    call: 'POST /scripts/{script}/files/move',
    json: { from: 'nothing', to: 'x' },
    answers: 'not_found',
  },
  {
    title: 'a directory into itself',
    call: 'POST /scripts/{script}/files/move',
    json: { from: 'src', to: 'src/x' },
    answers: 'invalid',
    pointers: ['/to'],
  },
  { title: 'a file that is not there', call: 'GET /scripts/{script}/files/nothing', answers: 'not_found' },
  { title: 'a directory', call: 'GET /scripts/{script}/files/src', answers: 'not_found' },
  { title: 'a script that is not there', call: 'GET /scripts/999999/files', answers: 'not_found' },
  {
    title: 'a script that is not there',
    call: 'PUT /scripts/999999/files/x',
    text: 'x',
    answers: 'not_found',
  },
  {
    title: 'a file in a file',
    call: 'PUT /scripts/{script}/files/src/main.py/x',
    text: 'x',
    answers: 'conflict',
  },
  {
    title: 'a file in place of a directory',
    call: 'PUT /scripts/{script}/files/src',
    text: 'x',
    answers: 'conflict',
  },
  {
    title: 'a directory in place of a file',
    call: 'POST /scripts/{script}/files/src/main.py?type=directory',
    answers: 'conflict',
  },
  {
    title: 'what is no directory',
    call: 'POST /scripts/{script}/files/x',
    answers: 'invalid',
    pointers: ['?type'],
  },
  {
    title: 'bytes with an encoding',
    call: 'PUT /scripts/{script}/files/x',
    text: 'x',
    headers: { 'content-encoding': 'gzip' },
    answers: 'unsupported_media_type',
  },
  {
    title: 'another version',
    call: 'PUT /scripts/{script}/files/src/main.py',
    text: 'x',
    headers: { 'if-match': '"x"' },
    answers: 'precondition_failed',
  },
  {
    title: 'what must not be there',
    call: 'PUT /scripts/{script}/files/src/main.py',
    text: 'x',
    headers: { 'if-none-match': '*' },
    answers: 'precondition_failed',
  },
  {
    title: 'what must be there',
    call: 'PUT /scripts/{script}/files/new',
    text: 'x',
    headers: { 'if-match': '*' },
    answers: 'precondition_failed',
  },
  {
    title: 'another version',
    call: 'DELETE /scripts/{script}/files/src/main.py',
    headers: { 'if-match': '"x"' },
    answers: 'precondition_failed',
  },
]

const scenarios: Scenario[] = [
  {
    title:
      'a file comes out as it went in, with its hash for a tag, whole and in ranges, and nothing in it runs',
    async run(client) {
      const { at, put, list, end } = await fresh(client, 'bytes')
      const made = await put('src/main.py', { text: HELLO })
      expectAnswer(made, { answers: 201 })
      expect(made.headers.get('etag')).toBe(`"${SHA}"`)
      const path = made.headers.get('location') ?? ''
      expect(path).toBe(`${at}/files/src/main.py`)
      const read = await client.request('GET', path, { as: 'editor' })
      expect(read.text).toBe(HELLO)
      expect(Object.fromEntries(read.headers)).toMatchObject({
        'content-type': 'text/x-python',
        etag: `"${SHA}"`,
        'content-security-policy': "sandbox; default-src 'none'",
        'content-disposition': `attachment; filename="main.py"; filename*=UTF-8''main.py`,
      })
      const ranged = await client.request('GET', path, { headers: { range: 'bytes=0-4' } })
      expect([ranged.status, ranged.text]).toEqual([206, 'print'])
      expectAnswer(await client.request('GET', path, { headers: { range: 'bytes=99-' } }), {
        answers: 'range_not_satisfiable',
      })
      const known = await client.request('GET', path, { headers: { 'if-none-match': `"${SHA}"` } })
      expect(known.status).toBe(304)
      const slashes = await client.request('GET', `${at}/files/src%2Fmain.py`)
      expect(slashes.text).toBe(HELLO)
      const [directory, file] = await list()
      expect(directory).toMatchObject({ path: 'src', type: 'directory', size: 0, sha256: '' })
      expect(file).toMatchObject({
        path: 'src/main.py',
        type: 'file',
        size: HELLO.length,
        mimeType: 'text/x-python',
        sha256: SHA,
        text: true,
      })
      const held = await put('src/main.py', { text: 'x', headers: { 'if-match': `"${SHA}"` } })
      expectAnswer(held, { answers: 200 })
      const late = await put('src/main.py', { text: 'y', headers: { 'if-match': `"${SHA}"` } })
      expectAnswer(late, { answers: 'precondition_failed' })
      expect((await client.request('GET', path)).text).toBe('x')
      await end()
      expect((await client.request('GET', path)).status).toBe(404)
    },
  },
  {
    title: 'whatever is a path is one, composed',
    decidedAbovePorts: 'files of scripts',
    async run(client) {
      const { at, put, paths, end } = await fresh(client, 'paths')
      for (const path of PATHS) {
        const url = `${at}/files/${path.split('/').map(encodeURIComponent).join('/')}`
        const made = await client.request('PUT', url, { text: path })
        expectAnswer(made, { answers: 201 })
        expect(made.body['path']).toBe(path.normalize('NFC'))
        expect((await client.request('GET', url)).text).toBe(path)
      }
      const listed = new Set(await paths())
      expect(PATHS.filter((path) => !listed.has(path.normalize('NFC')))).toEqual([])
      expect((await put('\u00e9/\u00fc b.txt', { text: 'other' })).status).toBe(200)
      await end()
    },
  },
  {
    title: 'what runs a script follows from its files',
    decidedAbovePorts: 'files of scripts',
    async run(client) {
      const { at, put, move, script, end } = await fresh(client, 'detected')
      const expectRunner = async (wanted: object) => expect(await script()).toMatchObject(wanted)
      await put('run.sh')
      await expectRunner({ runner: 'shell', runnerFile: 'run.sh', warnings: [] })
      await put('app/main.py')
      await expectRunner({ runner: 'shell', warnings: ['runner.ambiguous'] })
      await client.request('DELETE', `${at}/files/run.sh`)
      await put('pyproject.toml')
      await expectRunner({
        runner: 'python',
        runnerFile: 'app/main.py',
        dependencyManager: 'poetry',
        dependencyFile: 'pyproject.toml',
        warnings: [],
      })
      await move('pyproject.toml', 'pyproject.toml.off')
      await put('requirements.txt')
      await expectRunner({ dependencyManager: 'pip', dependencyFile: 'requirements.txt' })
      await client.request('DELETE', `${at}/files/app`)
      for (const path of ['Job/Job_run.sh', 'lib/routines.jar', 'jobInfo.properties']) await put(path)
      await expectRunner({ runner: 'talend', runnerFile: 'Job/Job_run.sh', dependencyManager: 'none' })
      const listed = await good<{ name: string; runner: string }[]>(
        client.request('GET', '/scripts?limit=1000'),
      )
      expect(listed.find(({ name }) => name === 'detected')?.runner).toBe('talend')
      await end()
    },
  },
  {
    title: 'directories are made, moved and deleted with what is in them',
    async run(client) {
      const { at, put, paths, move, end } = await fresh(client, 'directories')
      const mkdir = (path: string) => client.request('POST', `${at}/files/${path}?type=directory`)
      expect(statusesOf([await mkdir('empty'), await mkdir('empty')])).toEqual([200, 201])
      await put('a/b/c')
      await put('a/d')
      expect(await paths()).toEqual(['a', 'a/b', 'a/b/c', 'a/d', 'empty'])
      const moved = await move('a', 'empty/z')
      expectAnswer(moved, { answers: 200 })
      expect((moved.body as unknown as Entry[]).map(({ path }) => path).sort()).toEqual([
        'empty/z/b/c',
        'empty/z/d',
      ])
      expect((await client.request('GET', `${at}/files/empty/z/b/c`)).text).toBe('a/b/c')
      expectAnswer(await move('empty/z/d', 'empty/z/b'), { answers: 'conflict' })
      expect((await client.request('DELETE', `${at}/files/empty/z`)).status).toBe(204)
      expect(await paths()).toEqual(['empty'])
      expect((await client.request('DELETE', `${at}/files/empty`)).status).toBe(204)
      expect(await paths()).toEqual([])
      await end()
    },
  },
  {
    title: 'a file has 10 MiB at most, and is refused whether or not its size is told',
    async run(client) {
      const { at, put, paths, end } = await fresh(client, 'sizes')
      const largest = new Uint8Array(MAX_BYTES)
      expectAnswer(await put('largest', { bytes: largest }), { answers: 201 })
      expectAnswer(await put('larger', { bytes: new Uint8Array(MAX_BYTES + 1) }), { answers: 'too_large' })
      expectAnswer(await put('larger', { chunks: [largest, 'x'] }), { answers: 'too_large' })
      expect(await paths()).toEqual(['largest'])
      for (const name of ['b', 'c', 'd', 'e'])
        expectAnswer(await put(name, { bytes: largest }), { answers: 201 })
      expectAnswer(await put('f', { text: 'x' }), { answers: 'invalid', pointers: ['{path}'] })
      expectAnswer(await put('e', { text: 'x' }), { answers: 200 })
      expectAnswer(await put('f', { text: 'x' }), { answers: 201 })
      expect((await client.request('HEAD', `${at}/files/largest`)).headers.get('content-length')).toBe(
        String(MAX_BYTES),
      )
      await end()
    },
  },
  {
    title: 'of many files that are put at once each is kept, and of many versions one',
    async run(client) {
      const { put, paths, list, end } = await fresh(client, 'crowd')
      const names = Array.from({ length: 12 }, (_, index) => `f${index + 10}`)
      const answers = await Promise.all(names.map((name) => put(name)))
      expect(statusesOf(answers)).toEqual(names.map(() => 201))
      expect(await paths()).toEqual(names)
      const versions: Answer[] = await Promise.all(names.map((text) => put('same', { text })))
      expect(statusesOf(versions).filter((status) => status === 201)).toHaveLength(1)
      const same = (await list()).find(({ path }) => path === 'same')
      expect(names.map((text) => new Bun.CryptoHasher('sha256').update(text).digest('hex'))).toContain(
        same?.sha256 ?? '',
      )
      await end()
    },
  },
]

export const scriptFilesSuite: Suite = {
  name: 'files of scripts',
  scenarios: [...table(stage, rows), ...scenarios],
}
