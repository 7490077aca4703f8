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
  return { writeFd, bytes: bytesOf(readFd), close: () => closeSync(readFd) }
}

/** Bun waits for a pipe in its event loop. Another runtime waits in a thread for each read, which Bun has two of. */
function bytesOf(fd: number): ReadableStream<Uint8Array> {
  if ('bun' in process.versions) return Bun.file(fd).stream()
  // Another descriptor: this one would not wait.
  const waiting = openSync(`/proc/self/fd/${fd}`, O_RDONLY)
  return Readable.toWeb(createReadStream('', { fd: waiting })) as ReadableStream<Uint8Array>
}
