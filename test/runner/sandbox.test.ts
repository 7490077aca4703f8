import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

import type { Means } from '../../workers/runner/sandbox/level.ts'
import { childrenOf } from './processes.ts'
import { jobIn, MIB, openStage, PATH, processesWith, runIn, SLOTS } from './sandbox-stage.ts'
import type { Stage } from './sandbox-stage.ts'
import { until } from '../until.ts'

const FLOOD_BYTES = 800_000_000

let stage: Stage

beforeAll(async () => {
  stage = await openStage()
})

afterAll(() => stage.close())

/** Whether this machine has what a promise rests on. Where it has not, that is said, and the level must be a lower one. */
function promised(...means: Means[]): boolean {
  const isThere = means.every((each) => stage.sandbox.means.includes(each))
  if (!isThere) {
    process.stderr.write(`not promised on this machine: ${stage.sandbox.missing.join('; ')}\n`)
    expect(stage.sandbox.isolation).not.toBe('full')
  }
  return isThere
}

test.each(['/tmp', '/var/tmp', '/srv'])('a job works in a room below %s', async (within) => {
  const there = await openStage({}, within)
  try {
    const ran = await there.shell('echo here >file && cat file')
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([0, 'here\n', ''])
  } finally {
    await there.close()
  }
})

describe('a trap', () => {
  test('K1: no environment or command line around a job tells what its environment is', async () => {
    const secret = `secret-${crypto.randomUUID()}`
    const room = await stage.room()
    const running = await stage.sandbox.start({
      ...jobIn(room, ['/bin/sh', '-c', 'test -n "$TOKEN" && touch here; exec /bin/sleep 60']),
      env: { PATH, TOKEN: secret },
      onStdout() {},
      onStderr() {},
    })
    await appears(join(room, 'here'))
    const commands = await processesWith(secret)
    const holders = await environmentsWith(secret)
    running.kill()
    await running.exited
    expect(commands).toEqual([])
    // It sees the processes inside the sandbox, and none outside.
    const programs = new Set(holders.map((command) => command.split('\0', 1)[0]))
    expect([...programs.difference(new Set(['/bin/sh', '/usr/bin/socat', '/bin/sleep']))]).toEqual([])
    expect(programs.size).toBeGreaterThan(0)
  })

  test('K1: nothing inside has the environment of the runner', async () => {
    const secret = `secret-${crypto.randomUUID()}`
    process.env['TIDEMARK_TEST_SECRET'] = secret
    const ran = await stage.shell("cat /proc/[0-9]*/environ | tr '\\0' '\\n'")
    delete process.env['TIDEMARK_TEST_SECRET']
    expect(ran.stdout).toContain('PATH=')
    expect(ran.stdout).not.toContain(secret)
  })

  test('K2: what only root may read is not read, though root started the job', async () => {
    const path = join(stage.directory, 'of-root')
    await writeFile(path, 'for root alone', { mode: 0o600 })
    const read = async (on: Stage) => {
      const cwd = await on.room()
      const to = join(cwd, 'of-root')
      return on.shell(`cat ${to}`, { cwd, writable: [cwd], readOnly: [{ from: path, to }] })
    }
    const ran = await read(stage)
    if (promised('uids')) expect(ran).toMatchObject({ code: 1, stdout: '' })
    const control = await openStage({ without: new Set(['uids']) })
    const seen = await read(control)
    await control.close()
    expect(seen.stdout).toBe('for root alone')
  })

  test('K3: one job with all the processes it may have takes none from the other slots', async () => {
    const fork = 'for i in $(seq 100); do sleep 5 & done; echo made; wait'
    const greedy = await stage.sandbox.start({
      ...jobIn(await stage.room(), ['/bin/sh', '-c', fork]),
      limits: { pidsMax: 20 },
      onStdout() {},
      onStderr() {},
    })
    const codes: number[] = []
    for (let round = 0; round < 20; round++) codes.push((await stage.shell('true')).code)
    greedy.kill()
    await greedy.exited
    expect(codes).toEqual(Array.from({ length: 20 }, () => 0))
  })

  test('K5: outside the main thread no job is started', async () => {
    const worker = new Worker(new URL('sandbox-thread.ts', import.meta.url))
    const [said] = (await once(worker, 'message')) as [string]
    await worker.terminate()
    expect(said).toContain('main thread')
  })

  test('K5: a job ends with its runner, however that ends, and the next one clears away what is left', async () => {
    const mark = `40000.${process.pid}`
    const runner = Bun.spawn([process.execPath, join(import.meta.dirname, 'sandbox-runner.ts'), mark], {
      stdout: 'pipe',
      stderr: 'inherit',
    })
    const { value } = await runner.stdout.getReader().read()
    const directory = new TextDecoder().decode(value).trim()
    expect((await processesWith(mark)).length).toBeGreaterThan(0)
    // Those that wait in slots for jobs, and what has become the job.
    const children = await childrenOf(runner.pid)
    expect(children.length).toBeGreaterThan(1)
    runner.kill('SIGKILL')
    await runner.exited
    if (promised('namespaces')) {
      await disappears(mark)
      await until(() => children.every((pid) => !existsSync(`/proc/${pid}`)))
    }
    const next = await openStage({ directory: join(directory, 'sandbox') })
    const room = join(directory, 'room-0')
    expect(await readdir(room)).toEqual(['work'])
    await next.sandbox.removeRoom(room)
    expect(await readdir(directory)).toEqual(['sandbox'])
    expect((await next.shell('true')).code).toBe(0)
    await next.close()
    await rm(directory, { recursive: true })
    if (stage.sandbox.isolation !== 'none') await disappears(mark)
    for (const pid of await processesWith(mark)) process.kill(pid, 'SIGKILL')
  })

  test('K6: keys and namespaces are refused, threads and processes are not', async () => {
    const script = [
      'import ctypes, subprocess, sys, threading',
      'libc = ctypes.CDLL(None, use_errno=True)',
      `numbers = ${JSON.stringify(process.arch === 'arm64' ? [219, 97] : [250, 272])}`,
      'print(libc.syscall(numbers[0], 0, -3, 0) == -1 and ctypes.get_errno())',
      'print(libc.syscall(numbers[1], 0) == -1 and ctypes.get_errno())',
      'thread = threading.Thread(target=lambda: print("thread")); thread.start(); thread.join()',
      'print(subprocess.run(["echo", "child"], capture_output=True, text=True).stdout.strip())',
    ].join('\n')
    const job = async (on: Stage) =>
      runIn(on, { ...jobIn(await on.room(), ['/usr/bin/python3', '-c', script]), kind: 'python' })
    const ran = await job(stage)
    if (promised('seccomp')) expect(ran.stdout).toBe('1\n1\nthread\nchild\n')
    const control = await openStage({ without: new Set(['seccomp']) })
    const seen = await job(control)
    await control.close()
    expect(seen.stdout).not.toStartWith('1\n1\n')
  })

  test('K7: told to end, a job has time to tidy up', async () => {
    const room = await stage.room()
    const command = 'trap "echo tidied; exit 7" TERM; touch here; while :; do sleep 0.05; done'
    const out: string[] = []
    const running = await stage.sandbox.start({
      ...jobIn(room, ['/bin/sh', '-c', command]),
      onStdout: (bytes) => out.push(new TextDecoder().decode(bytes)),
      onStderr() {},
    })
    await appears(join(room, 'here'))
    running.terminate()
    expect((await running.exited).code).toBe(7)
    expect(out.join('')).toBe('tidied\n')
  })

  test('K8: Java starts, in which all settings are links into /etc', async () => {
    const ran = await stage.shell('java -version', { kind: 'talend' })
    expect(ran).toMatchObject({ code: 0 })
    expect(ran.stderr).toContain('Runtime')
  })

  test('K9: a flood is read to its end without being kept', async () => {
    const before = process.memoryUsage().rss
    let bytes = 0
    let peak = 0
    const flood = await stage.sandbox.start({
      ...jobIn(await stage.room(), ['/bin/sh', '-c', `head -c ${FLOOD_BYTES} /dev/zero`]),
      onStdout: (chunk) => {
        bytes += chunk.length
        peak = Math.max(peak, process.memoryUsage().rss)
      },
      onStderr() {},
    })
    await flood.exited
    expect(bytes).toBe(FLOOD_BYTES)
    // Where it were kept, all of it: what is passed on waits for the collector for a while.
    expect(peak - before).toBeLessThan(FLOOD_BYTES / 2)
  })
})

describe('what waits in a slot', () => {
  const waiting = () => childrenOf(process.pid, '/bin/sh')

  test('is there for the next job, and another one when it has ended meanwhile', async () => {
    // The shells of the other stage, the last of which may start only now.
    await until(async () => (await waiting()).length === SLOTS)
    const others = await waiting()
    const own = await openStage({ slots: 1 })
    const ours = async () => (await waiting()).filter((pid) => !others.includes(pid))
    try {
      for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
        await until(async () => (await ours()).length === 1)
        const [shell = 0] = await ours()
        process.kill(shell, signal)
        await until(async () => !(await ours()).includes(shell))
        expect(await own.shell('echo here')).toMatchObject({ code: 0, stdout: 'here\n' })
      }
    } finally {
      await own.close()
    }
    expect(await ours()).toEqual([])
  })
})

describe('a flood of the disk', () => {
  test('ends where the room does, and takes the runner nothing', async () => {
    const ran = await stage.shell(
      'head -c 64M /dev/zero >file; stat -c %s file; head -c 64M /dev/zero >/tmp/file',
    )
    if (promised('rooms', 'namespaces')) {
      expect(Number(ran.stdout)).toBeLessThanOrEqual(16 * MIB)
      expect(ran.stderr).toContain('No space left on device')
    }
  })

  test('of many small files as well', async () => {
    if (!promised('rooms')) return
    const ran = await stage.shell('i=0; while : >"file-$i"; do i=$((i + 1)); done 2>/dev/null; ls | wc -l')
    expect(Number(ran.stdout)).toBeLessThanOrEqual((16 * MIB) / 4_096)
  })
})

describe('memory', () => {
  test('that is used up is told as the reason', async () => {
    const script = 'x = bytearray(512 * 2**20); print(len(x))'
    const start = jobIn(await stage.room(), ['/usr/bin/python3', '-c', script])
    const ran = await runIn(stage, { ...start, limits: { memoryMaxBytes: 128 * MIB } })
    if (promised('cgroups')) expect(`${ran.code} ${ran.reason}`).toMatch(/^137 .* 128 MiB/)
    const control = await runIn(stage, { ...start, limits: { memoryMaxBytes: 1_024 * MIB } })
    expect(control).toMatchObject({ code: 0, reason: null })
  })
})

describe('the files of a job', () => {
  test('are the runner’s again afterwards without more rights, and what it was only to read is as it was', async () => {
    const kept = join(stage.directory, 'kept')
    const seen = join(stage.directory, 'seen')
    await mkdir(kept)
    await mkdir(seen)
    await writeFile(join(seen, 'file'), 'as it was')
    const command = `cat ${seen}/file; echo x >${kept}/new; echo y >${seen}/file; ln -s /etc/shadow ${kept}/link; cp /bin/sh ${kept}/sh; chmod 6755 ${kept}/sh`
    const ran = await stage.shell(command, {
      writable: [kept],
      cwd: kept,
      readOnly: [{ from: seen, to: seen }],
    })
    expect(ran.stdout).toBe('as it was')
    const owner = await Bun.spawn(['stat', '-c', '%u', join(kept, 'new'), '/etc/shadow']).stdout.text()
    expect(owner).toBe(`${process.getuid?.()}\n0\n`)
    // A program that would run as whoever owns it must not become the runner's as such.
    const mode = await Bun.spawn(['stat', '-c', '%a', join(kept, 'sh')]).stdout.text()
    if (promised('uids')) expect(mode).toBe('755\n')
    if (promised('namespaces')) expect(await readFile(join(seen, 'file'), 'utf8')).toBe('as it was')
  })
})

async function appears(path: string): Promise<void> {
  await until(() => Bun.file(path).exists())
}

async function disappears(word: string): Promise<void> {
  await until(async () => (await processesWith(word)).length === 0)
}

/** The command lines of processes whose environment has this word. */
async function environmentsWith(word: string): Promise<string[]> {
  const found: string[] = []
  const pids = await Array.fromAsync(new Bun.Glob('[0-9]*').scan({ cwd: '/proc', onlyFiles: false }))
  for (const pid of pids) {
    const environ = await readFile(`/proc/${pid}/environ`, 'utf8').catch(() => '')
    if (environ.includes(word)) found.push(await readFile(`/proc/${pid}/cmdline`, 'utf8'))
  }
  return found
}
