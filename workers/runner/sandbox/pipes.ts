import { chownSync, closeSync, constants, createReadStream, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'

import { runProgram } from '../programs.ts'

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants

/** The pipe that a job writes to, and its reading end. */
export type Pipe = {
  readonly writeFd: number
  readonly bytes: ReadableStream<Uint8Array>
  readonly close: () => void
}

export type Pipes = { readonly stdout: Pipe; readonly stderr: Pipe }

/** Creates pipes that a job can open by a name such as `/dev/stdout`. The sockets that Bun creates for a child have no such
 * name. The caller closes `writeFd` when a child has it, and each pipe after its last output. */
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
  return { writeFd, bytes: bytesOf(readFd), close: () => closeSync(readFd) }
}

/** Bun waits for a pipe in its event loop. Other runtimes wait in a thread of their pool, of which Bun has two only. */
function bytesOf(fd: number): ReadableStream<Uint8Array> {
  if ('bun' in process.versions) return Bun.file(fd).stream()
  // A second descriptor without O_NONBLOCK: reads of the first one fail instead of waiting.
  const waiting = openSync(`/proc/self/fd/${fd}`, O_RDONLY)
  return Readable.toWeb(createReadStream('', { fd: waiting })) as ReadableStream<Uint8Array>
}
