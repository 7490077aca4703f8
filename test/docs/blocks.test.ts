import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { startBun } from '../hosts/bun.ts'
import { startEdge } from '../hosts/edge.ts'
import { scryptInPool } from '../../workers/secrets.ts'
import { ADMIN } from '../hosts/host.ts'
import { blocksOf, pagesWithBlocks } from './blocks.ts'
import type { Block } from './blocks.ts'
import { openDesk } from './shell.ts'

setDefaultTimeout(300_000)
const ROOT = join(import.meta.dir, '../..')
const START_MAX_MS = 180_000
const FIRST = 'README.md'
const VARIABLES = { TIDEMARK_OUTBOUND_ALLOW: '127.0.0.1:9797' }

const pages = await pagesWithBlocks(ROOT)
const shared = [...pages.values()].flat().filter(({ kind }) => kind === 'shared')
const desks: Awaited<ReturnType<typeof openDesk>>[] = []
afterAll(() => Promise.all(desks.map((desk) => desk.close())))

type Started = { readonly url: string; close(): Promise<unknown> }

/** Starts the service by the block of the first page, as a reader does. */
async function startByBlock(folder: string): Promise<Started> {
  const [block] = (pages.get(FIRST) ?? []).filter(({ kind }) => kind === 'starts')
  const dataDir = await mkdtemp(join(tmpdir(), 'tidemark-docs-data-'))
  const printed = join(dataDir, 'printed')
  const child = Bun.spawn(
    ['setsid', 'bash', '-eu', '-c', `exec >${printed} 2>&1; ${block?.text ?? 'false'}`],
    {
      cwd: folder,
      env: { ...process.env, TIDEMARK_DATA_DIR: dataDir, TIDEMARK_PORT: '0' },
    },
  )
  const url = await addressIn(printed)
  return {
    url,
    async close() {
      // It leads a process group of its own, in which npm and the service are.
      process.kill(-child.pid, 'SIGTERM')
      await child.exited
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

/** The address that the service prints once it listens. @throws {Error} with what it printed instead */
async function addressIn(file: string): Promise<string> {
  let text = ''
  for (let waitedMs = 0; waitedMs < START_MAX_MS; waitedMs += 200) {
    text = await Bun.file(file)
      .text()
      .catch(() => '')
    const address = /listens at (http:\S+)/.exec(text)?.[1]
    if (address !== undefined) return address
    await Bun.sleep(200)
  }
  throw new Error(`The first page did not start the service within ${START_MAX_MS} ms. It printed:\n${text}`)
}

type Place = readonly [name: string, isPage: RegExp, start: (folder: string) => Promise<Started>]

/** Where the blocks of pages run; by `npm run test:docs` those of every page everywhere. */
const PLACES: readonly Place[] = [
  ['Bun, as the first page starts it', /^README/, startByBlock],
  [
    'Bun with a base path',
    /./,
    () => startBun({ ...VARIABLES, TIDEMARK_BASE_PATH: '/monitor' }, { scrypt: scryptInPool }),
  ],
  ['workerd', /^README|getting-started/, () => startEdge({ variables: VARIABLES, hashing: 'platform' })],
]
const EVERY_PLACE = process.env['TIDEMARK_TEST_EVERY_PLACE'] === 'true'

describe.each(PLACES)('the shell blocks of pages run on %s', (_, isPage, start) => {
  let started: Started | null = null
  let token = ''
  afterAll(async () => {
    await started?.close()
  })

  /** The first page comes first, on an installation that has nothing. */
  const inOrder = [...pages]
    .filter(([file]) => EVERY_PLACE || isPage.test(file))
    .sort(([a], [b]) => Number(b === FIRST) - Number(a === FIRST))
  test.each(inOrder)('%s', async (file, blocks) => {
    const desk = await openDesk()
    desks.push(desk)
    started ??= await start(desk.folder)
    const own = { TIDEMARK_URL: started.url }
    token ||= file === FIRST ? '' : await newToken(started.url)
    const credentials = { TIDEMARK_USERNAME: ADMIN.username, TIDEMARK_PASSWORD: ADMIN.password, TM: token }
    const { exitCode, output, calls } = await (file === FIRST
      ? desk.play(blocks, own)
      : desk.play([...shared, ...blocks], { ...own, ...credentials }))
    const bad = calls.filter((call) => Number(call.slice(0, 3)) >= 400)
    // An entry of a bulk delivery is rejected in a response of 200.
    bad.push(...(output.match(/"status":4\d\d[^}]*/g) ?? []))
    expect([bad, exitCode === 0 ? '' : output]).toEqual([[], ''])
    const hasCalls = blocks.some(({ kind, text }) => kind === 'plain' && text.includes('curl'))
    if (hasCalls) expect(calls.length).toBeGreaterThan(0)
  })
})

async function newToken(url: string): Promise<string> {
  const response = await fetch(`${url}/session/personal-tokens`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${ADMIN.username}:${ADMIN.password}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({
      name: 'pages',
      scopes: ['read', 'write', 'execute', 'backup'],
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
    }),
  })
  return ((await response.json()) as { token: string }).token
}

describe('blocks', () => {
  const fenced = (before: string, language: string) =>
    blocksOf('a.md', `text\n${before}\n\`\`\`${language}\nfalse\n\`\`\`\n`)

  test('are those of a shell, run unless the line before says why not', () => {
    expect(fenced('', 'json')).toEqual([])
    expect(fenced('', 'sh')).toEqual([{ file: 'a.md', line: 4, text: 'false', kind: 'plain' }])
    expect(fenced('<!-- not run: needs an account -->', 'sh')[0]?.kind).toBe('skipped')
    expect(fenced('<!-- not run: no -->', 'sh')[0]?.kind).toBe('plain')
    expect(fenced('<!-- starts the service -->', 'bash')[0]?.kind).toBe('starts')
    expect(fenced('<!-- used by all pages -->', 'sh')[0]?.kind).toBe('shared')
  })

  test('fail with their place, and with each refused call, even behind a pipe', async () => {
    const desk = await openDesk()
    desks.push(desk)
    const server = Bun.serve({ port: 0, fetch: () => new Response('no', { status: 404 }) })
    const block = (text: string): Block => ({ file: 'a.md', line: 4, text, kind: 'plain' })
    const refused = await desk.play([block(`curl -s ${server.url.href} | cat`)], {})
    expect(refused).toMatchObject({ exitCode: 0, calls: [expect.stringMatching(/^404 /)] })
    const failed = await desk.play([block('true'), block('false | cat')], {})
    expect([failed.exitCode, failed.output.trim()]).toEqual([1, 'failed in a.md:4'])
    await server.stop(true)
  })
})
