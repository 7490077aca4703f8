import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import type { Exit, SandboxStart } from '../../workers/runner/sandbox/container.ts'
import { openSandbox } from '../../workers/runner/sandbox/sandbox.ts'
import type { Sandbox, SandboxOptions } from '../../workers/runner/sandbox/sandbox.ts'

export const MIB = 1024 * 1024

export const PATH = '/usr/local/bin:/usr/bin:/bin'
/** The slots of a stage, unless its options have another number. */
export const SLOTS = 2

export type Stage = {
  readonly sandbox: Sandbox
  readonly directory: string
  /** A new room with a directory in it that is the job's. */
  room(sizeMaxBytes?: number): Promise<string>
  /** Runs a shell's command in a new room, and gives what it wrote. */
  shell(command: string, changes?: Partial<SandboxStart>): Promise<Ran>
  close(): Promise<void>
}

export type Ran = Exit & { readonly stdout: string; readonly stderr: string }

/** A sandbox in a directory of its own below `within`, with what this machine has unless told otherwise. */
export async function openStage(options: Partial<SandboxOptions> = {}, within = tmpdir()): Promise<Stage> {
  const directory = await mkdtemp(join(within, 'tidemark-sandbox-'))
  await chmod(directory, 0o711)
  const sandbox = await openSandbox({
    directory: join(directory, 'sandbox'),
    slots: SLOTS,
    demand: 'best-effort',
    outboundAllow: new Set(),
    service: '127.0.0.1:1',
    ...options,
  })
  let rooms = 0
  const room = async (sizeMaxBytes = 16 * MIB) => {
    const path = join(directory, `room-${rooms++}`)
    await sandbox.makeRoom(path, sizeMaxBytes)
    await mkdir(join(path, 'work'))
    return join(path, 'work')
  }
  const stage: Stage = {
    sandbox,
    directory,
    room,
    async shell(command, changes = {}) {
      const cwd = changes.cwd ?? (await room())
      return runIn(stage, { ...jobIn(cwd, ['/bin/sh', '-c', command]), ...changes })
    },
    async close() {
      await sandbox.close()
      await rm(directory, { recursive: true })
    },
  }
  return stage
}

export function jobIn(cwd: string, argv: readonly string[]): Omit<SandboxStart, 'onStdout' | 'onStderr'> {
  return { argv, cwd, env: { PATH }, kind: 'shell', readOnly: [], writable: [cwd], network: [] }
}

/** Runs a job and gives what it wrote. */
export async function runIn(
  { sandbox }: Stage,
  start: Omit<SandboxStart, 'onStdout' | 'onStderr'> & Partial<SandboxStart>,
): Promise<Ran> {
  const said = { stdout: '', stderr: '' }
  const contained = await sandbox.start({
    onStdout: (bytes) => (said.stdout += new TextDecoder().decode(bytes)),
    onStderr: (bytes) => (said.stderr += new TextDecoder().decode(bytes)),
    ...start,
  })
  return { ...(await contained.exited), ...said }
}

/** Ids of processes whose command line has this word, zombies not among them. */
export async function processesWith(word: string): Promise<number[]> {
  const listed = await Bun.spawn(['ps', '-eo', 'pid=,args='], { stdout: 'pipe' }).stdout.text()
  return listed
    .split('\n')
    .filter((line) => line.includes(word))
    .map((line) => Number(line.trim().split(' ', 1)[0]))
}
