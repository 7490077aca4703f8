import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import type { Server } from 'node:net'
import { hostname, networkInterfaces } from 'node:os'
import { join } from 'node:path'

import { REFUSED_CALLS, WATCHED_CALLS } from '../../workers/runner/sandbox/syscalls.ts'
import type { CallNumbers, Processor } from '../../workers/runner/sandbox/syscalls.ts'
import { jobIn, MIB, openStage, runIn } from './sandbox-stage.ts'
import type { Stage } from './sandbox-stage.ts'

type Try = { readonly name: string; readonly needs: string[]; readonly out: boolean; readonly seen: string }

const CANARY = 'a canary that only the machine has'
const SECRET = 'the-secret-of-another-process'
const ROOM_BYTES = 8 * MIB
const MEMORY_BYTES = 256 * MIB
const LIMITS = { memoryMaxBytes: MEMORY_BYTES, pidsMax: 64, fileMaxBytes: 32 * MIB, openFilesMax: 256 }

/** The outside: a file, a process, services, a piece of shared memory. Anybody may use each of them, so that
 * nothing but the sandbox is in the way. */
class Outside {
  readonly #servers: Server[] = []
  readonly #sleeper = Bun.spawn(['/bin/sleep', '4242.5'], { env: { SECRET } })
  #sharedMemoryId = ''

  async open(stage: Stage): Promise<Record<string, unknown>> {
    const canaryFile = join(stage.directory, 'canary')
    await writeFile(canaryFile, CANARY, { mode: 0o644 })
    const socketFile = join(stage.directory, 'service.sock')
    const abstract = `tidemark-test-${process.pid}`
    await this.#listen({ path: socketFile, writableAll: true, readableAll: true })
    await this.#listen({ path: `\0${abstract}` })
    const otherRoom = await stage.room()
    await writeFile(join(otherRoom, 'file'), 'x')
    return {
      canary: CANARY,
      canaryFile,
      socketFile,
      abstract,
      otherRoom,
      secret: SECRET,
      greeting: 'greetings',
      hostname: hostname(),
      otherUid: 12_345,
      runnerDirectory: join(stage.directory, 'sandbox'),
      pid: this.#sleeper.pid,
      command: '4242.5',
      port: await this.#listen({ port: 0, host: '0.0.0.0' }),
      port6: hasIpv6() ? await this.#listen({ port: 0, host: '::1' }) : 0,
      address: addressOfMachine(),
      sharedMemoryKey: await this.#shareMemory(),
      roomBytes: ROOM_BYTES,
      fileBytes: LIMITS.fileMaxBytes,
      pids: LIMITS.pidsMax,
      memoryBytes: MEMORY_BYTES,
      openFiles: LIMITS.openFilesMax,
    }
  }

  async close(): Promise<void> {
    this.#sleeper.kill()
    for (const server of this.#servers) server.close()
    await Bun.spawn(['ipcrm', '--shmem-id', this.#sharedMemoryId]).exited
  }

  async #listen(where: Parameters<Server['listen']>[0]): Promise<number> {
    const server = createServer((socket) => socket.on('error', () => undefined).end('greetings'))
    this.#servers.push(server)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(where, resolve)
    })
    const address = server.address()
    return address !== null && typeof address === 'object' ? address.port : 0
  }

  async #shareMemory(): Promise<number> {
    const said = await Bun.spawn(['ipcmk', '--shmem', '4096', '--mode', '0666']).stdout.text()
    this.#sharedMemoryId = /\d+/.exec(said)?.[0] ?? ''
    const table = await readFile('/proc/sysvipc/shm', 'utf8')
    const row = table.split('\n').find((line) => line.trim().split(/\s+/)[1] === this.#sharedMemoryId)
    return Number(row?.trim().split(/\s+/)[0])
  }
}

describe('the tries to get out', () => {
  const outside = new Outside()
  let stage: Stage
  let open: Stage
  let aims: Record<string, unknown>

  beforeAll(async () => {
    stage = await openStage({ limits: LIMITS })
    open = await openStage({ demand: 'off' })
    aims = await outside.open(stage)
  })

  afterAll(async () => {
    await outside.close()
    await stage.close()
    await open.close()
  })

  const tries = async (on: Stage, isControl: boolean): Promise<Try[]> => {
    const cwd = await on.room(ROOM_BYTES)
    await copyFile(join(import.meta.dirname, 'escapes.py'), join(cwd, 'escapes.py'))
    const { arch } = process
    const numbers = (calls: Readonly<Record<string, CallNumbers>>) =>
      Object.fromEntries(
        Object.entries(calls).flatMap(([name, of]) => {
          const number = of[arch as Processor]
          return number === null ? [] : [[name, number]]
        }),
      )
    const calls = numbers(REFUSED_CALLS)
    const given = { ...aims, calls, watched: numbers(WATCHED_CALLS), control: isControl }
    await writeFile(join(cwd, 'stage.json'), JSON.stringify(given))
    const start = { ...jobIn(cwd, ['/usr/bin/python3', 'escapes.py']), kind: 'python' } as const
    const ran = await runIn(on, start)
    expect({ code: ran.code, stderr: ran.stderr }).toEqual({ code: 0, stderr: '' })
    return ran.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Try)
  }

  test('are refused, each that something in force here is against, and all of them at the full level', async () => {
    const { means, isolation } = stage.sandbox
    const made = await tries(stage, false)
    expect(made.length).toBeGreaterThanOrEqual(60)
    const gotOut = made.filter(({ out }) => out)
    const promised =
      isolation === 'full'
        ? gotOut
        : gotOut.filter(({ needs }) => needs.every((need) => means.some((each) => each === need)))
    expect(promised).toEqual([])
    expect(await readFile(String(aims['canaryFile']), 'utf8')).toBe(CANARY)
  }, 180_000)

  test('get out where nothing is in the way, so that a refusal means something', async () => {
    const made = await tries(open, true)
    const withoutIpv6 = hasIpv6() ? [] : ['port_by_ipv6']
    const refused = made.filter(({ out }) => !out).filter(({ name }) => !withoutIpv6.includes(name))
    expect(refused).toEqual([])
    expect(made.length).toBeGreaterThanOrEqual(60)
  }, 180_000)
})

function hasIpv6(): boolean {
  return Object.values(networkInterfaces()).some((list) => list?.some(({ address }) => address === '::1'))
}

function addressOfMachine(): string {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find(({ internal, family }) => !internal && family === 'IPv4')?.address ?? '127.0.0.1'
}
