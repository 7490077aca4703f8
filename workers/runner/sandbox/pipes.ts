import { chownSync, closeSync, constants, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { runProgram } from '../programs.ts'

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** The pipe that a job writes to, and its reading end. */
export type Pipe = {
  readonly writeFd: number
  readonly bytes: ReadableStream<Uint8Array>
  readonly close: () => void
}

export type Pipes = { readonly stdout: Pipe; readonly stderr: Pipe }

/** Makes pipes that a job can also open by a name, as `/dev/stdout`: what Bun makes for a child are sockets, which have
 * none. The caller closes `writeFd` once a child has it, and the rest when nothing more is to come. */
export async function openPipes(folder: string, uid: number | null): Promise<Pipes> {
  const paths = ['stdout', 'stderr'].map((name) => join(folder, name))
  for (const path of paths) rmSync(path, { force: true })
  const made = await runProgram(['mkfifo', '--mode=600', ...paths])
  if (made.code !== 0) throw new Error(`Creating pipes failed: ${made.stderr.trim()}`)
  const [stdout, stderr] = paths.map((path) => openPipe(path, uid)) as [Pipe, Pipe]
  return { stdout, stderr }
}

function openPipe(path: string, uid: number | null): Pipe {
  if (uid !== null) chownSync(path, uid, uid)
  const readFd = openSync(path, O_RDONLY | O_NONBLOCK)
  const writeFd = openSync(path, O_WRONLY)
  rmSync(path)
  return { writeFd, bytes: Bun.file(readFd).stream(), close: () => closeSync(readFd) }
}
