import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Isolation } from '../../src/domain/isolation.ts'
import type { Tunnel } from '../../workers/runner/sandbox/container.ts'
import { MEANS } from '../../workers/runner/sandbox/level.ts'
import type { Means } from '../../workers/runner/sandbox/level.ts'
import { jobIn, openStage, PATH, runIn } from './sandbox-stage.ts'
import type { Ran, Stage } from './sandbox-stage.ts'

/** Each level with what is taken away for it, as seen on a machine that has everything. */
const LEVELS: readonly { readonly level: Isolation; readonly without: readonly Means[] }[] = [
  { level: 'full', without: [] },
  { level: 'reduced', without: ['cgroups'] },
  { level: 'reduced', without: ['namespaces'] },
  { level: 'uid', without: ['namespaces', 'landlock'] },
  { level: 'none', without: ['namespaces', 'landlock', 'uids'] },
]

const BELOW_FULL = LEVELS.filter(({ level }) => level !== 'full')

describe.each(LEVELS)('at the level $level, without $without', ({ level, without }) => {
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('served') })
  const other = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response('served') })
  let stage: Stage

  beforeAll(async () => {
    stage = await openStage({
      without: new Set(without),
      service: `127.0.0.1:${server.port}`,
      outboundAllow: new Set(['db.example.org']),
      addressesOf: async (name) => [name === 'db.example.org' ? '127.0.0.1' : name],
    })
  })

  afterAll(async () => {
    await server.stop(true)
    await other.stop(true)
    await stage.close()
  })

  /** What can be said where the machine itself has not got everything: no more is claimed than there is. */
  const has = (means: Means) => stage.sandbox.means.includes(means)

  test('no more and no less is claimed', () => {
    const { isolation, missing } = stage.sandbox
    const isLandlockNeeded = without.includes('namespaces')
    const isAllThere = MEANS.every(
      (means) => has(means) || without.includes(means) || (means === 'landlock' && !isLandlockNeeded),
    )
    if (isAllThere) expect(isolation).toBe(level)
    else process.stderr.write(`this machine has not got everything: ${missing.join('; ')}\n`)
    for (const means of without) expect(has(means)).toBeFalse()
    expect(isolation === 'full').toBe(missing.length === 0)
  })

  test('a job runs, writes its files, tells its end, and reaches the service through the proxy alone', async () => {
    const ask = [
      'import os, urllib.request, urllib.error',
      'open("file", "w").write("x")',
      `print(urllib.request.urlopen("http://127.0.0.1:${server.port}/").read().decode())`,
      'try:',
      `    urllib.request.urlopen("http://127.0.0.1:${other.port}/")`,
      'except urllib.error.HTTPError as error:',
      '    print(error.code)',
      'raise SystemExit(5)',
    ].join('\n')
    const ran = await python(stage, ask)
    expect(ran).toMatchObject({ stdout: 'served\n403\n', stderr: '', code: 5, reason: null })
    expect(ran.sentBytes).toBeGreaterThan(0)
    expect(ran.receivedBytes).toBeGreaterThan(0)
  })

  test.each([0, 80, 3128])(
    'a tunnel leads a program that knows no proxy to one port (%i) alone',
    async (port) => {
      const wanted = port === 0 ? (other.port ?? 0) : port
      const ask = [
        'import os, http.client, socket',
        'host, port = os.environ["AT_HOST"], int(os.environ["AT_PORT"])',
        'print(host, port)',
        'def get(port):',
        '    try:',
        '        connection = http.client.HTTPConnection(host, port, timeout=10)',
        '        connection.request("GET", "/")',
        '        return connection.getresponse().read().decode()',
        '    except OSError as error:',
        '        return "refused"',
        'print(get(port))',
        `print(get(${server.port}))`,
      ].join('\n')
      const ran = await python(stage, ask, {
        host: 'db.example.org',
        port: wanted,
        variables: (found) => ({ AT_HOST: found.host, AT_PORT: String(found.port) }),
      })
      const [place = '', answer, elsewhere] = ran.stdout.split('\n')
      const inside = port === 0 ? wanted : port + 10_000
      if (has('namespaces')) expect(place).toBe(`db.example.org ${inside}`)
      else expect(place).toMatch(/^127\.0\.0\.1 \d+$/)
      // Nothing listens on the others.
      expect({ answer, stderr: ran.stderr }).toEqual({
        answer: port === 0 ? 'served' : 'refused',
        stderr: '',
      })
      if (has('namespaces') || has('landlock')) expect(elsewhere).toBe('refused')
    },
  )

  test('what is behind the proxy’s back is not reached, where that is promised', async () => {
    const ask = [
      'import socket',
      'try:',
      `    print(socket.create_connection(("127.0.0.1", ${other.port}), 3) and "reached")`,
      'except OSError as error:',
      '    print(type(error).__name__)',
    ].join('\n')
    const ran = await python(stage, ask)
    const isPromised = has('namespaces') || has('landlock')
    if (isPromised) expect(['PermissionError\n', 'ConnectionRefusedError\n']).toContain(ran.stdout)
    // Elsewhere the level says that the network is the machine's.
    else expect([stage.sandbox.isolation, ran.stdout]).toEqual([stage.sandbox.isolation, 'reached\n'])
  })

  test('a file that anybody on the machine may read is hidden, where that is promised', async () => {
    const path = join(stage.directory, 'for-all')
    await writeFile(path, 'for all', { mode: 0o644 })
    const ran = await stage.shell(`cat ${path}`)
    expect(ran.stdout).toBe(has('namespaces') || has('landlock') ? '' : 'for all')
  })

  test('a file for reading is where the job looks for it', async () => {
    const from = join(stage.directory, 'given')
    await writeFile(from, 'given', { mode: 0o644 })
    const room = await stage.room()
    const to = join(room, 'there', 'name')
    const ran = await stage.shell(`cat ${to}; echo x >${to}`, {
      cwd: room,
      writable: [room],
      readOnly: [{ from, to }],
    })
    expect(ran.stdout).toBe('given')
    if (has('uids') || has('namespaces')) expect(await Bun.file(from).text()).toBe('given')
  })
})

describe.each(BELOW_FULL)('asked for all, at the level $level without $without', ({ without }) => {
  test('no job is taken, and it is said why', async () => {
    const stage = await openStage({ demand: 'required', without: new Set(without) })
    const { refusal, missing } = stage.sandbox
    await stage.shell('true').then(
      () => expect.unreachable(),
      (error: Error) => expect(error.message).toBe(refusal ?? ''),
    )
    for (const reason of missing) expect(refusal).toContain(reason)
    await stage.close()
  })
})

test('a machine that refuses namespaces of users is found out, and no job is taken', async () => {
  const refusing = 'echo 0 >/proc/sys/user/max_user_namespaces && exec "$0" "$@"'
  const script = join(import.meta.dirname, 'sandbox-level.ts')
  const command = ['unshare', '--user', '--map-root-user', 'sh', '-c', refusing, process.execPath, script]
  const ran = Bun.spawn(command, { stdout: 'pipe', stderr: 'pipe' })
  const [said, fault] = await Promise.all([ran.stdout.text(), ran.stderr.text()])
  if ((await ran.exited) !== 0) {
    // This machine is one itself.
    const stage = await openStage()
    expect([fault, stage.sandbox.means.includes('namespaces')]).toEqual([fault, false])
    await stage.close()
    return
  }
  const { isolation, missing, refusal } = JSON.parse(said) as Record<string, unknown>
  expect(isolation).not.toBe('full')
  expect(String(missing)).toContain(
    'no isolation of files, processes and network (The sandbox could not be created',
  )
  expect(refusal).toContain('TIDEMARK_RUNNER_ISOLATION')
})

test('asked for nothing, nothing is used, and jobs are taken', async () => {
  const stage = await openStage({ demand: 'off' })
  const { isolation, means, refusal } = stage.sandbox
  expect({ isolation, means, refusal }).toEqual({ isolation: 'none', means: [], refusal: null })
  await stage.close()
})

test('a sandbox that cannot be made is an error, not an end of the job', async () => {
  const stage = await openStage()
  const readOnly = [{ from: join(stage.directory, 'nothing'), to: '/tmp/nothing' }]
  const failed = stage.shell('true', { readOnly })
  if (stage.sandbox.means.includes('namespaces')) expect(failed).rejects.toThrow('could not be created')
  await failed.catch(() => undefined)
  // The slot is free again.
  for (let run = 0; run < 3; run++) expect((await stage.shell('true')).code).toBe(0)
  await stage.close()
})

test.each([
  ['a NUL in an argument', { argv: ['echo', 'a\0b'] }],
  ['a NUL in a value', { env: { PATH, A: 'a\0b' } }],
  ['a name with =', { env: { PATH, 'A=B': 'c' } }],
  ['no command', { argv: [] }],
  ['a path that is relative', { cwd: 'work' }],
])('%s is refused before anything starts', async (_title, changes) => {
  const stage = await openStage()
  const start = { ...jobIn('/', ['true']), writable: [], ...changes }
  await runIn(stage, start).then(
    () => expect.unreachable(),
    (error: Error) => expect(error).toBeInstanceOf(RangeError),
  )
  await stage.close()
})

test('more jobs than there are slots are refused, and taken again later', async () => {
  const stage = await openStage({ slots: 1 })
  const first = stage.shell('sleep 0.2')
  await Bun.sleep(50)
  await stage.shell('true', { cwd: '/', writable: [] }).then(
    () => expect.unreachable(),
    (error: Error) => expect(error.message).toContain('slots'),
  )
  await first
  expect((await stage.shell('true')).code).toBe(0)
  await stage.close()
})

async function python(stage: Stage, script: string, tunnel: Tunnel | null = null): Promise<Ran> {
  const room = await stage.room()
  return runIn(stage, { ...jobIn(room, ['/usr/bin/python3', '-c', script]), kind: 'python', tunnel })
}
