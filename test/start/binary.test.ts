import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { chmod, mkdir, open, rename } from 'node:fs/promises'
import { join } from 'node:path'

import packageJson from '../../package.json'
import { readUntil } from '../until.ts'
import { Directories, startCommand } from './command-line.ts'
import type { Started } from './command-line.ts'

const MAKE_MAX_MS = 600_000
const START_MAX_MS = 180_000
/** An emulated processor beside other work. */
const EMULATED_MAX_MS = 1_200_000
const SIZE_MAX_BYTES = 300e6
const PASSWORD = 'correct horse battery'
const OTHER = process.arch === 'x64' ? 'arm64' : 'x64'
/** Runs the executable of arm64 on x64, with the libraries of Debian's packages for it. */
const [EMULATOR, EMULATED_ROOT] = ['/usr/bin/qemu-aarch64-static', '/usr/aarch64-linux-gnu']
const isEmulated =
  OTHER === 'arm64' && existsSync(EMULATOR) && existsSync(`${EMULATED_ROOT}/lib/libstdc++.so.6`)
const PATH = 'PATH=/usr/bin:/bin'
/** `e_machine` of elf(5). */
const MACHINES: Readonly<Record<string, number>> = { x64: 62, arm64: 183 }

const directories = new Directories()
afterAll(() => directories.remove())

async function make(folder: string, processor: string): Promise<void> {
  const command = ['sh', 'workers/run.sh', 'build-binary', folder, processor]
  const { code, stderr } = await startCommand(command, {}).ended
  if (code !== 0) throw new Error(stderr)
}

/** The processors of the executable and of all native modules and libraries. */
async function machinesIn(folder: string): Promise<number[]> {
  const natives = [...new Bun.Glob('app/node_modules/**/*.{node,so}').scanSync(folder)]
  return Promise.all(['tidemark', ...natives].map((path) => machineOf(join(folder, path))))
}

async function machineOf(path: string): Promise<number> {
  const file = await open(path)
  try {
    const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0)
    return buffer.readUInt16LE(18)
  } finally {
    await file.close()
  }
}

function bytesOf(folder: string): number {
  const paths = [...new Bun.Glob('**').scanSync({ cwd: folder, dot: true })]
  return paths.reduce((sum, path) => sum + Bun.file(join(folder, path)).size, 0)
}

describe('the executable', () => {
  let folder = ''
  const started: Started[] = []

  /** As from a shell in another directory, without Node.js and Bun in its path. */
  const run = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
    const command = ['env', '-i', PATH, ...pairs(environment), join(folder, 'tidemark'), ...args]
    const one = startCommand(command, {}, '/')
    started.push(one)
    return one
  }

  beforeAll(async () => {
    const parent = await directories.make()
    await make(join(parent, 'made'), process.arch)
    // A built folder works in another place.
    await mkdir(join(parent, 'elsewhere'))
    folder = join(parent, 'elsewhere', 'a folder')
    await rename(join(parent, 'made'), folder)
  }, MAKE_MAX_MS)
  afterAll(async () => {
    for (const one of started) one.kill('SIGKILL')
    await Promise.all(started.map(({ ended }) => ended))
  })

  test('has less than 300 MB, and is for this processor', async () => {
    expect(bytesOf(folder)).toBeLessThan(SIZE_MAX_BYTES)
    expect(new Set(await machinesIn(folder))).toEqual(new Set([MACHINES[process.arch] ?? 0]))
  })

  test('has the commands of tidemark', async () => {
    expect(await run(['--version']).ended).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(packageJson.version) as string,
    })
    expect((await run(['version']).ended).stdout).toBe((await run(['--version']).ended).stdout)
    expect((await run(['completions', 'bash']).ended).stdout).toContain('-F _tidemark tidemark')
    expect((await run(['nonsense']).ended).code).toBe(2)
  })

  test(
    'serves the console, takes values, imports a table in a process of its own, and has a runner',
    async () => {
      const data = await directories.make()
      const settings = { TIDEMARK_PORT: '0', TIDEMARK_DATA_DIR: data, TIDEMARK_ADMIN_PASSWORD: PASSWORD }
      const service = run(['serve'], settings)
      await service.until('Press Ctrl-C')
      const url = /listens at (\S+)/.exec(service.stdout)?.[1] ?? ''
      const authorization = `Basic ${btoa(`admin:${PASSWORD}`)}`
      const post = async (path: string, body: string) => {
        const headers = {
          authorization,
          'content-type': path.endsWith('uploads') ? 'text/csv' : 'application/json',
        }
        const answer = await fetch(url + path, { method: 'POST', headers, body })
        expect({ path, ok: answer.ok }).toEqual({ path, ok: true })
        return (await answer.json()) as { readonly id: string; readonly rows: unknown }
      }
      expect((await fetch(`${url}/ui/`)).status).toBe(200)
      await post('/webcollector/jobs/3/values', JSON.stringify({ returnValue1: 21.5, errorCode: 0 }))
      const { id } = await post('/dataSources', JSON.stringify({ name: 'files', type: 'csv' }))
      const { id: upload } = await post(`/dataSources/${id}/uploads`, 'a\n1\n2\n')
      expect(await post(`/dataSources/${id}/import`, JSON.stringify({ upload, table: 't' }))).toMatchObject({
        rows: 2,
      })
      const runners = async () => {
        const answer = await fetch(`${url}/readyz`, { headers: { authorization } })
        return ((await answer.json()) as { readonly scripts?: { readonly runners: number } }).scripts?.runners
      }
      expect(await readUntil(runners, (count) => count === 1)).toBe(1)
      service.kill('SIGTERM')
      expect((await service.ended).code).toBe(0)
    },
    START_MAX_MS,
  )
})

describe('the executable for the other processor', () => {
  let folder = ''

  beforeAll(async () => {
    folder = join(await directories.make(), OTHER)
    await make(folder, OTHER)
  }, MAKE_MAX_MS)

  test('is made, and all of its native files are for it', async () => {
    const machines = await machinesIn(folder)
    expect(machines.length).toBeGreaterThan(2)
    expect(new Set(machines)).toEqual(new Set([MACHINES[OTHER] ?? 0]))
  })

  test.skipIf(!isEmulated)(
    'starts, is healthy and ready, serves the console, takes a value and ends by SIGTERM',
    async () => {
      const data = await directories.make()
      await chmod(data, 0o700)
      const settings = {
        TIDEMARK_PORT: '0',
        TIDEMARK_RUNNER: 'off',
        TIDEMARK_DATA_DIR: data,
        TIDEMARK_ADMIN_PASSWORD: PASSWORD,
      }
      const emulated = [EMULATOR, '-L', EMULATED_ROOT, join(folder, 'tidemark'), 'serve']
      const service = startCommand(['env', '-i', PATH, ...pairs(settings), ...emulated], {}, '/')
      try {
        await service.until('Press Ctrl-C')
        const url = /listens at (\S+)/.exec(service.stdout)?.[1] ?? ''
        const health = await fetch(`${url}/healthz`)
        expect([health.status, await health.json()]).toEqual([200, { status: 'ok' }])
        expect((await fetch(`${url}/readyz`)).status).toBe(200)
        expect((await fetch(`${url}/ui/`)).status).toBe(200)
        const headers = {
          authorization: `Basic ${btoa(`admin:${PASSWORD}`)}`,
          'content-type': 'application/json',
        }
        const body = JSON.stringify({ returnValue1: 21.5, errorCode: 0 })
        const path = `${url}/webcollector/jobs/3/values`
        expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200)
        expect(await (await fetch(`${url}/values?jobId=3`, { headers })).text()).toContain('21.5')
        service.kill('SIGTERM')
        expect((await service.ended).code).toBe(0)
      } finally {
        service.kill('SIGKILL')
        await service.ended
      }
    },
    EMULATED_MAX_MS,
  )
})

function pairs(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).map((pair) => pair.join('='))
}
